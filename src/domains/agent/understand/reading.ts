import type { Ask } from "../query/semantic-query.ts";

/** A question, and when and where it is asked. */
export interface Question {
  text: string;
  now: string;
  timeZone: string;
}

/** Where in the question something stands: characters, the end excluded. */
export interface Span {
  start: number;
  end: number;
}

/** A choice that the question left open. */
export interface Assumption {
  at: Span | null;
  /** What was chosen, in words: "revenue goes by the date of the order". */
  choice: string;
  /** What else it could have meant. */
  others: string[];
  /** It comes from whoever asks, or from what they asked before: others would mean something else. */
  isTheirs?: true;
  /** Nobody but the rules says that a word means this. */
  isGuess?: true;
}

/** One meaning that a question can have. */
export interface Reading {
  ask: Ask;
  /** Less is better; of no meaning by itself. */
  cost: number;
  assumptions: Assumption[];
  /** The reading in words, to be said back. */
  said: string;
  /** The dataset of which one entity is meant, by what may be true of several: "the Hamburg store". */
  oneOf?: string;
  /** Its periods are those that it says, whole or not. */
  isExact?: true;
  /** Who has confirmed that the question means this. */
  verifiedBy?: string;
}

/** Something to ask back, with answers to choose from. */
export interface Clarification {
  question: string;
  suggestions: string[];
  /** The word of the question that it is about. */
  word?: string;
  /** What is chosen stands in the place of that word. */
  isName?: true;
  /** What answers it: one of the suggestions, any number of the model, or that the only suggestion is meant. */
  wants?: "choice" | "number" | "yes";
  /** The answer that nobody could make use of. */
  unused?: string;
}

/** What the rules make of a question, before anything is run. */
export interface Understanding {
  /** The best first. */
  readings: Reading[];
  /** Words that nothing in the model carries: with any of them the question is refused. */
  missing: {
    span: Span;
    text: string;
    nearest: string[];
    /** The model knows it, but not in this place. */
    isKnown?: true;
    /** It is a date that no calendar has. */
    isAbsent?: true;
  }[];
  /** What has to be asked whichever reading is meant, such as "best" without a measure. */
  unclear: Clarification[];
}
