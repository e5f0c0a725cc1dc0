import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask } from "../query/semantic-query.ts";
import { unaskedParts } from "./account/unasked.ts";
import { unsaidWords } from "./account/unsaid.ts";
import { authorsFirst, candidates, type Found, outsidePeriods } from "./candidates/candidates.ts";
import { dateCandidates, datesIn, withDateWords } from "./candidates/dates.ts";
import { emptyWords } from "./candidates/empty-words.ts";
import { numberCandidates } from "./candidates/numbers.ts";
import { type RowNoun, rowNoun, takenAs } from "./candidates/row-nouns.ts";
import { LEFT_COST, skipCost } from "./candidates/skip-cost.ts";
import { inTheirForms } from "./candidates/word-forms.ts";
import type { Language } from "./languages/language.ts";
import { languagesOf } from "./languages/languages.ts";
import { range, type Word, wordsOf } from "./languages/words.ts";
import { onDeed } from "./lexicon/deeds.ts";
import { type Lexicon, lexiconOf } from "./lexicon/lexicon.ts";
import {
  isOfNew,
  judgedText,
  judges,
  NEW,
  namesNoMeasure,
  namesNoNumber,
  openPeriod,
  openWithout,
  SINCE_WHEN,
  someMetrics,
  stillToCome,
  WHICH_NUMBER,
} from "./open/left-open.ts";
import { missingWords } from "./open/missing-words.ts";
import { partOfName, sharedNoun, withName } from "./open/part-of-name.ts";
import type { Assumption, Clarification, Reading, Understanding } from "./reading.ts";
import { askOf } from "./readings/ask-of.ts";
import { assumedOf, finished } from "./readings/finish.ts";
import { namesakesOf, oneMeant } from "./readings/one-of-several.ts";
import { throughOwnPlaces } from "./readings/own-places.ts";
import { parse } from "./rules/chart.ts";
import { COMPARISON_RULES } from "./rules/comparison-rules.ts";
import { ENTITY_RULES } from "./rules/entity-rules.ts";
import { FIELD_RULES } from "./rules/field-rules.ts";
import { Grammar } from "./rules/grammar.ts";
import { choosesGroups, GROUP_RULES, groupsOf } from "./rules/group-rules.ts";
import { HAVING_RULES } from "./rules/having-rules.ts";
import { inRoles, ROLE_RULES } from "./rules/roles.ts";
import { SUPERLATIVE_RULES } from "./rules/superlative-rules.ts";
import { TABLE_RULES } from "./rules/table-rules.ts";
import { UNIT_RULES } from "./rules/unit-rules.ts";
import { VERB_RULES } from "./rules/verb-rules.ts";
import { type Fragment, type Leaf, leavesOf } from "./senses/fragment.ts";

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
        ROLE_RULES,
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
export function understand(asked: Question, knowledge: Knowledge): Understanding {
  const question = { ...asked, text: withoutCourtesy(asked.text) };
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

/** What is said out of politeness, left blank so that everything else stays in its place. */
function withoutCourtesy(text: string): string {
  return text.replace(GREETING, blank).replace(THANKS, blank);
}

const GREETING =
  /^\s*(?:(?:hi|hey|hello|hallo|moin|servus|morning|(?:good|guten) (?:morning|afternoon|evening|day|morgen|tag|abend))(?: (?:there|all|team|everyone|zusammen|ihr))?\s*[,.!:-]+\s*)+(?=\S)/i;
const THANKS =
  /(?<=\S)[\s,;.!-]*\b(?:thx|thanks(?: a lot)?|thank you|many thanks|cheers|danke(?: dir| schön| euch)?|vielen dank|lg|vg)[\s.!]*$/i;

function blank(text: string): string {
  return " ".repeat(text.length);
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
  const all = [read, ...others.map((other) => other())];
  // What is missing is said in the language in which the least is.
  const least = all
    .filter(({ readings }) => readings.length > 0)
    .toSorted((a, b) => a.missing.length - b.missing.length);
  return all.find(isUnderstood) ?? (read.unclear.length > 0 ? read : (least[0] ?? read));
}

function isUnderstood({ readings, missing }: Understanding): boolean {
  return readings.length > 0 && missing.length === 0;
}

/** The words of a question as the rules put it, and everything that each of them can mean by itself. */
export function sensesIn(language: Language, question: Question, knowledge: Knowledge) {
  const { lexicon, grammar } = prepare(knowledge, language);
  const spelt = withDateWords(question.text, lexicon, language);
  const text = language.prepare(spelt, lexicon, (said) => datesIn({ ...question, text: said }, knowledge));
  const all = wordsOf(text, language);
  const every = authorsFirst(
    outsidePeriods([
      ...candidates(all, lexicon, language),
      ...dateCandidates({ ...question, text }, all, knowledge),
      ...numberCandidates(all, language),
    ]),
  );
  const own = inTheirForms(every, all, grammar);
  const rows = rowNoun(all, own, knowledge, language);
  const isOther = ({ start, end }: Found) => rows === undefined || rows.at < start || rows.at >= end;
  const found = rows === undefined ? own : [...own.filter(isOther), asRows(rows)];
  return { text, all, found, lexicon, grammar, rows };
}

/** Parts of names that are put in the question, one after the other. */
const MOST_PARTS = 2;

function understandIn(
  language: Language,
  question: Question,
  knowledge: Knowledge,
  parts = MOST_PARTS,
): Understanding {
  const { text, all, found, lexicon, grammar, rows } = sensesIn(language, question, knowledge);
  const reread = (said: string) => understandIn(language, { ...question, text: said }, knowledge, parts - 1);
  const ahead = stillToCome(text, all, found, question.now);
  if (ahead !== undefined) return { readings: [], missing: [ahead], unclear: [], trace: [] };
  const shared = parts > 0 ? sharedNoun(all, found, { lexicon, language }) : undefined;
  const which = shared && shared.names.length > 1 ? withName(text, all, shared, reread) : undefined;
  if (which !== undefined) return which;
  const empty = emptyWords(all, found, language, (ds) => grammar.isEvent(ds));
  const kept = keepWords(all, found, empty);
  const place = new Map(kept.map((index, i) => [index, i]));
  const fragments = found.flatMap((each) => moved(each, place, kept));
  const known = new Set(found.flatMap(({ start, end }) => range(start, end)));
  const hasGroups = found.some(({ sense }) => choosesGroups(sense));
  const costs = all.map((word, i) =>
    skipCost(word, { isKnown: known.has(i), isEmpty: empty.has(i) }, lexicon, language),
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
    return (!empty.has(i) || language.grammar.has(norm)) && !language.people.has(norm);
  };
  const asks = parsed.flatMap((fragment) => {
    const asked = askOf(grammar, fragment.sense);
    if (asked === undefined) return [];
    const leaves = leavesOf(fragment);
    const ask = onDeed(throughOwnPlaces(asked.ask, leaves, knowledge), leaves);
    return inRoles(ask, { words: all, leaves, knowledge }).map((each) => ({
      fragment,
      leaves,
      asked: { ...asked, ask: each },
    }));
  });
  const isDateNamed = ({ sense }: Leaf) => sense.t === "field" && grammar.isDate(sense.key);
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
  for (const rival of namesakesOf(readings))
    rival.cost = Math.min(rival.cost, (readings[0]?.cost ?? 0) + 0.1);
  readings.sort((a, b) => a.cost - b.cost);
  const [best] = readings;
  const isLoose = best !== undefined && best.left.length === 0 && best.loose > MOST_LOOSE;
  // Whatever carries meaning and was left over makes an answer to another question.
  const skipped = best === undefined ? kept.filter(isLeft) : best.left;
  const judged = skipped.filter((i) => judges(all[i] as Word, i, found, language));
  const isNumberless =
    judged.length === 0 &&
    skipped.every((i) => known.has(i)) &&
    !found.some(({ sense, start }) => sense.t === "op" && sense.op === "how" && skipped.includes(start)) &&
    knowledge.model.metrics.length > 0 &&
    (namesNoNumber(found, skipped.length === 0 && !isLoose ? best?.ask : undefined, grammar) ||
      (language.vague.test(text) && namesNoMeasure(found, grammar)));
  if (isLoose && !isNumberless) return { readings: [], missing: [], unclear: [], trace: [] };
  const fresh = skipped.filter((i) => NEW.test(all[i]?.norm ?? "") && isOfNew(i, found, best?.ask, grammar));
  const isDated = found.some(({ sense }) => sense.t === "window");
  const unsaid = (isNumberless ? [] : skipped).filter(
    (i) => !judged.includes(i) && !fresh.includes(i) && (judged.length === 0 || !known.has(i)),
  );
  // Words of grammar are named only where nothing else is missing.
  const named = unsaid.filter((i) => !isGrammar(all[i] as Word, language));
  const part =
    parts > 0
      ? partOfName(
          all,
          unsaid.filter((i) => !known.has(i)),
          found,
          { lexicon, language },
        )
      : undefined;
  const whose = part && withName(text, all, part, reread);
  if (whose !== undefined) return whose;
  const missing = missingWords(all, named.length > 0 ? named : unsaid, { known, said: question.text });
  if (rows?.isDoubtful === true && best !== undefined && missing.length === 0)
    return { readings: [], missing: [], unclear: [whatIsMeant(rows, all)], trace: [] };
  return {
    // Nor may one that leaves out more take the place of the best, where the model cannot carry that.
    readings: readings
      .filter(({ left }) => left.every((i) => skipped.includes(i)))
      .slice(0, 10)
      .map(
        ({ ask, cost, leaves }): Reading => ({
          ask: finished(ask, question, knowledge, leaves.some(isDateNamed)),
          cost,
          assumptions: [...(rows === undefined ? [] : [taken(rows, all)]), ...assumedOf(ask)],
          said: "",
          ...oneMeant(all, { ask, leaves }, language),
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
        ? [openPeriod(all, best, knowledge, grammar), openWithout(best, knowledge, text)].filter(
            (each) => each !== undefined,
          )
        : []),
      ...(isNumberless ? [{ question: WHICH_NUMBER, suggestions: someMetrics(knowledge) }] : []),
    ],
    trace: [{ stage: "words", found: kept.map((i) => all[i]?.text ?? "") }],
  };
}

/** What a noun stands for that only its place says something about. */
function asRows({ at, ds }: RowNoun): Found {
  const sense = { t: "rel", rel: { k: "all", ds }, ds, form: "noun", isTopped: false, isMany: true } as const;
  return { sense, start: at, end: at + 1, cost: 0.4 };
}

function whatIsMeant({ at, ds }: RowNoun, words: readonly Word[]): Clarification {
  const { text: word } = words[at] as Word;
  return {
    question: `What is meant by "${word}"?`,
    suggestions: [ds.replaceAll("_", " ")],
    word,
    isName: true,
  };
}

function taken({ at, ds }: RowNoun, words: readonly Word[]): Assumption {
  const { text, start, end } = words[at] as Word;
  return { at: { start, end }, choice: takenAs(text, ds), others: [] };
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

/** Words that say nothing are left out, unless something is made of them together with others. */
function keepWords(words: readonly Word[], found: readonly Found[], empty: ReadonlySet<number>): number[] {
  const used = new Set(found.flatMap(({ start, end }) => range(start, end)));
  return words.flatMap((_, i) => (empty.has(i) && !used.has(i) ? [] : [i]));
}

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
