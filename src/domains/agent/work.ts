import type { Caller } from "../../registry/caller.ts";
import type { PublishedModel } from "../models/index.ts";
import type { Answer, AskedQuery, Outcome } from "./answer.ts";
import type { ModelTask, Write } from "./assist/fill-in.ts";
import type { Narrator } from "./assist/narrative.ts";
import type { Previous } from "./follow-up/follow-up.ts";
import type { Wish } from "./follow-up/turn.ts";
import type { Knowledge } from "./knowledge/build-knowledge.ts";
import type { Query } from "./phases/execute.ts";
import type { Moment, Plan } from "./phases/plan.ts";
import type { Question, Suggested } from "./phases/question.ts";
import type { Preferences } from "./preferences/preferences.ts";
import type { Ask } from "./query/semantic-query.ts";
import type { Reading, Understanding } from "./understand/reading.ts";
import type { VerifiedQuestion } from "./verified/verified.store.ts";

/** The phases that a question goes through, in their order. */
export const PHASES = ["Planner", "Navigator", "SQL Builder", "Executor", "Verifier", "Explainer"] as const;
export type Phase = (typeof PHASES)[number];

export interface Asked extends Lent {
  /** Only the SQL is wanted: it is not run. */
  isDry?: boolean;
  /** One of several attempts: no language model is asked, and nothing is written down. */
  isTrial?: boolean;
  /** As the rules alone read it at that moment: nothing verified, and nobody's preferences. */
  rulesAt?: Moment;
  model: PublishedModel;
  question: string;
  /** Further answers to what was asked back, with the questions that they are to. */
  answers?: readonly { label: string; text: string }[];
  /** What was asked before, on which it may build. */
  previous?: Previous | null | undefined;
  /** Questions since then that were asked back and wait for an answer, the oldest first. */
  waiting?: readonly string[];
  /** What was suggested to be asked instead of the last of these. */
  suggested?: readonly Suggested[];
  /** What a model is called where the question came from. */
  word: string;
  /** Names of all datasets that were looked into, where these are more than the model's. */
  datasets?: readonly string[];
  signal: AbortSignal;
  onPhase?: (phase: Phase) => void;
}

/** What the client offers while a question is answered. */
export interface Lent {
  /** Its own language model: asked where the workspace has none. */
  sample?: Write | undefined;
  /** Does something once for a call that may begin again. */
  once?: ((task: ModelTask, work: () => Promise<string>) => Promise<string>) | undefined;
}

/** An answer, and the language model that had a part in it. */
export interface Assisted {
  answer: Answer;
  llm?: string;
}

export interface Again {
  model: PublishedModel;
  query: AskedQuery | null;
  outcome: Outcome;
  signal: AbortSignal;
}

/** A query that is made of what is known of a model, and not read in a sentence. */
export interface Queried extends Pick<Asked, "model" | "question" | "signal" | "onPhase" | "isDry"> {
  read: (knowledge: Knowledge, moment: Moment) => Reading;
  /** Why it is no answer to that question for everybody, and on every day; undefined where it is. */
  whyTheirs?: (ask: Ask, around: Pick<Work, "knowledge" | "moment" | "preferences">) => string | undefined;
}

export type Run = Extract<Plan, { k: "run" }>;

/** A question on its way through the phases. */
export interface Work {
  caller: Caller;
  question: Question;
  knowledge: Knowledge;
  moment: Moment;
  /** Each text is read, and each statement run, once for a question, however many phases need it. */
  read: (text: string, of: Knowledge) => Promise<Understanding>;
  query: Query;
  word: string;
  datasets?: readonly string[] | undefined;
  signal: AbortSignal;
  begin: (phase: Phase) => void;
  preferences: Preferences;
  /** What the rules made of it last. */
  understood: Understanding;
  /** Puts what was settled before into readings, and says so. */
  finish: (read: Understanding) => Understanding;
  chart?: Wish | undefined;
  /** Who writes about the answer beside us. */
  narrate?: Narrator | undefined;
  /** Whether something else was asked since what it may build on, and not answered. */
  isInterrupted?: boolean | undefined;
  /** It is compiled, and not run. */
  isDry?: boolean | undefined;
  /** Something of the answer comes from whoever asks, beside the text of the question. */
  isTheirs: boolean;
  /** The question as it was sent, and what somebody has confirmed that it means. */
  sent: string;
  verified?: VerifiedQuestion | undefined;
}

export const UNREAD: Understanding = { readings: [], missing: [], unclear: [] };

type Around = Pick<
  Work,
  "caller" | "knowledge" | "moment" | "query" | "signal" | "begin" | "preferences" | "word" | "isDry"
>;

/** The work on a query of which nothing is left open, and no sentence is read. */
export function settledWork(text: string, around: Around): Work {
  return {
    ...around,
    question: { text, answers: [], isForced: true },
    read: async () => UNREAD,
    understood: UNREAD,
    finish: (read) => read,
    isTheirs: false,
    sent: text,
  };
}

/** A query that was understood before. */
export function exact({ ask, said }: AskedQuery): Reading {
  return { ask, said, cost: 0, assumptions: [], isExact: true };
}

/** Only this reading is run. */
export function settledOn(reading: Reading): Run {
  return { k: "run", readings: [reading], isSettled: true, notes: [] };
}
