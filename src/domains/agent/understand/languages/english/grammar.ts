import type { GrammarWord } from "../language.ts";

/** Words of grammar by what they ask for, as stems; a slash stands for either word. */
const WORDS = `
prep: in, for, from, on, at, to, within, insid, among, between, through, under, over, via, due to, because of, dur, during, sinc, based in
prep: made/generated/brought/earned/achieved/contributed/produced/done by, brought in by, by a/an/any, by one of our
prep: by what fraction/percent/percentag, by how many percent, how many percent
prep of: of
across: across
by: by, in term/terms of, measured/split/group/grouped by, broken/break down by, separat by, accord to, split/spread/distributed across
by per: per
each: each, every, for each, does/did a/an/each
and: and, next to, alongsid
comma: ,
or: or
but: but
only: only
both: both
rest: other, else, everybody/everyone else, all/the other, the rest, rest of, without one/it
has: with, has, have, had, contain, whos, whose, included, involved
has their: with/and/plus/includ/including their
has any: with/has/have/had a/an/any
named: named, called
as: as a/an
that of: that of
where: where
when: when
not: not, exclud, except, except for, besid, outsid, outsid of, outside, outside of, leav out, not count, ignor, other than, apart/asid from
not none: no, without, nothing, none, never, nobody, no one
count: how many, how many time, how often, count, count of, number of, the number of
how much: how much
agg avg: averag, avg, mean, on average/averag
agg median: median
agg sum: total, combin, sum, amount, amount of, overall
distinct: different, distinct, uniqu
days: day between
time to: time/days/hours/minutes/duration to/until/till
share: share, fraction, percentag, percent of, part, proportion, portion, what part/percent of, how many percent of, as a share of total, as a share of the total
ratio: as share of, as a share/percentage/percent/fraction/proportion of, relative to, divided by
rate: rate
less: minus
difference: differenc, differenc in/between/of, by how much, how much more/higher/less/lower, how many more/fewer, gap, gap between, absolut chang/differenc
growth: growth, growth rate, rate of growth, chang, percentage/percent/relative/procentual/% change/growth/increase/decrease/decline
growth >: increas, rise, rose, improv, grow
growth <: declin, decreas, drop, fall, fell, shrink, shrank
growth >abs: gain
growth <abs: lost, lose
running: run/running total, cumulativ
versus: versus, vs, against, compar to/with
compare them: compar
more: more, higher, larger, bigger, greater
more <: less, fewer, lower, smaller
than: than, exceed, exceed that of`;

/** An argument is what stands behind the operation, where it is one of these. */
const ARGUMENT = / (?:of|per|any|their|none|avg|median|sum|[<>](?:abs)?)$/;

export const GRAMMAR: ReadonlyMap<string, GrammarWord> = new Map(
  WORDS.trim()
    .split("\n")
    .flatMap((line) => {
      const [asked = "", words = ""] = line.split(/: /, 2);
      const arg = asked === "that of" ? undefined : ARGUMENT.exec(asked)?.[0].trim();
      const op = arg === undefined ? asked : asked.slice(0, -arg.length - 1);
      return words
        .split(", ")
        .flatMap(eitherWord)
        .map((phrase) => [phrase, { op, ...(arg === undefined ? {} : { arg }) }] as const);
    }),
);

/** "does/did a/an": each with each. */
function eitherWord(phrase: string): string[] {
  return phrase
    .split(" ")
    .reduce<string[]>(
      (all, word) => all.flatMap((head) => word.split("/").map((each) => `${head} ${each}`.trim())),
      [""],
    );
}
