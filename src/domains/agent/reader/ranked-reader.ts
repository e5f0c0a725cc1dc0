import { mapBounded } from "../../../kernel/concurrency.ts";
import { isAppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { say } from "../explain/say.ts";
import type { Moment, Plan } from "../phases/plan.ts";
import { doYouMean, type Question } from "../phases/question.ts";
import { clarify } from "../phases/refuse.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import type { Work } from "../work.ts";
import type { Proposal, Proposals, Ruled } from "./propose.ts";
import { isWithin, type Ranked, ranked, rankRows, resultKey } from "./rank.ts";
import { readerModels } from "./weights.ts";

/** How likely a query has to be to be answered. */
const ANSWERED = 0.65;
/** Where there is a word besides that nobody knows. */
const BEYOND_WORDS = 0.7;
/** Where the rules have read each word so: what is left open is how others would have put it. */
const READ_BY_RULES = 0.3;
/** Of what no draft can say, no other candidate speaks for it or against it. */
const BEYOND_DRAFTS = 0.02;
/** How likely each of the readings is that are asked about, and the best of them. */
const ASKED = 0.08;
const WORTH_ASKING = 0.25;
const MOST_ASKED = 3;
/** Candidates that are run at once, so that one question leaves room for the others of its workspace. */
const AT_ONCE = 4;

/** What is made of a question by running what it may mean. */
export type Found =
  /** This one is meant. */
  | { k: "reading"; reading: Reading }
  /** One of several is. */
  | { k: "ask"; answer: Answer };

interface Around {
  propose: (text: string, ruled: Ruled) => Promise<Proposals>;
  /** Runs a statement within the bounds of a candidate, with the rights of whoever asks. */
  run: (sql: string) => Promise<QueryAnswer>;
}

/**
 * Reads a question over a model that nobody has written: the likeliest queries are run, with what the rules make of it
 * as one of them, and what was learned of many questions says how likely each is to be meant. Undefined where what the
 * rules have made of it stands.
 */
export async function readInferred(
  { text, isForced }: Pick<Question, "text" | "isForced">,
  planned: Plan,
  { knowledge, moment }: Pick<Work, "knowledge" | "moment">,
  { propose, run }: Around,
): Promise<Found | undefined> {
  const { proposals, unknown } = await propose(text, ruledBy(planned));
  const results = await mapBounded(proposals, AT_ONCE, ({ sql }) => rowsOf(run, sql));
  const known = proposals.map((each) => each.known);
  const different = differing(ranked(rankRows(known, results), readerModels().rank), results);
  const best = bestOf(different, results);
  if (best === undefined) return undefined;
  const ruled = known.findIndex(({ isRuled }) => isRuled === true);
  // What could not be run within the bounds of a candidate still can within its own.
  if (results[ruled] === null) return undefined;
  const isTheirs = isSameAs(best.index, ruled, results);
  const theirs = different.find(({ index }) => isSameAs(index, ruled, results));
  const verdict = decide({
    // What no relationship carries is refused.
    rules: planned.k === "run" && ruled === -1 ? "refuse" : planned.k,
    ...{ p: best.p, theirs: theirs?.p ?? 0, isTheirs, unknown: unknown.length, isForced },
    isWhole: known[ruled]?.isWhole === true,
    isBeyond: known[ruled]?.isBeyond === true,
    isTimeless: known[best.index]?.isTimeless === true,
  });
  if (verdict === "rules") return undefined;
  if (verdict === "ours")
    return { k: "reading", reading: readingOf((proposals[best.index] as Proposal).ask, best.p) };
  const likely = different.filter(
    ({ p, index }) => index === best.index || (p >= ASKED && known[index]?.isTimeless !== true),
  );
  const asks = likely.slice(0, MOST_ASKED).map(({ index }) => (proposals[index] as Proposal).ask);
  return { k: "ask", answer: askedBack(asks, { knowledge, moment }) };
}

/** What the rules have come to, for whoever weighs it. */
function ruledBy(planned: Plan): Ruled {
  if (planned.k !== "run") return { k: planned.k };
  const { readings } = planned;
  const [first] = readings;
  if (first === undefined) return { k: "run" };
  return {
    ...{ k: "run", ask: first.ask, cost: first.cost },
    ...{ readings: readings.length, assumptions: first.assumptions.length },
  };
}

/** The likeliest that comes to something. */
export function bestOf(different: readonly Ranked[], results: readonly (Rows | null)[]): Ranked | undefined {
  return different.find(({ index }) => (results[index]?.length ?? 0) > 0) ?? different[0];
}

/** Whether a candidate is what the rules read, or more columns of the same. */
export function isSameAs(index: number, ruled: number, results: readonly (Rows | null)[]): boolean {
  if (ruled === -1) return false;
  const [own, theirs] = [results[index], results[ruled]];
  return index === ruled || resultKey(own) === resultKey(theirs) || isWithin(theirs, own);
}

/** What a decision hangs on. */
export interface Weighed {
  /** What the rules have come to. */
  rules: Plan["k"];
  /** How likely the best is to be meant. */
  p: number;
  /** It is what the rules read. */
  isTheirs: boolean;
  /** How likely what they read is, whether it is the best or not. */
  theirs: number;
  /** The rules' leaves out no word that names something, and no draft can say it. */
  isWhole: boolean;
  isBeyond: boolean;
  /** Words that nobody knows. */
  unknown: number;
  /** It leaves out a period that was named. */
  isTimeless: boolean;
  /** Whoever asks wants no questions. */
  isForced: boolean;
}

/** Whose reading it is, or that it has to be asked. */
export function decide(weighed: Weighed): "ours" | "rules" | "ask" {
  const { rules, p, isTheirs, theirs: pOfTheirs, isWhole, isBeyond, unknown, isTimeless, isForced } = weighed;
  if (rules !== "run" && isTimeless) return "rules";
  const ours = unknown > 0 ? BEYOND_WORDS : ANSWERED;
  const theirs = isWhole ? (isBeyond ? BEYOND_DRAFTS : READ_BY_RULES) : ANSWERED;
  const isSure = p >= (isTheirs ? theirs : ours);
  if (isSure || (isForced && rules === "run")) return isTheirs ? "rules" : "ours";
  // Where no draft is sure, a reading that leaves out no word needs less to be answered than to be asked about.
  if (rules === "run" && isWhole && pOfTheirs >= READ_BY_RULES) return "rules";
  if (rules === "run") return "ask";
  return rules === "refuse" && unknown === 0 && p >= WORTH_ASKING ? "ask" : "rules";
}

/** Of those with the same rows, the best. */
export function differing(order: readonly Ranked[], results: readonly (Rows | null)[]): Ranked[] {
  const seen = new Set<string>();
  return order.filter(({ index }) => {
    const key = resultKey(results[index]);
    const isNew = results[index] !== null && !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

type Rows = readonly (readonly JsonValue[])[];

/** What cannot be run in time, or not at all, is no candidate. */
async function rowsOf(run: Around["run"], sql: string): Promise<Rows | null> {
  try {
    return (await run(sql)).rows;
  } catch (error) {
    if (isAppError(error) && ["timeout", "too_large", "bad_request"].includes(error.code)) return null;
    throw error;
  }
}

/** Confidence that is left after so much cost (`phases/explain.ts`). */
const MOST_CONFIDENCE = 0.95;
const COST_OF_DOUBT = 10;

function readingOf(ask: Ask, p: number): Reading {
  const cost = Math.max(0, MOST_CONFIDENCE - p) * COST_OF_DOUBT;
  return { ask, cost, said: "", assumptions: [], isExact: true };
}

function askedBack(
  asks: readonly Ask[],
  { knowledge, moment }: { knowledge: Work["knowledge"]; moment: Moment },
) {
  const offered = asks.map((ask) => ({ ask, said: say(ask), ...moment, isPlain: true }));
  const texts = [...new Set(offered.map(({ said }) => said))];
  return { ...clarify([doYouMean(texts, [])], knowledge), offered };
}
