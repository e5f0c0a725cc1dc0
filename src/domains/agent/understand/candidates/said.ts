import type { Knowledge } from "../../knowledge/build-knowledge.ts";
import type { Language } from "../languages/language.ts";
import { inWords } from "../languages/signs.ts";
import { placesOf, type Word, wordsOf } from "../languages/words.ts";
import type { Lexicon } from "../lexicon/lexicon.ts";
import { prepared } from "../prepared.ts";
import type { Question } from "../reading.ts";
import type { Grammar } from "../rules/grammar.ts";
import { authorsFirst, candidates, type Found, outsidePeriods } from "./candidates.ts";
import { dateCandidates, datesIn, withDateWords } from "./dates.ts";
import { emptyWords } from "./empty-words.ts";
import { eventVerbs } from "./event-verbs.ts";
import { numberCandidates } from "./numbers.ts";
import { type RowNoun, rowNoun } from "./row-nouns.ts";
import { skipCost } from "./skip-cost.ts";
import { stillThere } from "./still-there.ts";
import { inTheirForms } from "./word-forms.ts";

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
