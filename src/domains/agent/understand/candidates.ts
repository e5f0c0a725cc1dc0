import { editDistance } from "../../../kernel/nearest.ts";
import type { Key } from "../query/semantic-query.ts";
import type { Sense } from "./fragment.ts";
import { glossed } from "./glosses.ts";
import type { Language } from "./language.ts";
import type { Entry, Lexicon } from "./lexicon.ts";
import { means } from "./make.ts";
import { unitNamed } from "./units.ts";
import type { Word } from "./words.ts";

/** What some words mean by themselves. */
export interface Found {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
}

/** What stands in the words of a period says nothing by itself: "last" and "month" of "last month". */
export function outsidePeriods(found: readonly Found[]): Found[] {
  const periods = found.filter(({ sense, start, end }) => sense.t === "window" && end - start > 1);
  const isInside = ({ sense, start, end }: Found) =>
    ["sup", "grain", "number", "op", "quantity"].includes(sense.t) &&
    periods.some(
      (period) => period.start <= start && end <= period.end && end - start < period.end - period.start,
    );
  return found.filter((each) => !isInside(each));
}

/** What the author calls a year is meant before the years of a date. */
export function authorsFirst(found: readonly Found[]): Found[] {
  const named = found.filter(({ sense }) => sense.t === "field");
  return found.map((each) =>
    each.sense.t === "grain" && named.some(({ end }) => end === each.end)
      ? { ...each, cost: each.cost + 0.5 }
      : each,
  );
}

/** Everything that stretches of words can mean by themselves. */
export function candidates(words: readonly Word[], lexicon: Lexicon, language: Language): Found[] {
  const found: Found[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 1; end <= Math.min(words.length, start + lexicon.longest + GAPS); end += 1) {
      const span = words.slice(start, end);
      const stems = span.map(({ stem }) => stem).join(" ");
      const norms = span.map(({ norm }) => norm).join(" ");
      const bonus = (end - start - 1) * -0.3;
      const isMany = /[^s]s$/.test(span.at(-1)?.norm ?? "");
      const isGerund = /ing$/.test(norms) && !lexicon.spelt.has(norms);
      const entries = named(span, stems, lexicon);
      const isVerb =
        /ed$/.test(norms) && entries.some(({ sense }) => sense.t === "rel" && sense.verb !== undefined);
      for (const { sense, cost } of entries) {
        const said: Sense =
          sense.t === "rel" && sense.form === "noun" && isMany ? { ...sense, isMany } : sense;
        // "ordered" is what somebody did, and no order; "orders" are no deed.
        const isNoun = said.t === "table" || (said.t === "rel" && said.form === "noun");
        // "returning" is no return.
        if (isNoun && isGerund) continue;
        const isDone =
          said.t === "field" ? cost >= PART_OF_DATE : said.t === "rel" && said.verb !== undefined;
        // An "open" ticket is more than one that was opened.
        const isState =
          said.t === "field" && lexicon.values.has(norms) && !lexicon.spelt.has(norms) ? 0.5 : 0;
        if (isVerb ? !isNoun : !(isMany && isDone && entries.some(isNamed)))
          found.push({ sense: said, start, end, cost: cost + bonus + isState });
      }
      for (const { sense, cost } of withGaps(span, lexicon, language))
        found.push({ sense, start, end, cost });
      if (end - start === 1 && language.people.has(norms))
        for (const ds of lexicon.people) found.push({ sense: everybody(ds), start, end, cost: PEOPLE_COST });
      for (const { sense, cost } of isGerund ? [] : glossed(span, lexicon, language))
        found.push({ sense, start, end, cost: cost + bonus });
      // A word of the model is more often meant than a value that looks like it.
      const rival = lexicon.phrases.has(stems) ? 0.5 : 0;
      const own = lexicon.values.get(nameOf(span));
      for (const { sense, cost } of own === undefined
        ? several(norms, stems, lexicon)
        : [...own, ...own.flatMap((entry) => somebody(entry, lexicon))]) {
        const doubt = wordCost(words, [start, end], sense, lexicon, language);
        found.push({ sense, start, end, cost: cost + bonus + rival + doubt });
      }
      const grammar = language.grammar.get(norms) ?? language.grammar.get(stems);
      if (grammar !== undefined) found.push({ sense: { t: "op", ...grammar }, start, end, cost: bonus });
      const sup = language.superlatives.get(norms) ?? language.superlatives.get(stems);
      if (sup !== undefined) {
        found.push({
          sense: { t: "sup", dir: sup.dir, dim: sup.dim, n: null, isCount: sup.isCount ?? false },
          start,
          end,
          cost: bonus,
        });
      }
      if (language.weekdays.has(norms)) {
        const group = {
          keys: [],
          grain: null,
          part: "weekday" as const,
          rel: null,
          ds: null,
          n: null,
          mods: [],
        };
        found.push({ sense: { t: "group", group }, start, end, cost: bonus });
      }
      const days = language.daysOfWeek.get(norms);
      if (days !== undefined)
        found.push({ sense: { t: "mod", mod: { m: "weekdays", days } }, start, end, cost: bonus });
      const grain = language.grains.get(norms);
      if (grain !== undefined)
        found.push({
          sense: { t: "grain", grain, isFiscal: false },
          start,
          end,
          cost: 0.1,
        });
      const measure = language.measures.get(stems);
      if (measure !== undefined)
        found.push({ sense: { t: "op", op: "how", arg: measure }, start, end, cost: 0.3 });
      const compare =
        end - start === 2 && words[start + 1]?.norm === language.than
          ? language.comparatives.get(words[start]?.norm ?? "")
          : undefined;
      if (compare !== undefined)
        found.push({ sense: { t: "op", op: "compare", arg: compare }, start, end, cost: bonus });
      const how =
        end - start === 2 && words[start]?.norm === language.asks
          ? language.how.get(words[start + 1]?.stem ?? "")
          : undefined;
      if (how !== undefined) found.push({ sense: { t: "op", op: "how", arg: how }, start, end, cost: bonus });
    }
  }
  return [
    ...found,
    ...misspelt(words, found, lexicon, language),
    ...respelt(words, found, lexicon, language),
  ];
}

/** The words of a name without the signs between them, as values are kept: "Weber & Co." */
function nameOf(span: readonly Word[]): string {
  const isSign = (word: Word | undefined) => /^[.,&]$/.test(word?.norm ?? "");
  if (isSign(span[0]) || isSign(span.at(-1))) return "";
  return span.flatMap((word) => (isSign(word) ? [] : [word.norm])).join(" ");
}

/** What a part of a date's name costs, such as the "order" of an order date. */
const PART_OF_DATE = 0.3;

function isNamed({ sense }: Entry): boolean {
  return sense.t === "rel" && sense.form === "noun";
}

/** "Key Account Managers": values that are said of several. */
function several(norms: string, stems: string, lexicon: Lexicon): Entry[] {
  const { values, phrases, people } = lexicon;
  if (!norms.endsWith("s") || norms.length < 6) return [];
  const ones = [norms.slice(0, -1), norms.replace(/es$/, ""), norms.replace(/ies$/, "y")];
  const found = ones.map((one) => values.get(one) ?? []).find((entries) => entries.length > 0) ?? [];
  const rival = phrases.has(stems) ? 0.6 : 0.1;
  return found.flatMap(({ sense, cost }) => {
    const some: Entry[] = means(sense, cost + rival);
    // "all key account managers" are people.
    if (sense.t !== "cond" || !people.includes(sense.ds) || phrases.has(stems)) return some;
    const rel = { k: "where" as const, in: { k: "all" as const, ds: sense.ds }, if: sense.cond };
    return [
      ...some,
      { sense: { t: "rel", rel, ds: sense.ds, form: "noun", isTopped: false, isMany: true }, cost },
    ];
  });
}

/** "each key account manager": a position is somebody who has it. */
function somebody({ sense, cost }: Entry, { people }: Lexicon): Entry[] {
  const isPosition =
    sense.t === "cond" &&
    people.includes(sense.ds) &&
    sense.cond.k === "is" &&
    /title|role|position|job/i.test(sense.cond.key.field);
  if (!isPosition) return [];
  const rel = { k: "where" as const, in: { k: "all" as const, ds: sense.ds }, if: sense.cond };
  return means({ t: "rel", rel, ds: sense.ds, form: "noun", isTopped: false }, cost + 0.2);
}

/** Names of several words in which one is misspelt: "retrun rate". */
function respelt(
  words: readonly Word[],
  found: readonly Found[],
  { phrases, words: { names }, longest }: Lexicon,
  language: Language,
): Found[] {
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i): Found[] => {
    const isWord =
      /^\p{L}{5,}$/u.test(word.norm) && !language.fillers.has(word.norm) && !language.gloss.has(word.stem);
    if (known.has(i) || !isWord) return [];
    const near = [...names].filter((name) => name.length >= 4 && isMisspelt(word.stem, name));
    return near.flatMap((name) =>
      spansWith(i, words.length, longest).flatMap(([start, end]) => {
        const stems = range(start, end).map((at) => (at === i ? name : (words[at] as Word).stem));
        const entries = phrases.get(stems.join(" ")) ?? [];
        return entries.map(({ sense, cost }) => ({
          sense,
          start,
          end,
          cost: cost + 0.8 - 0.3 * (end - start - 1),
        }));
      }),
    );
  });
}

/** Stretches of several words that a word is in. */
function spansWith(at: number, words: number, longest: number): [number, number][] {
  return range(Math.max(0, at - longest + 1), at + 1).flatMap((start) =>
    range(Math.max(at + 1, start + 2), Math.min(words, start + longest) + 1).map((end): [number, number] => [
      start,
      end,
    ]),
  );
}

/** One letter more, less or different, or two that changed places. */
function isMisspelt(word: string, name: string): boolean {
  if (Math.abs(word.length - name.length) > 1) return false;
  if (editDistance(word, name) <= 1) return true;
  const i = [...word].findIndex((letter, at) => letter !== name[at]);
  return (
    word.length === name.length &&
    i !== -1 &&
    word === `${name.slice(0, i)}${name[i + 1] ?? ""}${name[i]}${name.slice(i + 2)}`
  );
}

/** Less likely than that "who" stands for the noun behind it. */
const PEOPLE_COST = 0.9;

function everybody(ds: string): Sense {
  return { t: "rel", rel: { k: "all", ds }, ds, form: "noun", isTopped: false };
}

/** Words of grammar inside of a name. */
const GAPS = 2;
/** The longest name that is looked for between words of grammar. */
const GAP_WORDS = 6;

/** "tracks were sold", "tracks did we sell": a number whose name stands apart. */
function withGaps(span: readonly Word[], lexicon: Lexicon, language: Language): Entry[] {
  const { phrases } = lexicon;
  const { auxiliaries } = language;
  if (span.length < 3 || span.length > GAP_WORDS) return [];
  const ends = [span[0], span.at(-1)].some((word) => auxiliaries.has(word?.norm ?? ""));
  const kept = span.filter(({ norm }) => !auxiliaries.has(norm));
  // What a verb means may be defined by the author, with conditions of its own.
  const isDefined = kept.some(({ stem }) =>
    (phrases.get(stem) ?? []).some(({ sense }) => sense.t === "rel" && sense.form === "made"),
  );
  if (ends || isDefined || kept.length === span.length || kept.length < 2) return [];
  const own = phrases.get(kept.map(({ stem }) => stem).join(" "));
  return (own ?? glossed(kept, lexicon, language))
    .filter(({ sense }) => sense.t === "table")
    .map(({ sense, cost }) => ({ sense, cost: cost + 0.1 - 0.3 * (kept.length - 1) }));
}

/** More than it costs to leave a word out: rather nothing is made of it. */
const PLAIN_WORD_COST = 3.5;
/** Who writes PER means no "per". */
const AS_WRITTEN_COST = -0.6;

/**
 * What speaks for or against a value that looks like a word of the language: an album may be called "Vs." and a driver
 * have the code WIN. Its case as written, or the noun beside it, would say that the value is meant.
 */
function wordCost(
  words: readonly Word[],
  [start, end]: [number, number],
  sense: Sense,
  { phrases }: Lexicon,
  language: Language,
): number {
  const word = words[start];
  const [value, key] = valueIn(sense);
  if (word === undefined || end - start !== 1 || value === undefined) return 0;
  if (value === value.toLowerCase()) return 0;
  const { norm, stem } = word;
  const isCommon =
    language.fillers.has(norm) ||
    language.evaluative.has(norm) ||
    [norm, stem].some((form) => language.grammar.has(form) || language.superlatives.has(form)) ||
    unitNamed(norm) !== undefined ||
    (sense.t === "rel" && language.gloss.has(stem));
  const isSaid = [words[start - 1], words[end]].some((beside) =>
    (phrases.get(beside?.stem ?? "") ?? []).some(
      ({ sense: noun }) =>
        (noun.t === "rel" && noun.ds === key?.ds) ||
        (noun.t === "field" && noun.key.ds === key?.ds && noun.key.field === key.field),
    ),
  );
  if (!isCommon) return 0;
  if (word.text === value) return AS_WRITTEN_COST;
  return isSaid || word.text !== word.text.toLowerCase() ? 0 : PLAIN_WORD_COST;
}

/** The value that a condition asks for, and where it stands. */
function valueIn(sense: Sense): [value?: string, key?: Key] {
  const cond =
    sense.t === "cond" ? sense.cond : sense.t === "rel" && sense.rel.k === "where" ? sense.rel.if : undefined;
  if (cond?.k !== "is") return [];
  const [value] = cond.values;
  return typeof value === "string" ? [value, cond.key] : [];
}

/** The longest name that is written in one word or in several: "sign-ups", "turn over". */
const JOINED = 3;

function named(span: readonly Word[], stems: string, { phrases, joined }: Lexicon): readonly Entry[] {
  const exact = phrases.get(stems);
  if (exact !== undefined || span.length > JOINED) return exact ?? [];
  const whole = joined.get(stems.replaceAll(/[\s-]/g, "")) ?? [];
  return whole.map(({ sense, cost }) => ({ sense, cost: cost + 0.2 }));
}

/** Shorter values are too much alike. */
const MISSPELT_VALUE = 6;

/** Words that nothing was found for, read as the nearest word of the model, or as a part of a name. */
function misspelt(
  words: readonly Word[],
  found: readonly Found[],
  lexicon: Lexicon,
  language: Language,
): Found[] {
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i): Found[] => {
    if (
      known.has(i) ||
      language.fillers.has(word.norm) ||
      language.evaluative.has(word.norm) ||
      language.gloss.has(word.stem) ||
      word.norm.length < 5 ||
      /\d/.test(word.norm)
    )
      return [];
    const at = { start: i, end: i + 1 };
    const beginning = [...lexicon.values].filter(
      ([key]) => key.startsWith(word.norm) && key.length <= word.norm.length + 2,
    );
    if (beginning.length === 1)
      return (beginning[0] as [string, Entry[]])[1].map(({ sense, cost }) => ({
        ...at,
        sense,
        cost: cost + 0.8,
      }));
    // "Bavarian"
    const places = ["n", "an", "ian", "ean", "ish", "ese", "er"]
      .filter((ending) => word.norm.endsWith(ending))
      .map((ending) => word.norm.slice(0, -ending.length));
    const people = places.flatMap((name) => (name.length < 4 ? [] : (lexicon.values.get(name) ?? [])));
    if (people.length > 0) return people.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.6 }));
    const most = word.stem.length >= 8 ? 2 : 1;
    const near = [...lexicon.phrases].filter(
      ([key]) =>
        !key.includes(" ") &&
        key.length >= (key[0] === word.norm[0] ? 4 : 5) &&
        Math.abs(key.length - word.stem.length) <= most &&
        editDistance(key, word.stem) <= most,
    );
    const values = [...lexicon.values].filter(
      ([key]) => key.length >= MISSPELT_VALUE && isMisspelt(word.norm, key),
    );
    // Hardly anybody gets the first letter wrong.
    const all = values.length === 1 ? [...near, ...values] : near;
    const begun = all.filter(([key]) => key[0] === word.norm[0]);
    if (all.length > 0)
      return (begun.length > 0 ? begun : all).flatMap(([, entries]) =>
        entries.map(({ sense, cost }) => ({ ...at, sense, cost: cost + 0.8 })),
      );
    // "the Hallbach companies", "Hallbach": those whose names have the word in them.
    const isSeveral = language.isMany(words[i + 1]?.norm ?? "");
    // "an Oscar" is one of several, and nobody's name.
    const isOneOf = /^(an?|eine?[nmrs]?)$/.test(words[i - 1]?.norm ?? "");
    if (!isSeveral && (isOneOf || !/^\p{Lu}/u.test(word.text))) return [];
    return lexicon
      .parts(word.norm, !isSeveral)
      .map(({ sense, cost }) => ({ ...at, sense, cost: cost + 1.2 }));
  });
}

export function range(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, i) => start + i);
}
