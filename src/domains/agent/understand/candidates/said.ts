import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Key } from "../../query/semantic-query.ts";
import type { Language } from "../languages/language.ts";
import { inWords } from "../languages/sentences.ts";
import { normsOf, placesOf, type Word, wordsOf } from "../languages/words.ts";
import { isEnd } from "../lexicon/deeds.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { prepared } from "../prepared.ts";
import type { Question } from "../reading.ts";
import type { Grammar } from "../rules/grammar.ts";
import type { Sense } from "../senses/fragment.ts";
import { authorsFirst, candidates, type Found, outsidePeriods } from "./candidates.ts";
import { dateCandidates, datesIn, withDateWords } from "./dates.ts";
import { emptyWords } from "./empty-words.ts";
import { numberCandidates } from "./numbers.ts";
import { eventVerbs, type RowNoun, rowNoun } from "./row-nouns.ts";

/** A question in one language, with everything that each of its words can mean by itself. */
export interface Said {
  question: Question;
  language: Language;
  knowledge: Knowledge;
  lexicon: Lexicon;
  grammar: Grammar;
  /** As the rules put it. */
  text: string;
  all: Word[];
  found: Found[];
  /** The noun that only its place says something about. */
  rows: RowNoun | undefined;
  /** Verbs that say only that what the rows tell happened. */
  happened: ReadonlySet<number>;
}

export function sensesIn(language: Language, question: Question, knowledge: Knowledge): Said {
  const { lexicon, grammar } = prepared(knowledge, language);
  const spelt = withDateWords(inWords(question.text), lexicon, language);
  const text = language.prepare(spelt, lexicon, (said) => datesIn({ ...question, text: said }, knowledge));
  const all = wordsOf(text, language);
  const every = authorsFirst(
    outsidePeriods([
      ...candidates(all, lexicon, language),
      ...dateCandidates({ ...question, text }, all, knowledge),
      ...numberCandidates(all, language, grammar.currency),
    ]),
  );
  const own = inTheirForms([...every, ...stillThere(all, every, knowledge)], all, grammar);
  const rows = rowNoun(all, own, knowledge, language);
  const named = rows === undefined ? own : withRows(own, rows);
  const happened = eventVerbs(all, named, knowledge);
  const found = [...named, ...happened.found];
  return {
    question,
    language,
    knowledge,
    lexicon,
    grammar,
    text,
    all,
    found,
    rows,
    happened: happened.empty,
  };
}

function withRows(found: readonly Found[], { at, ds }: RowNoun): Found[] {
  const sense = { t: "rel", rel: { k: "all", ds }, ds, form: "noun", isTopped: false, isMany: true } as const;
  const others = found.filter(({ start, end }) => at < start || at >= end);
  return [...others, { sense, start: at, end: at + 1, cost: 0.4 }];
}

/** The same, with what it costs to leave a word out. */
export interface Weighed extends Said {
  /** Words that mean something. */
  known: ReadonlySet<number>;
  /** Words that say nothing where they stand. */
  empty: ReadonlySet<number>;
  /** The others, and empty ones of which something is made together with others. */
  kept: readonly number[];
  skipCosts: readonly number[];
}

export function weigh(said: Said): Weighed {
  const { all, found, grammar, lexicon, language } = said;
  const known = placesOf(found);
  const empty = new Set([...emptyWords(all, found, language, (ds) => grammar.isEvent(ds)), ...said.happened]);
  const kept = [...all.keys()].filter((i) => !empty.has(i) || known.has(i));
  const skipCosts = all.map((word, i) =>
    skipCost(word, { isKnown: known.has(i), isEmpty: empty.has(i) }, lexicon, language),
  );
  return { ...said, known, empty, kept, skipCosts };
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
]);

/** From this on, a word that is left out is missed. */
export const LEFT_COST = 3;

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

function skipCost(
  word: Word,
  { isKnown, isEmpty }: { isKnown: boolean; isEmpty: boolean },
  lexicon: Lexicon,
  language: Language,
): number {
  const { norm, stem } = word;
  const { grammar } = language;
  if (language.people.has(norm) && (isEmpty || norm !== "who")) return 0;
  if (isEmpty && !isNamed(word, lexicon, language)) return isKnown && !grammar.has(norm) ? FILLER_COST : 0;
  const said = grammar.get(norm) ?? grammar.get(stem);
  if (said !== undefined) return LIGHT.has(said.op) ? 0.5 : 3;
  return isKnown ? LEFT_COST : UNKNOWN_COST;
}

/**
 * "discounted orders" have a discount, and are no sum of discounts: a participle before a noun tells some of them from
 * others, whatever number is called so; and names that contain a word are those of the noun behind it.
 */
function inTheirForms(all: readonly Found[], words: readonly Word[], grammar: Grammar): Found[] {
  const found = byDoers(all, grammar);
  const nounsAt = (at: number) => found.filter(({ sense, start }) => start === at && isNoun(sense));
  return found.filter(({ sense, start, end }) => {
    const behind = nounsAt(end);
    if (behind.length === 0) return true;
    const some = sense.t === "rel" && sense.rel.k === "where" ? sense.rel.if : undefined;
    if (some?.k === "is" && some.match === "contains")
      return behind.some((noun) => noun.sense.t === "rel" && sense.t === "rel" && noun.sense.ds === sense.ds);
    // "big orders", "gross revenue": how big something is, is asked behind "how" or of a noun.
    if (sense.t === "op") return sense.op !== "how" || end - start > 1;
    const isPast = /ed$/.test(words[end - 1]?.norm ?? "");
    if (sense.t === "rel") return !(isPast && sense.form === "noun");
    const isNumber = sense.t === "table" || (sense.t === "field" && grammar.isNumber(sense.key));
    const isOfEntities = behind.some((noun) => noun.sense.t === "rel");
    return !(isNumber && isOfEntities && isPast);
  });
}

function isNoun(sense: Sense): boolean {
  return sense.t === "table" || (sense.t === "rel" && sense.form === "noun");
}

/** "who bought": of all people those that what was done belongs to at once. */
function byDoers(found: readonly Found[], grammar: Grammar): Found[] {
  const deeds = found.flatMap(({ sense }) => (sense.t === "rel" && sense.verb !== undefined ? [sense] : []));
  const doers = new Set(deeds.flatMap(({ ds, verb }) => grammar.doersOf(verb?.times?.ds ?? ds)));
  if (doers.size === 0) return [...found];
  return found.filter(({ sense, start }) => {
    const isAnybody =
      sense.t === "rel" && sense.form === "noun" && sense.rel.k === "all" && grammar.isPeople(sense.ds);
    const isNamed = found.some((each) => each.start === start && each.cost < ANYBODY_COST);
    return !isAnybody || isNamed || doers.has(sense.ds);
  });
}

/** What "who" costs for somebody; what people are called costs less. */
const ANYBODY_COST = 0.9;

const WORKS = /^(work|works|arbeiten|arbeitet)$/;
const STILL = /^(still|noch|currently|derzeit|aktuell|momentan)$/;
/** How it is said of somebody or something that it has not come to an end. */
const GOES_ON =
  /^(work|works|working|employed|here|there|around|with|for|us|active|on|board|running|open|arbeiten|arbeitet|beschaftigt|angestellt|tatig|bei|uns|da|dabei|aktiv|offen)$/;

/** "still working here", of what has a date on which it ends: there is none yet. */
function stillThere(words: readonly Word[], known: readonly Found[], { schema }: Knowledge): Found[] {
  if (!words.some(({ norm }) => STILL.test(norm) || WORKS.test(norm))) return [];
  const ends = [...schema.datasets.values()].flatMap(({ name: ds, fields }): Key[] =>
    [...fields.values()].flatMap(({ name: field, kind }) =>
      kind === "date" && isEnd(field) ? [{ ds, field }] : [],
    ),
  );
  const [key, ...others] = ends;
  if (key === undefined || others.length > 0) return [];
  return words.flatMap(({ norm }, start) => {
    const isHere = WORKS.test(norm) && HERE.test(normsOf(words.slice(start + 1)));
    if (!STILL.test(norm) && !isHere) return [];
    let end = start + 1;
    while (GOES_ON.test(words[end]?.norm ?? "")) end += 1;
    // What is "open" or "active" by a value or by the author's word is said already.
    const isSaid = known.some((each) => each.sense.t === "cond" && each.start > start && each.end <= end);
    if (end === start + 1 || isSaid) return [];
    const cond = { k: "null" as const, key };
    return [{ sense: { t: "cond", ds: key.ds, cond }, start, end, cost: -0.3 * (end - start - 1) }];
  });
}

const HERE = /^(here|for us|with us|hier|bei uns)\b/;
