import type { DateFound } from "../dates/read-dates.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { navigate } from "../phases/navigate.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Understanding } from "../understand/reading.ts";
import type { Table } from "./parts.ts";

/** What there is to understand a follow-up with. */
export interface Context {
  knowledge: Knowledge;
  read: (text: string) => Promise<Understanding>;
  dates: (text: string) => DateFound[];
  /** The rows of an answer. */
  rows: (ask: Ask) => Promise<readonly (readonly unknown[])[]>;
  /** What was said to what was asked back. */
  answers?: readonly string[];
}

/** Readings that cost more than this beside the best are other ones. */
const NEAR = 0.8;

/** The readings of a text that is wholly understood, the best first. */
export async function asksOf(text: string, { read }: Context, near = NEAR): Promise<Ask[]> {
  const { readings, missing, unclear } = await read(text);
  const [best] = readings;
  if (missing.length > 0 || unclear.length > 0 || best === undefined) return [];
  return readings.filter(({ cost }) => cost <= best.cost + near).map(({ ask }) => ask);
}

export async function tablesOf(text: string, context: Context, near = NEAR): Promise<Table[]> {
  return (await asksOf(text, context, near)).filter((ask) => ask.k === "table");
}

/** A text that is a number: a metric, or entities to be counted. */
export async function numberIn(text: string, context: Context): Promise<Table | undefined> {
  const [best] = await asksOf(text, context);
  if (best === undefined || best.k === "table") return best;
  const { rel, show } = best;
  const [only, ...others] = show;
  if (rel.k !== "all" || only === undefined || others.length > 0) return undefined;
  const { nameField, key = [] } = context.knowledge.schema.datasets.get(rel.ds) ?? {};
  // A field that was named is no wish to count whatever has it.
  if (only.ds !== rel.ds || (only.field !== nameField && !key.includes(only.field))) return undefined;
  return { k: "table", by: [], cols: [{ k: "agg", fn: "count", in: rel }] };
}

/** Whether the model's relationships can carry a query. */
export function isCarried(ask: Ask, { schema }: Knowledge): boolean {
  return navigate([{ ask, cost: 0, said: "", assumptions: [] }], schema, true).routes.length > 0;
}

/** What was asked before, as far as the model still carries it: it may have changed since, or be hidden now. */
export function carriedOn<P extends { ask: Ask; earlier?: readonly Ask[] }>(
  previous: P | undefined,
  knowledge: Knowledge,
): P | undefined {
  if (previous === undefined || !isCarried(previous.ask, knowledge)) return undefined;
  const { earlier = [] } = previous;
  return { ...previous, earlier: earlier.filter((ask) => isCarried(ask, knowledge)) };
}
