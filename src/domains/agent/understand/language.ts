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
}

/** What questions of one language are made of; the rules are the same for all. */
export interface Language {
  fillers: ReadonlySet<string>;
  grammar: ReadonlyMap<string, GrammarWord>;
  superlatives: ReadonlyMap<string, Superlative>;
  evaluative: ReadonlySet<string>;
  quantities: ReadonlyMap<string, "<" | "<=" | ">" | ">=">;
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
  stem: (norm: string) => string;
  /** The value of digits with their marks: `60,000`. */
  digits: (text: string) => number;
}
