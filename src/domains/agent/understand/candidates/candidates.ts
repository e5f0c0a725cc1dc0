import { isSameField, opposite } from "../../query/parts.ts";
import type { Key } from "../../query/semantic-query.ts";
import type { Language } from "../languages/language.ts";
import { normsOf, stemsOf, type Word, wordsOf } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import type { Entry } from "../lexicon/values.ts";
import { unitNamed } from "../model/metric-facts.ts";
import type { Sense } from "../senses/fragment.ts";
import { entities, means } from "../senses/make.ts";
import { misspelt, respelt } from "./misspelt.ts";
import { nameEntries } from "./name-entries.ts";

/** What some words mean by themselves. */
export interface Found {
  sense: Sense;
  start: number;
  end: number;
  cost: number;
  /** What the words are taken for where columns tell it and nobody says so. */
  taken?: string;
}

/** Whether a word is one of those that something was found for. */
export function isOver({ start, end }: Pick<Found, "start" | "end">, at: number): boolean {
  return start <= at && at < end;
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

/** What the author calls a year is meant before the years of a date, and "order numbers of" before "numbers of". */
export function authorsFirst(found: readonly Found[]): Found[] {
  const named = found.filter(({ sense }) => sense.t === "field");
  const isLess = ({ sense, start, end }: Found) =>
    sense.t === "grain"
      ? named.some((name) => name.end === end)
      : sense.t === "op" &&
        sense.op === "count" &&
        named.some((name) => name.start < start && start < name.end);
  return found.map((each) => (isLess(each) ? { ...each, cost: each.cost + LESS_COST } : each));
}

const LESS_COST = 0.5;

/** Some words of a question that stand together. */
export interface Stretch {
  words: readonly Word[];
  start: number;
  end: number;
  span: readonly Word[];
  stems: string;
  norms: string;
  /** What several words mean together is rather meant. */
  bonus: number;
}

/** Words of grammar inside of a name. */
const GAPS = 2;

/** Everything that stretches of words can mean by themselves. */
export function candidates(words: readonly Word[], lexicon: Lexicon, language: Language): Found[] {
  const entriesOf = (stretch: Stretch): Entry[] => [
    ...nameEntries(stretch, lexicon, language),
    ...valueEntries(stretch, lexicon, language),
  ];
  const written = stretchesOf(words, lexicon.longest + GAPS).flatMap((stretch): Found[] => {
    const { start, end } = stretch;
    const entries = [...entriesOf(stretch), ...grammarEntries(stretch, lexicon, language)];
    return entries.map((entry) => ({ ...entry, start, end }));
  });
  const found = [...written, ...opposites(words, written, entriesOf, language)];
  return [
    ...found,
    ...misspelt(words, found, lexicon, language),
    ...respelt(words, found, lexicon, language),
  ];
}

function stretchesOf(words: readonly Word[], longest: number): Stretch[] {
  return [...words.keys()].flatMap((start) =>
    Array.from({ length: Math.min(words.length - start, longest) }, (_, i) => {
      const end = start + i + 1;
      const span = words.slice(start, end);
      return { words, start, end, span, stems: stemsOf(span), norms: normsOf(span), bonus: i * -0.3 };
    }),
  );
}

/** What words mean in every model: words of grammar, of order, of time and of size. */
function grammarEntries(stretch: Stretch, { phrases }: Lexicon, language: Language): Entry[] {
  const { norms, stems, bonus } = stretch;
  const known = language.grammar.get(norms) ?? language.grammar.get(stems);
  // Where parts are sold, they are no shares.
  const isNoun = phrases.get(stems)?.some(({ sense }) => sense.t === "rel" && sense.form === "noun") === true;
  const op = known?.op === "share" && isNoun ? undefined : known;
  const sup = language.superlatives.get(norms) ?? language.superlatives.get(stems);
  const places = sup === undefined ? [] : [sup, ...(sup.or ? [sup.or] : [])];
  const measure = language.measures.get(stems);
  const senses: Sense[] = [
    ...(op === undefined ? [] : [{ t: "op" as const, ...op }]),
    ...places.map(({ dir, dim, isCount = false }) => ({ t: "sup" as const, dir, dim, n: null, isCount })),
    ...timeSenses(stretch, language),
    ...pairSenses(stretch, language),
  ];
  const grain = language.grains.get(norms);
  return [
    ...senses.map((sense) => ({ sense, cost: bonus })),
    ...(grain === undefined
      ? []
      : [{ sense: { t: "grain" as const, grain, isFiscal: false, isBare: true as const }, cost: 0.1 }]),
    ...(measure === undefined ? [] : [{ sense: { t: "op" as const, op: "how", arg: measure }, cost: 0.3 }]),
  ];
}

/** Days of the week, and parts of dates that return. */
function timeSenses({ norms }: Stretch, { dateParts, daysOfWeek }: Language): Sense[] {
  const part = dateParts.get(norms);
  const days = daysOfWeek.get(norms);
  const group = { keys: [], grain: null, rel: null, ds: null, n: null, mods: [] };
  return [
    ...(part === undefined ? [] : [{ t: "group" as const, group: { ...group, part } }]),
    ...(days === undefined ? [] : [{ t: "mod" as const, mod: { m: "weekdays" as const, days } }]),
  ];
}

/** "higher than", "how high" */
function pairSenses({ span }: Stretch, { than, comparatives, asks, how }: Language): Sense[] {
  const [first, second, ...others] = span;
  if (first === undefined || second === undefined || others.length > 0) return [];
  const compared = second.norm === than ? comparatives.get(first.norm) : undefined;
  const asked = first.norm === asks ? how.get(second.stem) : undefined;
  return [
    ...(compared === undefined ? [] : [{ t: "op" as const, op: "compare", arg: compared }]),
    ...(asked === undefined ? [] : [{ t: "op" as const, op: "how", arg: asked }]),
  ];
}

/** What words mean as values of the data. */
function valueEntries(stretch: Stretch, lexicon: Lexicon, language: Language): Entry[] {
  const { span, stems, norms, bonus } = stretch;
  // A word of the model is more often meant than a value that looks like it.
  const rival = lexicon.phrases.has(stems) ? 0.5 : 0;
  const own = lexicon.values.get(nameOf(span));
  const entries =
    own === undefined
      ? several(norms, stems, lexicon)
      : [...own, ...own.flatMap((entry) => somebody(entry, lexicon))];
  return entries.map(({ sense, cost }) => {
    const doubt = wordCost(stretch, sense, lexicon, language);
    return { sense, cost: cost + bonus + rival + doubt };
  });
}

/** The words of a name without the signs between them, as values are kept: "Weber & Co." */
function nameOf(span: readonly Word[]): string {
  const isSign = (word: Word | undefined) => /^[.,&]$/.test(word?.norm ?? "");
  if (isSign(span[0]) || isSign(span.at(-1))) return "";
  return span.flatMap((word) => (isSign(word) ? [] : [word.norm])).join(" ");
}

/** "a cargo bike" is one of the "Cargo bikes". */
export function manyOf(norms: string): string[] {
  return [`${norms}s`, `${norms}es`, ...(norms.endsWith("y") ? [`${norms.slice(0, -1)}ies`] : [])];
}

/** "Key Account Managers": values that are said of several; or of one, where the value stands for many. */
function several(norms: string, stems: string, lexicon: Lexicon): Entry[] {
  const { values, phrases, people } = lexicon;
  const isIrregular = /(?:men|children|people)$/.test(norms);
  const isMany = norms.endsWith("s") || isIrregular;
  if (!isIrregular && norms.length < (isMany ? 6 : 4)) return [];
  const ones = [
    ...(isIrregular ? [stems] : []),
    norms.slice(0, -1),
    norms.replace(/es$/, ""),
    norms.replace(/ies$/, "y"),
  ];
  const found =
    (isMany ? ones : manyOf(norms)).map((form) => values.get(form) ?? []).find(({ length }) => length > 0) ??
    [];
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
  return means(entities(rel, sense.ds, "noun"), cost + 0.2);
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
  { words, start, end }: Stretch,
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
        (noun.t === "rel" && noun.ds === key?.ds) || (noun.t === "field" && isSameField(noun.key, key)),
    ),
  );
  if (!isCommon) return 0;
  if (word.text === value) return AS_WRITTEN_COST;
  return isSaid || word.text !== word.text.toLowerCase() ? 0 : PLAIN_WORD_COST;
}

/** The value that a condition asks for, and where it stands. */
export function valueIn(sense: Sense): [value?: string, key?: Key] {
  const cond =
    sense.t === "cond" ? sense.cond : sense.t === "rel" && sense.rel.k === "where" ? sense.rel.if : undefined;
  if (cond?.k !== "is") return [];
  const [value] = cond.values;
  return typeof value === "string" ? [value, cond.key] : [];
}

/** "in" makes an opposite of few words, and begins many others. */
const PREFIX = /^(?:un|non-?|nicht-?|in(?=activ|aktiv|complet|valid|eligib))(?=\p{L}{3})/u;

/** What a word says the opposite of: the "paid" of "unpaid". */
export function oppositeOf(norm: string): string | undefined {
  const rest = norm.replace(PREFIX, "");
  return rest === norm ? undefined : rest;
}

/** "unpaid invoices", "ungelöste Tickets": words that nothing is called by, and the rest of which is known. */
function opposites(
  words: readonly Word[],
  found: readonly Found[],
  entriesOf: (stretch: Stretch) => readonly Entry[],
  language: Language,
): Found[] {
  return words.flatMap(({ norm }, start): Found[] => {
    const rest = oppositeOf(norm);
    if (rest === undefined || found.some((each) => isOver(each, start))) return [];
    const span = wordsOf(rest, language);
    const [own] = span;
    if (own === undefined) return [];
    const stretch = { words: span, start: 0, end: 1, span, stems: own.stem, norms: own.norm, bonus: 0 };
    return entriesOf(stretch).flatMap(({ sense, cost }) => {
      const other = negated(sense);
      return other === undefined ? [] : [{ sense: other, start, end: start + 1, cost }];
    });
  });
}

function negated(sense: Sense): Sense | undefined {
  if (sense.t === "cond") return { ...sense, cond: opposite(sense.cond) };
  if (sense.t !== "field" || sense.isDone !== true) return undefined;
  const { key } = sense;
  return { t: "cond", ds: key.ds, cond: { k: "null", key } };
}
