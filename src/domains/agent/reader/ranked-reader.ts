import { mapBounded } from "../../../kernel/concurrency.ts";
import { isAppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import { judge } from "../evaluation/judge.ts";
import { say } from "../explain/say.ts";
import type { Moment, Plan } from "../phases/plan.ts";
import { doYouMean } from "../phases/question.ts";
import { clarify } from "../phases/refuse.ts";
import { hasKind, nodesIn } from "../query/parts.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import type { Work } from "../work.ts";
import type { Proposal, Proposals } from "./propose.ts";
import { type Ranked, ranked, rankRows, resultKey } from "./rank.ts";
import { readerModels } from "./weights.ts";

/** How likely a query has to be to be answered where the rules answer nothing. */
const ANSWERED = 0.6;
/** Where there is a word besides that nobody knows. */
const BEYOND_WORDS = 0.7;
/** Where the rules have answered something else. */
const BESIDE_RULES = 0.9;
/** How likely each of the readings is that are asked about. */
const ASKED = 0.3;
const MOST_ASKED = 3;
/** How likely ours has to be to be asked about beside the rules', and theirs may be at most. */
const ASKED_BESIDE = 0.7;
const DOUBTFUL = 0.02;
/** Candidates that are run at once, so that one question leaves room for the others of its workspace. */
const AT_ONCE = 4;

/** What is made of a question by running what it may mean. */
export type Found =
  /** This one is meant. */
  | { k: "reading"; reading: Reading }
  /** One of several is. */
  | { k: "ask"; answer: Answer };

interface Around {
  propose: (text: string) => Promise<Proposals>;
  /** Runs a statement within the bounds of a candidate, with the rights of whoever asks. */
  run: (sql: string) => Promise<QueryAnswer>;
}

/**
 * Reads a question over a model that nobody has written: the likeliest queries are run, those that come to the same
 * speak for each other, and what was learned of many questions says how likely each is to be meant. Undefined where
 * what the rules have made of it stands.
 */
export async function readInferred(
  text: string,
  planned: Plan,
  { knowledge, moment }: Pick<Work, "knowledge" | "moment">,
  { propose, run }: Around,
): Promise<Found | undefined> {
  const { proposals, unknown } = await propose(text);
  const results = await mapBounded(proposals, AT_ONCE, ({ sql }) => rowsOf(run, sql));
  const order = ranked(
    rankRows(
      proposals.map(({ known }) => known),
      results,
    ),
    readerModels().rank,
  );
  const different = differing(order, results);
  const best = different.find(({ index }) => (results[index]?.length ?? 0) > 0) ?? different[0];
  if (best === undefined) return undefined;
  const { ask, known } = proposals[best.index] as Proposal;
  const theirs = planned.k === "run" ? await ruled(planned, { knowledge, run }) : undefined;
  const key = theirs && resultKey(theirs.rows);
  const same = order.find(({ index }) => key === resultKey(results[index]));
  const verdict = decide({
    rules: planned.k,
    p: best.p,
    theirP: theirs === undefined ? 0 : (same?.p ?? 0),
    isSame: key === resultKey(results[best.index]) || isWithin(theirs?.rows, results[best.index]),
    isComparable: theirs !== undefined && isComparable(theirs.ask),
    unknown: unknown.length,
    left: known.left,
  });
  if (verdict === "ours") return { k: "reading", reading: readingOf(ask, best.p) };
  if (verdict !== "ask") return undefined;
  const least = theirs === undefined ? ASKED : ASKED_BESIDE;
  const likely = different
    .filter(({ p }) => p >= least)
    .slice(0, theirs === undefined ? MOST_ASKED : MOST_ASKED - 1);
  const asks = likely.map(({ index }) => (proposals[index] as Proposal).ask);
  if (theirs !== undefined) asks.push(theirs.ask);
  return asks.length < 2 ? undefined : { k: "ask", answer: askedBack(asks, { knowledge, moment }) };
}

/** What a decision hangs on. */
export interface Weighed {
  /** What the rules have come to. */
  rules: Plan["k"];
  /** How likely our best is, and the one with the rows of the rules'. */
  p: number;
  theirP: number;
  isSame: boolean;
  /** Theirs is of what candidates are made of, so that what was learned says something of it. */
  isComparable: boolean;
  /** Words that nobody knows, and words that our best leaves out. */
  unknown: number;
  left: number;
}

/** Whose reading it is, or that it has to be asked. */
export function decide({
  rules,
  p,
  theirP,
  isSame,
  isComparable,
  unknown,
  left,
}: Weighed): "ours" | "rules" | "ask" {
  if (isSame) return "rules";
  if (rules !== "run") {
    if (p >= (unknown > 0 ? BEYOND_WORDS : ANSWERED)) return "ours";
    return rules === "refuse" && unknown === 0 && p >= ASKED ? "ask" : "rules";
  }
  // The rules leave out no word that names something.
  const isWhole = left === 0 && unknown === 0;
  if (!isWhole || !isComparable) return "rules";
  if (p >= BESIDE_RULES) return "ours";
  return p >= ASKED_BESIDE && theirP < DOUBTFUL ? "ask" : "rules";
}

/** Of those with the same rows, the best. */
function differing(order: readonly Ranked[], results: readonly (Rows | null)[]): Ranked[] {
  const seen = new Set<string>();
  return order.filter(({ index }) => {
    const key = resultKey(results[index]);
    const isNew = results[index] !== null && !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/** Rows that are compared one by one. */
const COMPARED = 200;

/** Whether some rows are all in others, with more columns: names beside their numbers. */
function isWithin(some: Rows | null | undefined, others: Rows | null | undefined): boolean {
  if (some == null || others == null || some.length === 0 || some.length > COMPARED) return false;
  const rows = others.map((row) => [...row]);
  return judge({ rows: some.map((row) => [...row]) }, { outcome: "answer", rows }) === "right";
}

/** Whether a query says nothing that no candidate can: periods, metrics, numbers made of others. */
export function isComparable(ask: Ask): boolean {
  const isBeyond = hasKind(ask, "metric", "during", "day", "each", "calc", "lag", "running");
  return (
    !isBeyond &&
    nodesIn(ask).every(({ bucket, part, since, win }) => (bucket ?? part ?? since ?? win) === undefined)
  );
}

/** The best reading of the rules that can be carried, with its rows. */
async function ruled(
  { readings }: Extract<Plan, { k: "run" }>,
  { knowledge, run }: Pick<Work, "knowledge"> & Pick<Around, "run">,
): Promise<{ ask: Ask; rows: Rows | null } | undefined> {
  const [first] = readings;
  const sql = first && ifCarried(() => compile(knowledge.schema, first.ask).sql);
  return first === undefined || sql === undefined
    ? undefined
    : { ask: first.ask, rows: await rowsOf(run, sql) };
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
