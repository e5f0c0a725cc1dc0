import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { metricsIn } from "../query/parts.ts";
import type { Ask } from "../query/semantic-query.ts";
import { type Held, heldAgainst } from "./account/hold.ts";
import { candidates, type Found } from "./candidates/candidates.ts";
import { absentIn, datesIn } from "./candidates/dates.ts";
import { type RowNoun, takenAs } from "./candidates/row-nouns.ts";
import { sensesIn, type Weighed, weigh } from "./candidates/said.ts";
import type { Language } from "./languages/language.ts";
import { languagesOf } from "./languages/languages.ts";
import {
  asks,
  isTwoQuestions,
  isWhole,
  lastSentence,
  saysWhy,
  statementIn,
  unreadSign,
  withoutCourtesy,
  withoutEcho,
} from "./languages/sentences.ts";
import { phraseKey, placesOf, type Word, wordsOf } from "./languages/words.ts";
import { atDate, bothThen, stillToCome } from "./open/left-open.ts";
import { clarificationsOf, isLoose, missingIn, type Open, openIn } from "./open/open.ts";
import { onlySum, partOfName, sharedNoun, withName } from "./open/part-of-name.ts";
import { prepared } from "./prepared.ts";
import type { Assumption, Clarification, Question, Reading, Understanding } from "./reading.ts";
import { assumedOf, finished, oneMeant } from "./readings/finish.ts";
import { queriesOf } from "./readings/queries.ts";
import { parse } from "./rules/chart.ts";
import { choosesGroups } from "./rules/group-rules.ts";
import type { Fragment, Leaf } from "./senses/fragment.ts";

/** Reads a question by rules alone, within bounds; pure. */
export function understand(asked: Question, knowledge: Knowledge): Understanding {
  const question = { ...asked, text: withoutEcho(withoutCourtesy(asked.text)) };
  const unread = statementIn(question.text) ?? unreadSign(question.text);
  if (unread !== undefined) return refused(unread);
  const absent = absentIn(question, knowledge);
  if (absent.length > 0) return { ...NOTHING, missing: absent };
  const whole = isTwoQuestions(question.text) ? NOTHING : readText(question, knowledge);
  return isUnderstood(whole) ? whole : (readLast(question, knowledge) ?? whole);
}

/** What stands before a question often only says why it is asked; what stands behind a whole one says more of it. */
function readLast(question: Question, knowledge: Knowledge): Understanding | undefined {
  const { head, sign, tail } = lastSentence(question.text) ?? {};
  if (head === undefined || tail === undefined) return undefined;
  const isApart =
    sign === "?"
      ? asks(tail) && isKnown(head, tail, question, knowledge)
      : saysWhy(head, tail) && (sign === ":" ? !saysMore(question, `${head}:`, knowledge) : asks(tail));
  if (!isApart) return undefined;
  if (!isWhole(tail) && isUnderstood(readText({ ...question, text: head }, knowledge))) return undefined;
  const last = readText({ ...question, text: tail }, knowledge);
  return isUnderstood(last) ? last : undefined;
}

/** Names and periods before a number belong to it: "Rock vs Metal: units sold". */
function saysMore(question: Question, head: string, knowledge: Knowledge): boolean {
  const dates = datesIn({ ...question, text: head }, knowledge);
  const isPeriod = dates.some(({ start, end }) => !/\p{L}/u.test(head.slice(0, start) + head.slice(end)));
  return (
    isPeriod ||
    languagesOf(question.text).some((language) => foundIn(head, language, knowledge).found.some(isName))
  );
}

/** A question before the one that is read: of words that are known, and of no names that this one leaves out. */
function isKnown(head: string, tail: string, question: Question, knowledge: Knowledge): boolean {
  return languagesOf(question.text).some((language) => {
    const { words, found } = foundIn(head, language, knowledge);
    const known = placesOf(found.filter((each) => !isName(each)));
    return words.every(
      ({ norm, text }, i) => known.has(i) || language.fillers.has(norm) || saysWhy(text, tail),
    );
  });
}

function foundIn(text: string, language: Language, knowledge: Knowledge): { words: Word[]; found: Found[] } {
  const words = wordsOf(text, language);
  return { words, found: candidates(words, prepared(knowledge, language).lexicon, language) };
}

function isName({ sense, cost }: Found): boolean {
  return (sense.t === "cond" || (sense.t === "rel" && sense.form === "name")) && cost < 1;
}

/** In the language that its words of grammar are of; names alone are tried in each. */
function readText(question: Question, knowledge: Knowledge): Understanding {
  const [first, ...others] = languagesOf(question.text);
  const read = readIn(first as Language, question, knowledge);
  if (isUnderstood(read)) return read;
  const all = [read, ...others.map((language) => readIn(language, question, knowledge))];
  // What is missing is said in the language in which the least is.
  const [least] = all
    .filter(({ readings }) => readings.length > 0)
    .toSorted((a, b) => a.missing.length - b.missing.length);
  return all.find(isUnderstood) ?? (read.unclear.length > 0 ? read : (least ?? read));
}

function isUnderstood({ readings, missing }: Understanding): boolean {
  return readings.length > 0 && missing.length === 0;
}

/** Parts of names that are put in the question, one after the other. */
const MOST_PARTS = 2;

/** Reads the question again with other words; undefined where that was done often enough. */
type Reread = ((text: string) => Understanding) | undefined;

/**
 * The stages of every reading: words and what each can mean, what they mean together, the queries that these meanings
 * are, each held against its words, and what comes of the best.
 */
function readIn(
  language: Language,
  question: Question,
  knowledge: Knowledge,
  parts = MOST_PARTS,
): Understanding {
  const reread: Reread =
    parts > 0 ? (text) => readIn(language, { ...question, text }, knowledge, parts - 1) : undefined;
  const said = weigh(sensesIn(language, question, knowledge));
  const beforehand = refusedBeforehand(said) ?? thenRead(bothThen(said), reread) ?? whichNumber(said, reread);
  if (beforehand !== undefined) return beforehand;
  const meanings = meaningsOf(said);
  if (meanings === undefined) return asking(TOO_LONG);
  const readings = heldAgainst(said, queriesOf(meanings, said));
  return decide(readings, said, reread);
}

/** Of what is still to come nothing is known, and what there was at a date is not counted. */
function refusedBeforehand(said: Weighed): Understanding | undefined {
  const unknown = stillToCome(said) ?? atDate(said);
  return unknown && { ...NOTHING, missing: [unknown] };
}

function thenRead(text: string | undefined, reread: Reread): Understanding | undefined {
  return text === undefined ? undefined : reread?.(text);
}

/** "the rate", where there are several. */
function whichNumber(said: Weighed, reread: Reread): Understanding | undefined {
  if (reread === undefined) return undefined;
  const shared = sharedNoun(said);
  return shared === undefined || shared.names.length < 2 ? undefined : withName(shared, said, reread);
}

/** What the words mean together, by the rules; undefined where there are too many. */
export function meaningsOf({ grammar, found, kept, skipCosts }: Weighed): Fragment[] | undefined {
  const place = new Map(kept.map((index, i) => [index, i]));
  const hasGroups = found.some(({ sense }) => choosesGroups(sense));
  return parse({
    words: kept.length,
    fragments: found.flatMap((each) => fragmentOf(each, place)),
    rulesFor: (left, right) => grammar.rulesFor(left, right),
    convert: (sense) => grammar.convert(sense, hasGroups),
    skipCost: (word) => skipCosts[kept[word] as number] as number,
  });
}

/** What some words mean, at their place among those that were kept. */
function fragmentOf(leaf: Leaf, place: ReadonlyMap<number, number>): Fragment[] {
  const { sense, cost } = leaf;
  const start = place.get(leaf.start);
  const last = place.get(leaf.end - 1);
  if (start === undefined || last === undefined) return [];
  return [{ sense, start, end: last + 1, cost, skipped: [], leaf }];
}

/** Whether the best reading is an answer, leaves something to be asked, or misses a word and is refused. */
function decide(readings: readonly Held[], said: Weighed, reread: Reread): Understanding {
  const [best] = readings;
  const open = openIn(best, said);
  if (isLoose(best) && !open.isNumberless) return NOTHING;
  const meant = whoIsMeant(open, said, reread) ?? howMuchIsMeant(open, said, reread);
  if (meant !== undefined) return meant;
  const missing = missingIn(open, said);
  const whole = missing.length === 0 ? best : undefined;
  if (said.rows?.isDoubtful === true && whole !== undefined) return asking(whatIsMeant(said.rows, said.all));
  return {
    readings: answers(readings, open, said),
    missing,
    unclear: clarificationsOf(open, whole, said),
  };
}

/** "rep Köhler": a part of a name is put in full, and the question read again. */
function whoIsMeant({ unsaid }: Open, said: Weighed, reread: Reread): Understanding | undefined {
  if (reread === undefined) return undefined;
  const unknown = unsaid.filter((i) => !said.known.has(i));
  const part = partOfName(unknown, said);
  return part && withName(part, said, reread);
}

function howMuchIsMeant({ isNumberless }: Open, said: Weighed, reread: Reread): Understanding | undefined {
  const sum = isNumberless ? onlySum(said) : undefined;
  return sum && reread && withName(sum, said, reread);
}

/** Readings that are tried. */
const MOST_READINGS = 10;

/** The readings in full; none that leaves out more takes the place of the best, where the model cannot carry that. */
function answers(readings: readonly Held[], { skipped }: Open, said: Weighed): Reading[] {
  const { all, question, knowledge, grammar, language, rows } = said;
  const isDateNamed = ({ sense }: Leaf) => sense.t === "field" && grammar.isDate(sense.key);
  const taken = rows === undefined ? [] : [takenFor(rows, all)];
  return readings
    .filter(({ left }) => left.every((i) => skipped.includes(i)))
    .slice(0, MOST_READINGS)
    .map(({ ask, cost, leaves }) => ({
      ask: finished(ask, question, knowledge, leaves.some(isDateNamed)),
      cost,
      assumptions: [...taken, ...takenIn(leaves, all), ...usualIn(ask, leaves, all), ...assumedOf(ask)],
      said: "",
      ...oneMeant(all, { ask, leaves }, language),
    }));
}

/** What everybody says for what only one thing of the model can be. */
function takenIn(leaves: readonly Leaf[], words: readonly Word[]): Assumption[] {
  return leaves.flatMap((leaf) => (leaf.taken === undefined ? [] : [said(leaf, words, leaf.taken)]));
}

/** What some words were taken for. */
function said({ start: first, end: last }: Leaf, words: readonly Word[], what: string): Assumption {
  const own = words.slice(first, last);
  const at = { start: own[0]?.start ?? 0, end: own.at(-1)?.end ?? 0 };
  const text = own.map((word) => word.text).join(" ");
  return { at, choice: `"${text}" is taken for ${what.replaceAll("_", " ").trim()}`, others: [] };
}

/** What words stand for that nobody has defined: rows that tell of a deed, the number that it is counted by. */
function usualIn(ask: Ask, leaves: readonly Leaf[], words: readonly Word[]): Assumption[] {
  const [num] = ask.k === "table" ? ask.cols : [];
  const isNamed = leaves.some(({ sense }) => sense.t === "table");
  return leaves.flatMap((leaf): Assumption[] => {
    const { sense } = leaf;
    const [metric] = sense.t === "op" && sense.op === "growth" && !isNamed ? metricsIn(num) : [];
    if (metric !== undefined) return [said(leaf, words, `growth of ${metric}`)];
    if (sense.t !== "rel" || sense.verb === undefined) return [];
    if (num?.k === "metric" && !isNamed) {
      const isCalled = phraseKey(num.name)
        .split(" ")
        .includes(words[leaf.start]?.stem ?? "");
      return isCalled ? [] : [said(leaf, words, num.name)];
    }
    const { isUsual } = sense.verb;
    if (isUsual === undefined) return [];
    return [{ ...said(leaf, words, sense.ds), ...(isUsual === "doubtful" && { isGuess: true as const }) }];
  });
}

function takenFor({ at, ds }: RowNoun, words: readonly Word[]): Assumption {
  const { text, start, end } = words[at] as Word;
  return { at: { start, end }, choice: takenAs(text, ds), others: [] };
}

function whatIsMeant({ at, ds }: RowNoun, words: readonly Word[]): Clarification {
  const { text: word } = words[at] as Word;
  const suggestions = [ds.replaceAll("_", " ")];
  return { question: `What is meant by "${word}"?`, suggestions, word, isName: true };
}

const NOTHING: Understanding = { readings: [], missing: [], unclear: [] };

const TOO_LONG: Clarification = {
  question: "The question is too long to be read at once. Can it be asked in one short sentence?",
  suggestions: [],
};

function asking(unclear: Clarification): Understanding {
  return { ...NOTHING, unclear: [unclear] };
}

function refused({ text, start, end }: { text: string; start: number; end: number }): Understanding {
  return { ...NOTHING, missing: [{ span: { start, end }, text, nearest: [] }] };
}
