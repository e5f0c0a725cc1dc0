import type { DatePart, Grain } from "../../query/semantic-query.ts";
import type { Folding } from "./words.ts";

/** Words of grammar, and what they ask for. Phrases are written as stems: see `stem`. */
export interface GrammarWord {
  op: string;
  arg?: string;
}

export interface Superlative {
  dir: "max" | "min";
  /** The dimension that it speaks of; null when a noun says it. */
  dim: string | null;
  isCount?: boolean;
  /** What else it may speak of. */
  or?: Superlative;
}

/** Whether a dimension is one of dates: "latest", and "oldest" of people by their birth. */
export function isOfTime(dim: string | null): boolean {
  return dim === "date" || dim === "age";
}

/** An English word as the lexicon keeps it among names, and among values. */
export interface Gloss {
  stems: string;
  norms: string;
}

/** What words of a model there are: names by their stems, values as they are written. */
export interface Vocabulary {
  phrases: ReadonlyMap<string, unknown>;
  values: ReadonlyMap<string, unknown>;
  /** The single ones of both. */
  words: { names: ReadonlySet<string>; values: ReadonlySet<string> };
}

interface Stretch {
  start: number;
  end: number;
}

/** What questions of one language are made of; the rules are the same for all. */
export interface Language extends Folding {
  fillers: ReadonlySet<string>;
  /** Those that are verbs, which say nothing beside what they are done with, and something before a noun or of somebody. */
  deeds: ReadonlySet<string>;
  /** Those that say nothing only in questions such as these. */
  beside: ReadonlyMap<string, RegExp>;
  grammar: ReadonlyMap<string, GrammarWord>;
  superlatives: ReadonlyMap<string, Superlative>;
  evaluative: ReadonlySet<string>;
  quantities: ReadonlyMap<string, "<" | "<=" | ">" | ">=" | "=">;
  /** The words before and between the ends of a range of numbers. */
  ranges: ReadonlySet<string>;
  rangeAnd: ReadonlySet<string>;
  /** Numbers as words; how often something happened; and the word behind such a number: "three times". */
  numbers: ReadonlyMap<string, number>;
  times: ReadonlyMap<string, number>;
  timesWords: ReadonlySet<string>;
  /** How many come before: "second" is after one. */
  ordinals: ReadonlyMap<string, number>;
  /** Words before a number of things of which none is missing. */
  all: ReadonlySet<string>;
  /** Words for the average, as something to compare with. */
  averages: ReadonlySet<string>;
  /** Words behind a number: "25 or more". */
  quantitiesAfter: ReadonlyMap<string, "<=" | ">=">;
  /** Days of the week as what happens on each of them: "on Mondays". */
  daysOfWeek: ReadonlyMap<string, string[]>;
  /** What days of the week, hours of the day and months of any year are called. */
  dateParts: ReadonlyMap<string, DatePart>;
  comparatives: ReadonlyMap<string, string>;
  measures: ReadonlyMap<string, string>;
  how: ReadonlyMap<string, string>;
  /** The words before which an adjective is a comparative, and after which it asks. */
  than: string;
  asks: string;
  /** Words of time, by which misspelt ones are known. */
  dateWords: readonly string[];
  /** How a question begins that wants a list. */
  listOpener: RegExp;
  grains: ReadonlyMap<string, Grain>;
  /** Words that ask for people. */
  people: ReadonlySet<string>;
  /** How a question begins that asks how things are, and by no number. */
  vague: RegExp;
  /** Words of grammar that may stand inside of a name: "tracks were sold". */
  auxiliaries: ReadonlySet<string>;
  /** Words before a unit: "in minutes". */
  inUnits: ReadonlySet<string>;
  /** Words after a number that make it larger or smaller. */
  scales: ReadonlyMap<string, number>;
  /** What words are called in English, by their stems; a model may have no other names. */
  gloss: ReadonlyMap<string, readonly Gloss[]>;
  /** Whether names of models are mostly in another language. */
  isForeign?: true;
  /** Writes a question so that its words stand one by one and in the order that the rules know. */
  prepare: (text: string, lexicon: Vocabulary, datesIn: (text: string) => readonly Stretch[]) => string;
  /** Whether a noun stands for several. */
  isMany: (norm: string) => boolean;
  /** The value of digits with their marks: `60,000`. */
  digits: (text: string) => number;
}
