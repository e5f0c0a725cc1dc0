import type { GrammarWord, Language, Superlative } from "../language.ts";
import { fold, stem } from "../words.ts";
import { ENGLISH_GLOSSARY } from "./glossary.ts";
import { phrase } from "./phrasing.ts";

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

const GRAMMAR: ReadonlyMap<string, GrammarWord> = new Map(
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

/** Comparatives before `than`: what has more of a dimension, and what has less of it. */
const PAIRS = `
high: higher taller, lower
big: larger bigger, smaller
long: longer, shorter
price: pricier more_expensive, cheaper
heavy: heavier, lighter
fast: faster, slower
age: older, younger
hot: hotter warmer, colder
deep: deeper
wide: wider
-: more greater, less fewer`;

export const COMPARATIVES: ReadonlyMap<string, string> = new Map(
  pairsIn(PAIRS).flatMap(({ dim, more, less }) => [
    ...more.map((word) => [word, `>:${dim ?? ""}`] as const),
    ...less.map((word) => [word, `<:${dim ?? ""}`] as const),
  ]),
);

/** What has more and what has less of each dimension; a dash stands for none, and words of a phrase are joined. */
function pairsIn(lines: string): { dim: string | null; more: string[]; less: string[] }[] {
  const words = (list = "") =>
    list
      .split(" ")
      .filter((word) => word !== "")
      .map((word) => word.replaceAll("_", " "));
  return lines
    .trim()
    .split("\n")
    .map((line) => line.split(/: |, /))
    .map(([dim = "-", more, less]) => ({
      dim: dim === "-" ? null : dim,
      more: words(more),
      less: words(less),
    }));
}

/**
 * Words of how one asks: they say nothing about the data, wherever they stand. A noun, an adjective or a verb of what
 * somebody did is none, however common it is.
 */
const FILLERS: ReadonlySet<string> = new Set(
  `what which who whom names whats the a an is are was were be been am do does did there here that this
  these those me i we you they it its them their our us his her my your 's please can could would will
  shall should tell show give list name find get see display know about all any some one ones
  of so just now then ? ! . , ; : " ' ’ ( ) & also else euro euros want like need doing going currently
  really exactly look looking question help how developed develop evolved evolve trend yet still both
  different distinct times as if when respectively already ever today's miles mile kilometers km metre
  metres meter meters altogether together had we've i'd only roughly approximately table chart pie
  ranked ranking d ll ve re m split broken down breakdown grouped distributed distribution anything
  something anyone anybody somebody actual actually unique someone everything everybody everyone
  calendar because very even once atm asap btw fyi mr mrs simply quite rather much many quick quickly hi hello hey thanks thank
  kindly sorry wondering wonder interested curious figure figures numbers data info information overview
  summary details detail respective corresponding whole entire too anyway basically overall being
  having catalogue catalog database pls`.split(/\s+/),
);

/** Verbs that only link the things of a question, empty behind a noun ("orders placed") and never before one ("placed orders"). */
const DEEDS: ReadonlySet<string> = new Set(
  `located found exist live lives stay stays lie lies situated based come came comes coming happen happened
  happens occur occurs occurred make makes made bring brings brought bringing add adds added take takes took taken
  place placed generate generated receive receives received carry carries achieve achieved recorded got gets
  work works working worked operate operates submit submitted cause causes caused host hosts hosted hold holds held
  covers covered collect collects collected contain contains contained use uses used serve serves served handle
  handles handled filled filed eat eats features featured belong belongs include includes included counted measured
  observed enter entered register registered participate participates participated appear appears appeared stands
  stood own owns owned directed produce produces produced write wrote written supply supplies supplied`.split(
    /\s+/,
  ),
);

const RIDES = /\b(?:flight|plane|airline|trip|ride|rider|bike|taxi|train|bus|journey|tour)s?\b/;
/** Also of what went to somebody. */
const WENT = new RegExp(`${RIDES.source}|\\b(?:go|goes|went|gone) (?:to|into)\\b`);
/** Where all of it is. */
const IN_HERE = /\b(?:in|of|from) (?:the|this|that|our|my) (?:\S+ )?(?:file|dataset|spreadsheet|sheet|csv)\b/;
const REFUNDS = /refund|reimburs|salar|wage/;

/** Words that are empty only beside what they belong to: refunds are paid, orders need not be. */
const BESIDE: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    paid: REFUNDS,
    pay: REFUNDS,
    issued: REFUNDS,
    gave: /discount|rebate|refund/,
    granted: /discount|rebate/,
    given: /reason/,
    why: /reason/,
    // A list price is one of several.
    list: /^(?!.*\blist prices?\b)/,
    single: /^(?:.* )?(?:an?|every|each|one) single\b|\bsingle (?:most|\p{L}{3,}est)\b/u,
    direct: /report/,
    report:
      /\breport (?:on|about|of|for|with|showing|that)\b|\b(?:an?|the|me|this|monthly|weekly|quick) (?:\S+ )?report\b/,
    current: /^(?!.*(?:\b\d{4}\b|\b(?:last|previous) ))/,
    full: /target|plan|goal/,
    reach: /target|plan|goal/,
    reached: /target|plan|goal/,
    up: /\badd(?:s|ed)? up\b/,
    run: /\bruns? (?:through|across|along|by|from|to|in)\b|\brun$/,
    runs: /\bruns (?:through|across|along|by|from|to|in)\b/,
    send: /ticket|message|mail|request/,
    sends: /ticket|message|mail|request/,
    sent: /ticket|message|mail|request/,
    let: /\blet (?:me|us|'s)\b/,
    right: /\bright now\b/,
    team: /^(?:hi|hello|hey|dear) team\b|\bteam of\b/,
    ...Object.fromEntries("file dataset spreadsheet sheet csv".split(" ").map((noun) => [noun, IN_HERE])),
    company: /\b(?:our|the|whole|entire) company\b/,
    ...Object.fromEntries("go goes went gone".split(" ").map((verb) => [verb, WENT])),
    money: /\bhow much (?:\S+ )?money\b/,
    ...Object.fromEntries(
      "rode fly flew flown arrive arrives arrived started depart departs departed landed"
        .split(" ")
        .map((verb) => [verb, RIDES]),
    ),
  }),
);

/** Words for the first by a dimension, and for the last by it. */
const EXTREMES = `
big: largest biggest, smallest
high: highest tallest, lowest
long: longest, shortest
dense: densest, sparsest
heavy: heaviest, lightest
hot: hottest warmest, coldest coolest
deep: deepest, shallowest
wide: widest broadest, narrowest
far: farthest furthest, nearest closest
wet: wettest rainiest, driest
windy: windiest, calmest
powerful: most_powerful
people: most_populou most_populous most_populat most_populated, least_populou least_populous least_populat least_populated
price: most_expensiv priciest, cheapest least_expensiv
common: most_common most_frequent most_frequently most_often commonest, least_common least_frequent quietest
age: youngest, oldest
date: last latest newest most_recent for_the_last_time, first earliest first_time for_the_first_time
-: greatest maximum best top strongest most_successful most_popular most_important best_sell best-selling top_sell top-selling highest_perform top_perform best_perform, minimum worst bottom weakest worst_sell lowest_perform worst_perform`;

/** "the highest number of": the most. */
const COUNTED = {
  max: "most,highest number of,largest number of,greatest number of,biggest number of,most number of,maximum number of",
  min: "fewest,least,lowest number of,smallest number of,fewest number of,least number of,minimum number of",
};

const SUPERLATIVES: ReadonlyMap<string, Superlative> = new Map<string, Superlative>([
  ...pairsIn(EXTREMES).flatMap(({ dim, more, less }): [string, Superlative][] => [
    ...more.map((word): [string, Superlative] => [word, { dir: "max", dim }]),
    ...less.map((word): [string, Superlative] => [word, { dir: "min", dim }]),
  ]),
  ...(["max", "min"] as const).flatMap((dir) =>
    COUNTED[dir].split(",").map((word): [string, Superlative] => [word, { dir, dim: null, isCount: true }]),
  ),
  ["fastest", { dir: "max", dim: null, or: { dir: "max", dim: "fast" } }],
  ["slowest", { dir: "max", dim: "long", or: { dir: "min", dim: "fast" } }],
  ["busiest", { dir: "max", dim: null, or: { dir: "max", dim: "common" } }],
]);

/** Words that judge without saying by which number. */
const EVALUATIVE: ReadonlySet<string> = new Set(
  "best worst good bad better worse volume performance perform doing numbers figures results kpi kpis metrics stats statistics successful important popular strong weak well badly poorly busy busiest busier loyal valuable favourite favorite productive efficient healthy healthiest attractive".split(
    " ",
  ),
);

/** Words before a number: how it is compared. */
const COMPARED = {
  ">": "more than,greater than,higher than,over,above,exceeding,exceeds,exceeded,exceed,better than,larger than,bigger than,longer than,more expensive than,pricier than,heavier than,faster than,older than,hotter than,warmer than,deeper than,wider than,taller than,worth more than,worth over",
  ">=": "at least,no less than,not less than,a minimum of",
  "<": "less than,fewer than,lower than,under,below,worse than,shorter than,smaller than,cheaper than,lighter than,slower than,younger than,colder than",
  "<=": "at most,up to,no more than,not more than,within,a maximum of",
};

/** Also "above the average", "above that of the average". */
const QUANTITIES: Language["quantities"] = new Map([
  ...(Object.keys(COMPARED) as (keyof typeof COMPARED)[]).flatMap((op) =>
    COMPARED[op]
      .split(",")
      .flatMap((said) =>
        ["", " the", " an", " our", " that of the"].map((article) => [`${said}${article}`, op] as const),
      ),
  ),
  ...["exactly", "precisely", "just", "only"].map((word) => [word, "="] as const),
]);

const NUMBERS: ReadonlyMap<string, number> = new Map(
  "one two three four five six seven eight nine ten eleven twelve".split(" ").map((word, i) => [word, i + 1]),
);

const ORDINALS: ReadonlyMap<string, number> = new Map(
  "second third fourth fifth sixth seventh eighth ninth tenth"
    .split(" ")
    .flatMap((word, i) => [[word, i + 1] as const, [`${i + 2}${["nd", "rd"][i] ?? "th"}`, i + 1] as const]),
);

/** Nouns of a dimension: the size of something is how big it is. */
const MEASURES: ReadonlyMap<string, string> = dimensionOf({
  big: "size",
  high: "height elevation altitud",
  long: "length",
});

/** Adjectives after `how`, and the dimension that they ask for. */
export const HOW: ReadonlyMap<string, string> = dimensionOf({
  big: "big larg small",
  high: "high tall",
  long: "long short",
  dense: "dens",
  age: "old",
  price: "expensiv",
  hot: "hot warm cold",
  heavy: "heavy",
  fast: "fast",
  deep: "deep",
  wide: "wide",
  far: "far",
  windy: "windy",
  powerful: "powerful",
});

function dimensionOf(words: Readonly<Record<string, string>>): Map<string, string> {
  return new Map(Object.entries(words).flatMap(([dim, all]) => all.split(" ").map((word) => [word, dim])));
}

/** Words by which a field shows that it measures a dimension, the best first. */
export const DIMENSIONS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    big: "big larg size area population magnitud capacity total amount betrag bruttobetrag umsatz",
    high: "high tall height elevation altitud hohe",
    long: "long length duration runtim distanc lang dauer streck",
    dense: "dens density",
    people: "population inhabitant resident",
    date: "date day start",
    price: "pric price cost amount total fare bill budget rent preis kosten betrag",
    heavy: "weight mass gewicht",
    fast: "speed velocity geschwindigkeit",
    hot: "temperatur temperature temp celsius fahrenheit",
    deep: "depth tief",
    wide: "width breit",
    far: "distanc entfernung",
    wet: "precipitation rainfall rain niederschlag",
    windy: "wind",
    powerful: "horsepower power leistung ps kw",
    age: "age alter",
  }).map(([dim, words]) => [dim, words.split(" ")]),
);

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export const ENGLISH: Language = {
  fillers: new Set([...FILLERS, ...DEEDS, ...BESIDE.keys()]),
  deeds: DEEDS,
  beside: BESIDE,
  grammar: GRAMMAR,
  superlatives: SUPERLATIVES,
  evaluative: EVALUATIVE,
  vague:
    /^\s*(?:so |and )*how(?:['’]s| is| are| was| were| did| do| does| have| has)\b.*\b(?:doing|do|going|been|looking?|running|business|things|faring)\b/i,
  quantities: QUANTITIES,
  ranges: new Set(["between", "from"]),
  rangeAnd: new Set(["and", "to"]),
  numbers: NUMBERS,
  times: new Map([
    ["once", 1],
    ["twice", 2],
    ["thrice", 3],
  ]),
  timesWords: new Set(["times"]),
  ordinals: ORDINALS,
  all: new Set(["all"]),
  averages: new Set(["average", "avg", "mean"]),
  quantitiesAfter: new Map([
    ...["or more", "or above", "or higher", "or over", "and above", "and more", "or later"].map(
      (word) => [word, ">="] as const,
    ),
    ...["or less", "or fewer", "or below", "or lower", "or under"].map((word) => [word, "<="] as const),
  ]),
  daysOfWeek: new Map<string, string[]>([
    ...DAYS.map((day): [string, string[]] => [`${day.toLowerCase()}s`, [day]]),
    ["weekend", ["Saturday", "Sunday"]],
    ["weekends", ["Saturday", "Sunday"]],
    ["working days", DAYS.slice(0, 5)],
    ["monday to friday", DAYS.slice(0, 5)],
  ]),
  dateParts: new Map([
    ...["weekday", "weekdays", "day of the week", "days of the week", "day of week"].map(
      (word) => [word, "weekday"] as const,
    ),
    ...["hour", "hours", "hour of the day", "hours of the day", "hour of day", "time of day"].map(
      (word) => [word, "hour"] as const,
    ),
    ...["month of the year", "months of the year", "calendar month"].map((word) => [word, "month"] as const),
  ]),
  comparatives: COMPARATIVES,
  measures: MEASURES,
  how: HOW,
  than: "than",
  asks: "how",
  dateWords:
    "month monthly months quarter quarterly quarters daily weekly weeks yearly years annual annually january february march april june july august september october november december average number highest lowest between without percentage compared growth share".split(
      " ",
    ),
  listOpener:
    /^\s*(?:(?:please|hi|hello|hey|team|can|could|would|you|i|we|tell|me|us|like|want|need|to|know|quick|question)\b[\s,:!]*)*(which|list|show|name|who|give)\b/i,
  grains: new Map(
    (["day", "week", "month", "quarter", "year"] as const).flatMap((grain) => [
      [grain, grain] as const,
      [`${grain}s`, grain] as const,
    ]),
  ),
  people: new Set(["who"]),
  auxiliaries: new Set("is are was were be been has have had do does did we you they i our the a".split(" ")),
  inUnits: new Set(["in"]),
  scales: new Map([
    ["thousand", 1e3],
    ["million", 1e6],
    ["mn", 1e6],
    ["billion", 1e9],
    ["bn", 1e9],
  ]),
  gloss: ENGLISH_GLOSSARY,
  prepare: phrase,
  fold,
  stem,
  isMany: (norm) => /[^s]s$/.test(norm),
  digits: (text) => Number(text.replaceAll(",", "")),
};
