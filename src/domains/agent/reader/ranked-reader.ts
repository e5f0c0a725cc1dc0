import { isAppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { QueryAnswer } from "../../models/index.ts";
import type { Answer } from "../answer.ts";
import { compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/paths.ts";
import { say } from "../explain/say.ts";
import type { Moment, Plan } from "../phases/plan.ts";
import { doYouMean } from "../phases/question.ts";
import { clarify } from "../phases/refuse.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Reading } from "../understand/reading.ts";
import type { Work } from "../work.ts";
import type { Proposal, Proposals } from "./propose.ts";
import { type Ranked, ranked, rankRows, resultKey } from "./rank.ts";
import { readerModels } from "./weights.ts";

/** How likely a query has to be to be answered alone. */
const ANSWERED = 0.6;
/** Where the rules have answered something else. */
const BESIDE_RULES = 0.8;
/** Where neither they nor the linker know a word of the question. */
const BEYOND_RULES = 0.95;
/** How likely each of the readings is that are asked about. */
const ASKED = 0.3;
const MOST_ASKED = 3;

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
  const results = await Promise.all(proposals.map(({ sql }) => rowsOf(run, sql)));
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
  if (planned.k === "run" && (await isSame(planned, results[best.index] ?? null, { knowledge, run })))
    return undefined;
  // The rules leave out no word that names something.
  if (planned.k !== "refuse" && known.left > 0) return undefined;
  if (best.p >= leastFor(planned, unknown)) return { k: "reading", reading: readingOf(ask, best.p) };
  if (planned.k !== "refuse" || unknown.length > 0) return undefined;
  const asked = different.filter(({ p }) => p >= ASKED).slice(0, MOST_ASKED);
  if (asked.length < 2) return undefined;
  const asks = asked.map(({ index }) => (proposals[index] as Proposal).ask);
  return { k: "ask", answer: askedBack(asks, { knowledge, moment }) };
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

function leastFor(planned: Plan, unknown: readonly string[]): number {
  if (unknown.length > 0) return BEYOND_RULES;
  return planned.k === "refuse" ? ANSWERED : BESIDE_RULES;
}

/** Whether the rules have come to the same rows. */
async function isSame(
  { readings }: Extract<Plan, { k: "run" }>,
  rows: Rows | null,
  { knowledge, run }: Pick<Work, "knowledge"> & Pick<Around, "run">,
): Promise<boolean> {
  const [first] = readings;
  const sql = first && ifCarried(() => compile(knowledge.schema, first.ask).sql);
  return sql !== undefined && resultKey(await rowsOf(run, sql)) === resultKey(rows);
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
