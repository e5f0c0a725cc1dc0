import { type Found, isOver } from "../candidates/candidates.ts";
import type { Said } from "../candidates/said.ts";
import type { Language } from "../languages/language.ts";
import type { Word } from "../languages/words.ts";
import { isMoney } from "../model/model-words.ts";
import type { Clarification, Understanding } from "../reading.ts";

/** Words of a question that are a part of names, and sets of names that they may stand for. */
export interface NamePart {
  start: number;
  end: number;
  names: { names: readonly string[] }[];
  /** A number is called so, whatever else the question says: only whoever asks knows which. */
  isNoun?: true;
}

/** Names that are suggested. */
const SUGGESTED = 5;
/** Whoever is meant is looked for among names that are about as likely. */
const MARGIN = 0.2;

/** "rep Köhler", "the dome tent": words that nothing is called, but that are in names. */
export function partOfName(unknown: readonly number[], said: Said): NamePart | undefined {
  const { all: words, found, lexicon, language } = said;
  const isWord = (i: number) => {
    const { norm } = words[i] ?? { norm: "" };
    return /^[\p{L}\p{N}]/u.test(norm) && !language.fillers.has(norm) && !language.grammar.has(norm);
  };
  const namesOf = (start: number, end: number) => lexicon.namesWith(words.slice(start, end));
  const first = unknown.find((i) => namesOf(i, i + 1).length > 0);
  if (first === undefined) return undefined;
  let [start, end] = [first, first + 1];
  while (isWord(start - 1) && namesOf(start - 1, end).length > 0) start -= 1;
  while (isWord(end) && namesOf(start, end + 1).length > 0) end += 1;
  // "Eva Dubois" is neither another Eva nor another Dubois.
  if (unknown.includes(start - 1) || unknown.includes(end)) return undefined;
  const names = namesOf(start, end).filter(({ ds }) => {
    const nouns = found.flatMap((each) => {
      const { sense } = each;
      const isBeside = each.end === start || each.start === end;
      return isBeside && sense.t === "rel" && sense.form === "noun" && sense.isMany !== true
        ? [sense.ds]
        : [];
    });
    // "rep Zimmermann" is no customer.
    const isOther = nouns.some((noun) => noun !== ds && lexicon.named.has(noun)) && !nouns.includes(ds);
    return !isOther && (nouns.includes(ds) || isLikeName([start, end], ds, said));
  });
  return names.length === 0 ? undefined : { start, end, names };
}

/** Whether words without a noun beside them are rather a name than what the model has none of. */
function isLikeName([start, end]: [number, number], ds: string, { all, lexicon, language }: Said): boolean {
  if (end - start > 1) return true;
  const word = all[start] as Word;
  // "an Oscar" is one of several, and nobody's name.
  if (/^(an?|eine?[nmrs]?)$/.test(all[start - 1]?.norm ?? "")) return false;
  const isCapital = start > 0 && language.isForeign !== true && /^\p{Lu}/u.test(word.text);
  return isCapital || (word.norm.length > 2 && lexicon.isOfPeople(ds, word));
}

/** "how much": where one sum of money is all that can be meant, it is. */
export function onlySum({ found, knowledge: { model } }: Said): NamePart | undefined {
  const much = found.find(({ sense }) => sense.t === "op" && sense.op === "how much");
  const [only, ...others] = model.metrics.filter(
    (metric) => isMoney(metric) && /^\s*sum\s*\(/i.test(metric.sql),
  );
  if (much === undefined || only === undefined || others.length > 0) return undefined;
  return { start: much.start, end: much.end, names: [{ names: [only.name.replaceAll("_", " ")] }] };
}

/** "the rate", where there are several: a noun that is the last word of what numbers are called, and no name by itself. */
export function sharedNoun({ all: words, found, lexicon, language }: Said): NamePart | undefined {
  const headsOf = (stem: string) =>
    lexicon.heads.get(stem) ??
    language.gloss.get(stem)?.flatMap(({ stems }) => lexicon.heads.get(stems) ?? []) ??
    [];
  const start = words.findIndex(({ norm, stem }, i) => {
    if (headsOf(stem).length === 0 || norm.endsWith("ing")) return false;
    const over = found.filter((each) => isOver(each, i));
    // "number of customers": of whom is said behind it.
    const isCounting = (end: number) => found.some((each) => each.start === end && each.sense.t === "rel");
    const isNamed = over.some(({ sense, cost, end }) =>
      sense.t === "op"
        ? sense.op === "time to" || (sense.op === "count" && isCounting(end))
        : cost <= NAMED_COST,
    );
    // "the highest list price …, with the price"
    const isSaid = found.some((each) => each.end - each.start > 1 && words[each.end - 1]?.stem === stem);
    // "delivery time" is no other time.
    const before = found.filter((each) => each.end === i);
    const isOfOther =
      before.some(({ sense }) => !PLAIN.has(sense.t)) || !isPlain(words[i - 1], before, language);
    return !isNamed && !isSaid && !isOfOther;
  });
  if (start === -1) return undefined;
  const names = headsOf(words[start]?.stem ?? "").map((name) => ({ names: [name] }));
  return { start, end: start + 1, names, isNoun: true };
}

/** The most that a name given by the author costs. */
const NAMED_COST = 0.4;
/** What may stand before a noun and says nothing of what it is. */
const PLAIN: ReadonlySet<string> = new Set(["op", "sup", "number", "window", "quantity", "grain"]);

function isPlain(word: Word | undefined, found: readonly Found[], { fillers, grammar }: Language): boolean {
  return word === undefined || found.length > 0 || fillers.has(word.norm) || grammar.has(word.norm);
}

/** What is meant, where only one can be; or else what to ask. Undefined, where the question makes no sense with any. */
export function withName(
  { start, end, names, isNoun }: NamePart,
  { text, all: words }: Said,
  read: (text: string) => Understanding,
): Understanding | undefined {
  const [from, to] = [words[start]?.start ?? 0, words[end - 1]?.end ?? 0];
  const put = (name: string) => text.slice(0, from) + name + text.slice(to);
  const tried = names
    .map((each) => ({ ...each, understood: read(put(each.names[0] as string)) }))
    .filter(
      ({ understood: { readings, missing, unclear } }) =>
        missing.length === 0 && (readings.length > 0 || unclear.length > 0),
    );
  const costOf = ({ understood }: (typeof tried)[number]) => understood.readings[0]?.cost ?? 0;
  const most = isNoun === true ? Infinity : Math.min(...tried.map(costOf)) + MARGIN;
  const likely = tried.filter((each) => costOf(each) <= most);
  const all = [...new Set(likely.flatMap((each) => each.names))];
  const [only, ...others] = all;
  if (only === undefined) return undefined;
  const word = text.slice(from, to);
  if (others.length === 0 && isNoun !== true)
    return taken((likely[0] as (typeof tried)[number]).understood, `"${word}" is ${only}`);
  const question =
    all.length > SUGGESTED
      ? `Which "${word}" do you mean? There are ${all.length}, such as these.`
      : `Which "${word}" do you mean?`;
  const asked: Clarification = { question, suggestions: all.slice(0, SUGGESTED), word, isName: true };
  return { readings: [], missing: [], unclear: [asked] };
}

/** The same, with a choice that is said back. */
function taken(understood: Understanding, choice: string): Understanding {
  const readings = understood.readings.map((reading) => ({
    ...reading,
    assumptions: [...reading.assumptions, { at: null, choice, others: [] }],
  }));
  return { ...understood, readings };
}
