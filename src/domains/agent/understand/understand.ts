import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Num, Window } from "../query/semantic-query.ts";
import { askOf } from "./ask-of.ts";
import { authorsFirst, candidates, type Found, outsidePeriods, range } from "./candidates.ts";
import { parse } from "./chart.ts";
import { COMPARISON_RULES } from "./comparison-rules.ts";
import { dateCandidates, datesIn, withDateWords } from "./date-candidates.ts";
import { ENTITY_RULES } from "./entity-rules.ts";
import { FIELD_RULES } from "./field-rules.ts";
import { type Fragment, type Leaf, leavesOf } from "./fragment.ts";
import { Grammar } from "./grammar.ts";
import { choosesGroups, GROUP_RULES, groupsOf } from "./group-rules.ts";
import { HAVING_RULES } from "./having-rules.ts";
import type { Language } from "./language.ts";
import { languagesOf } from "./languages.ts";
import {
  isOfNew,
  judgedText,
  judges,
  NEW,
  namesNoNumber,
  openPeriod,
  SINCE_WHEN,
  someMetrics,
  WHICH_NUMBER,
} from "./left-open.ts";
import { type Lexicon, lexiconOf } from "./lexicon.ts";
import { missingWords, rowsMeant } from "./missing-words.ts";
import { numberCandidates } from "./number-candidates.ts";
import { throughOwnPlaces } from "./own-places.ts";
import type { Reading, Understanding } from "./reading.ts";
import { SUPERLATIVE_RULES } from "./superlative-rules.ts";
import { TABLE_RULES } from "./table-rules.ts";
import { unaskedParts } from "./unasked.ts";
import { UNIT_RULES } from "./unit-rules.ts";
import { unsaidWords } from "./unsaid.ts";
import { VERB_RULES } from "./verb-rules.ts";
import { type Word, wordsOf } from "./words.ts";

/** What is made of a model once, however many questions there are. */
const prepared = new WeakMap<Knowledge, { lexicons: Map<Language, Lexicon>; grammar: Grammar }>();

function prepare(knowledge: Knowledge, language: Language): { lexicon: Lexicon; grammar: Grammar } {
  const known = prepared.get(knowledge) ?? {
    lexicons: new Map(),
    grammar: new Grammar(
      knowledge,
      [
        ENTITY_RULES,
        FIELD_RULES,
        TABLE_RULES,
        SUPERLATIVE_RULES,
        HAVING_RULES,
        COMPARISON_RULES,
        GROUP_RULES,
        UNIT_RULES,
        VERB_RULES,
      ],
      groupsOf,
    ),
  };
  prepared.set(knowledge, known);
  const lexicon = known.lexicons.get(language) ?? lexiconOf(knowledge, language);
  known.lexicons.set(language, lexicon);
  return { lexicon, grammar: known.grammar };
}

export interface Question {
  text: string;
  now: string;
  timeZone: string;
}

/** Reads a question by rules alone, within bounds; pure. */
export function understand(question: Question, knowledge: Knowledge): Understanding {
  const statement = STATEMENT.exec(question.text);
  if (statement !== null) {
    const span = { start: statement.index, end: statement.index + statement[0].length };
    return { readings: [], missing: [{ span, text: statement[0], nearest: [] }], unclear: [], trace: [] };
  }
  const isTwo = /[?]\s+\S/.test(question.text);
  const whole = isTwo ? NOTHING : understandText(question, knowledge);
  if (whole.readings.length > 0 && whole.missing.length === 0) return whole;
  // What stands before a question often only says why it is asked.
  const [, head = "", sign, tail] = /^(.*?)([.!?:;])\s+(\S[^.!?:;]*[.!?]?)$/s.exec(question.text) ?? [];
  if (tail === undefined || (sign === ":" ? saysMore(question, tail, knowledge) : !ASKS.test(tail)))
    return whole;
  // What stands behind a whole question says more of it.
  if (isUnderstood(understandText({ ...question, text: head }, knowledge))) return whole;
  const last = understandText({ ...question, text: tail }, knowledge);
  return isUnderstood(last) ? last : whole;
}

/** How a sentence begins that is the question itself, and no remark on it. */
const ASKS =
  /^(?:(?:so|and|please|now|in|of|by|for|at|on|to|from|with|can|could|you|i|we|tell|me|want|need|know|auf|von|bei|seit|bitte|in)\b[\s,]*)*(?:how|what|which|who|whose|when|where|show|list|give|name|find|did|do|does|is|are|was|were|has|have|the|our|wie|was|welche[rnms]?|wer|wann|wo|zeige?|nenne)\b/i;

/** SQL is no question, whatever its words mean in one. */
const STATEMENT =
  /\b(?:drop|alter|create|truncate)\s+(?:table|database|schema|view)\b|\b(?:delete\s+from|insert\s+into|union\s+select)\b/i;

/** Names before a number belong to it: "Rock vs Metal: units sold". */
function saysMore(question: Question, tail: string, knowledge: Knowledge): boolean {
  const head = question.text.slice(0, -tail.length);
  const dates = datesIn({ ...question, text: head }, knowledge);
  const isPeriod = dates.some(({ start, end }) => !/\p{L}/u.test(head.slice(0, start) + head.slice(end)));
  if (isPeriod) return true;
  return languagesOf(question.text).some((language) => {
    const { lexicon } = prepare(knowledge, language);
    const words = wordsOf(head, language);
    const isValue = ({ sense, cost }: Found) =>
      (sense.t === "cond" || (sense.t === "rel" && sense.form === "name")) && cost < 1;
    return candidates(words, lexicon, language).some(isValue);
  });
}

/** Two questions at once are not read as one. */
const NOTHING: Understanding = { readings: [], missing: [], unclear: [], trace: [] };

const TOO_LONG = {
  question: "The question is too long to be read at once. Can it be asked in one short sentence?",
  suggestions: [],
};

/** In the language that its words of grammar are of; names alone are tried in each. */
function understandText(question: Question, knowledge: Knowledge): Understanding {
  const [first, ...others] = languagesOf(question.text).map(
    (language) => () => understandIn(language, question, knowledge),
  );
  const read = (first as () => Understanding)();
  if (isUnderstood(read)) return read;
  return others.map((other) => other()).find(isUnderstood) ?? read;
}

function isUnderstood({ readings, missing }: Understanding): boolean {
  return readings.length > 0 && missing.length === 0;
}

function understandIn(language: Language, question: Question, knowledge: Knowledge): Understanding {
  const { lexicon, grammar } = prepare(knowledge, language);
  const spelt = withDateWords(question.text, lexicon, language);
  const text = language.prepare(spelt, lexicon, (said) => datesIn({ ...question, text: said }, knowledge));
  const all = wordsOf(text, language);
  const found = authorsFirst(
    outsidePeriods([
      ...candidates(all, lexicon, language),
      ...dateCandidates({ ...question, text }, all, knowledge),
      ...numberCandidates(all, language),
    ]),
  );
  const kept = keepWords(all, found, language);
  const place = new Map(kept.map((index, i) => [index, i]));
  const fragments = found.flatMap((each) => moved(each, place, kept));
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  const hasGroups = found.some(({ sense }) => choosesGroups(sense));
  const costs = all.map((word, i) =>
    isThing(all, i) && !known.has(i) ? UNKNOWN_COST : skipCost(word, known.has(i), lexicon, language),
  );
  const parsed = parse({
    words: kept.length,
    fragments,
    rulesFor: (left, right) => grammar.rulesFor(left, right),
    convert: (sense) => grammar.convert(sense, hasGroups),
    skipCost: (word) => costs[kept[word] as number] as number,
  });
  if (parsed === undefined) return { readings: [], missing: [], unclear: [TOO_LONG], trace: [] };
  const asksWho = language.people.has(all[0]?.norm ?? "");
  const isLeft = (i: number) => (costs[i] as number) >= LEFT_COST;
  const isTold = (i: number) => {
    const { norm = "" } = all[i] ?? {};
    const isEmpty = language.fillers.has(norm) && !isThing(all, i);
    return (!isEmpty || language.grammar.has(norm)) && !language.people.has(norm);
  };
  const asks = parsed.flatMap((fragment) => {
    const asked = askOf(grammar, fragment.sense);
    if (asked === undefined) return [];
    const leaves = leavesOf(fragment);
    return [{ fragment, leaves, asked: { ...asked, ask: throughOwnPlaces(asked.ask, leaves, knowledge) } }];
  });
  const readings = asks.slice(0, CHECKED).map(({ fragment, leaves, asked }) => {
    const unsaid = [...unsaidWords(all, { found, leaves }, asked.ask, { knowledge, grammar })].filter(isTold);
    const odd =
      spanCost(asked.ask) +
      listCost(language.listOpener.test(question.text), asked.ask) +
      (asksWho && asked.ask.k === "table" && asked.ask.by.length === 0 ? NOBODY_COST : 0) +
      unaskedParts(leaves, asked.ask, { grammar }) * UNASKED_COST;
    const left = fragment.skipped.map((i) => kept[i] as number).filter(isLeft);
    const dropped = unsaid.filter((i) => !left.includes(i));
    const cost = fragment.cost + asked.cost + odd + dropped.length * LEFT_COST;
    const loose = cost - leaves.reduce((sum, leaf) => sum + Math.min(Math.max(leaf.cost, 0), PLAIN_COST), 0);
    return { ...asked, leaves, cost, loose, left: [...left, ...dropped].toSorted((a, b) => a - b) };
  });
  readings.sort((a, b) => a.cost - b.cost);
  const [best] = readings;
  if (best !== undefined && best.left.length === 0 && best.loose > MOST_LOOSE)
    return { readings: [], missing: [], unclear: [], trace: [] };
  // Whatever carries meaning and was left over makes an answer to another question.
  const skipped = best === undefined ? kept.filter(isLeft) : best.left;
  const judged = skipped.filter((i) => judges(all[i] as Word, i, found, language));
  const isNumberless =
    judged.length === 0 &&
    skipped.every((i) => known.has(i)) &&
    !found.some(({ sense, start }) => sense.t === "op" && sense.op === "how" && skipped.includes(start)) &&
    knowledge.model.metrics.length > 0 &&
    namesNoNumber(found, best?.ask);
  const fresh = skipped.filter((i) => NEW.test(all[i]?.norm ?? "") && isOfNew(i, found, best?.ask, grammar));
  const isDated = found.some(({ sense }) => sense.t === "window");
  const unsaid = (isNumberless ? [] : skipped).filter(
    (i) => !judged.includes(i) && !fresh.includes(i) && (judged.length === 0 || !known.has(i)),
  );
  // Words of grammar are named only where nothing else is missing.
  const named = unsaid.filter((i) => !isGrammar(all[i] as Word, language));
  const isNamed = found.some(({ sense }) => sense.t === "rel" && sense.form === "noun");
  const rows = isNamed
    ? undefined
    : rowsMeant(
        all,
        unsaid.filter((i) => !known.has(i)),
        knowledge,
      );
  if (rows !== undefined) {
    const asked = { ...question, text: text.replace(rows.word, rows.suggestions[0] as string) };
    const { readings: some, missing: none } = understandIn(language, asked, knowledge);
    if (some.length > 0 && none.length === 0)
      return { readings: [], missing: [], unclear: [rows], trace: [] };
  }
  const missing = missingWords(all, named.length > 0 ? named : unsaid, { known, said: question.text });
  return {
    // Nor may one that leaves out more take the place of the best, where the model cannot carry that.
    readings: readings
      .filter(({ left }) => left.every((i) => skipped.includes(i)))
      .slice(0, 10)
      .map(
        ({ ask, cost }): Reading => ({
          ask: finished(ask, question, knowledge),
          cost,
          assumptions: [],
          said: "",
        }),
      ),
    missing,
    unclear: [
      ...[...new Set(judged.map((i) => judgedText(text, all, i, found)))].map((word) => ({
        question: `By which number is "${word}" meant?`,
        suggestions: someMetrics(knowledge),
        word,
      })),
      ...(fresh.length > 0 && !isDated ? [SINCE_WHEN] : []),
      ...(best !== undefined && missing.length === 0
        ? [openPeriod(all, best, knowledge, grammar)].filter((each) => each !== undefined)
        : []),
      ...(isNumberless ? [{ question: WHICH_NUMBER, suggestions: someMetrics(knowledge) }] : []),
    ],
    trace: [{ stage: "words", found: kept.map((i) => all[i]?.text ?? "") }],
  };
}

/** "Which orders" wants the orders, "orders last week" their number. */
function listCost(wantsList: boolean, ask: Ask): number {
  if (ask.k === "table") return wantsList && ask.by.length === 0 ? 0.8 : 0;
  const [key] = ask.show;
  const isNumbered = ask.show.length === 1 && key !== undefined && /(^|_)id$/.test(key.field);
  return isNumbered && !wantsList ? 1.3 : 0;
}

/** Growth over the year before is that of one year, or of each. */
function spanCost(ask: Ask): number {
  if (ask.k === "list" || ask.by.some(({ bucket }) => bucket !== undefined)) return 0;
  const { win } = ask.scope ?? {};
  const lags = ask.cols.flatMap((num) =>
    num.k === "calc" && num.op === "growth" && num.b.k === "lag" ? [num.b.grain] : [],
  );
  if (lags.length === 0 || !win?.from || !win.to) return 0;
  const days = (Date.parse(win.to) - Date.parse(win.from)) / 86_400_000;
  return lags.some((grain) => days > DAYS[grain]) ? 1.5 : 0;
}

const DAYS = { day: 1, week: 7, month: 31, quarter: 92, year: 366 } as const;

/** What the question leaves to the author's conventions. */
function finished(ask: Ask, { now }: Question, { definitions }: Knowledge): Ask {
  if (ask.k !== "table") return ask;
  const months = Math.max(
    0,
    ...ask.cols.map((num) =>
      num.k === "metric" && num.scope?.win === undefined ? (definitions.defaultMonths.get(num.name) ?? 0) : 0,
    ),
  );
  const { win } = ask.scope ?? {};
  if (win !== undefined) return withinWindow(ask, win);
  // "sold more than 400 units last year at a margin below 36 %": in the same period.
  const [only, ...others] = metricWindows(ask);
  if (ask.having !== undefined && only !== undefined && others.length === 0)
    return { ...ask, scope: { ...ask.scope, win: only } };
  if (months === 0 || ask.by.some(({ bucket }) => bucket !== undefined)) return ask;
  const to = new Date(`${now.slice(0, 10)}T00:00:00Z`);
  to.setUTCDate(to.getUTCDate() + 1);
  const from = new Date(to);
  from.setUTCMonth(from.getUTCMonth() - months);
  const recent = { from: isoDate(from), to: isoDate(to), said: `the ${months} months up to today` };
  return { ...ask, scope: { ...ask.scope, win: recent } };
}

/** The different periods that metrics are of. */
function metricWindows(node: unknown): Window[] {
  if (typeof node !== "object" || node === null) return [];
  const { k, scope } = node as { k?: string; scope?: { win?: Window } };
  const own = k === "metric" && scope?.win !== undefined ? [scope.win] : [];
  const all = [...own, ...Object.values(node).flatMap(metricWindows)];
  return [...new Map(all.map((win) => [JSON.stringify(win), win])).values()];
}

/** The top customers of a question about 2025 are those of 2025. */
function withinWindow<T>(node: T, win: Window): T {
  if (Array.isArray(node)) return node.map((each) => withinWindow(each, win)) as T;
  if (typeof node !== "object" || node === null) return node;
  const changed = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withinWindow(value, win)]),
  ) as T & { k?: string; by?: Num };
  if (changed.k === "top" && changed.by?.k === "metric" && changed.by.scope === undefined)
    return { ...changed, by: { ...changed.by, scope: { win } } };
  return changed;
}

function isoDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Words that say nothing are left out, unless something is made of them together with others. */
function keepWords(words: readonly Word[], found: readonly Found[], { fillers }: Language): number[] {
  const used = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((word, i) => {
    const isFiller = fillers.has(word.norm) && !isThing(words, i);
    return isFiller && !used.has(i) ? [] : [i];
  });
}

/** "based on a book", "made as a game": what a thing is about is no empty word, whatever it is elsewhere. */
function isThing(words: readonly Word[], i: number): boolean {
  const [before, article] = [words[i - 2]?.norm ?? "", words[i - 1]?.norm ?? ""];
  if (!/^(an?|eine[mnrs]?|ein)$/.test(article) || /^[^\p{L}]/u.test(words[i]?.norm ?? "")) return false;
  if (/^(on|about|from|into|auf|über|aus)$/.test(before)) return true;
  return /^(as|als)$/.test(before) && !SHOWN_AS.test(words[i]?.norm ?? "");
}

/** How an answer is wanted. */
const SHOWN_AS =
  /^(list|table|chart|pie|bar|line|graph|plot|picture|report|summary|overview|breakdown|ranking|whole|percent|percentage|share|fraction|ratio|number|liste|tabelle|bericht)$/;

function moved(found: Found, place: ReadonlyMap<number, number>, kept: readonly number[]): Fragment[] {
  const start = place.get(found.start);
  const last = place.get(found.end - 1);
  if (start === undefined || last === undefined || kept.length === 0) return [];
  const leaf: Leaf = { sense: found.sense, start: found.start, end: found.end, cost: found.cost };
  return [{ sense: found.sense, start, end: last + 1, cost: found.cost, skipped: [], leaf }];
}

function isGrammar({ norm, stem }: Word, { grammar }: Language): boolean {
  return grammar.has(norm) || grammar.has(stem);
}

/** Words of grammar that may be left over. */
const LIGHT: ReadonlySet<string> = new Set([
  "prep",
  "has",
  "and",
  "or",
  "but",
  "compare them",
  "how much",
  "where",
  "named",
]);

/** Readings that are held against the question; those behind them cost more by far. */
const CHECKED = 16;

/** What costs more beside its words was put together too loosely to be believed: half of it is wrong. */
const MOST_LOOSE = 2.1;
/** What a value of the data costs as a word. */
const PLAIN_COST = 0.5;

/** A part of a query that nobody asked for. */
const UNASKED_COST = 0.8;

/** A number without anybody is no answer to "who". */
const NOBODY_COST = 2;

/** From this on, a word that is left out is missed. */
const LEFT_COST = 3;

/** And this much where nothing in the model is called so. */
const UNKNOWN_COST = 6;

/** A word that mostly says nothing, but also stands for something in this model. */
const FILLER_COST = 1;

/** Words that mostly say nothing still name something where a metric or a dataset is called so: "wins". */
function isNamed({ norm, stem }: Word, { phrases }: Lexicon, { grammar }: Language): boolean {
  return (
    !grammar.has(norm) &&
    (phrases.get(stem) ?? []).some(
      ({ sense, cost }) => cost <= NAMED_COST && (sense.t === "table" || sense.t === "rel"),
    )
  );
}

/** The most that a name given by the author costs. */
const NAMED_COST = 0.1;

function skipCost(word: Word, isKnown: boolean, lexicon: Lexicon, language: Language): number {
  const { norm, stem } = word;
  const { fillers, grammar } = language;
  if (language.people.has(norm)) return 0;
  if (fillers.has(norm) && !isNamed(word, lexicon, language))
    return isKnown && !grammar.has(norm) ? FILLER_COST : 0;
  const said = grammar.get(norm) ?? grammar.get(stem);
  if (said !== undefined) return LIGHT.has(said.op) ? 0.5 : 3;
  return isKnown ? LEFT_COST : UNKNOWN_COST;
}
