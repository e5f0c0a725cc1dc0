import type { DateFound } from "../dates/read-dates.ts";
import { say, sayKey, shortWindow } from "../explain/say.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { navigate } from "../phases/run-phases.ts";
import { type Node, nodesIn } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Key, Num } from "../query/semantic-query.ts";
import type { Understanding } from "../understand/reading.ts";
import type { Change } from "./change.ts";
import { onlyBase, type Table, windowsIn } from "./parts.ts";

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

/** One thing that a query says beside its number: a later turn keeps it, or has a word that changes it. */
interface Part {
  k: "where" | "period" | "group" | "rank";
  /** What it is about; of a period or a rank there is one. */
  of: string;
}

/** Which parts each kind of change may take away; conditions on a field only by what is said of that field. */
const TAKES: Partial<Record<Change["k"], readonly Part["k"][]>> = {
  group: ["group", "rank"],
  free: ["group"],
  all: ["rank"],
  total: ["group"],
  part: ["group"],
  count: ["group", "rank"],
  threshold: ["rank"],
  choose: ["rank"],
};

/** Whether something of the query before is gone that no change took away, or is there twice. */
export function isBroken(before: Ask, after: Ask, changes: readonly Change[], schema: Schema): boolean {
  const left = new Set(partsOf(after).map(({ k, of }) => `${k} ${of}`));
  const taken = new Set(changes.flatMap(({ k }) => TAKES[k] ?? []));
  const freed = changes.flatMap((change) => (change.k === "free" ? [fieldOf(change.key)] : []));
  const own = formulasIn(after, schema);
  const isGone = partsOf(before).some(
    ({ k, of }) =>
      !left.has(`${k} ${of}`) &&
      !taken.has(k) &&
      !(k === "where" && (freed.includes(of) || own.includes(of))),
  );
  return isGone || isNested(after);
}

/** What a query has of the one before it, in words: "revenue, by month, 2025, Germany". */
export function keptOf(before: Ask, after: Ask): string[] {
  const [old, now] = [before, after].map(partsSaid) as [string[], string[]];
  return [...new Set(now)].filter((part) => old.includes(part));
}

function partsSaid(ask: Ask): string[] {
  const base = ask.k === "table" ? onlyBase(ask.cols) : undefined;
  const number = base === undefined ? [] : [say({ k: "table", by: [], cols: [base] })];
  const values = nodesIn(ask).flatMap((node) => {
    const [isNot, of] = node.k === "not" ? ["not ", node.of as Node] : ["", node];
    return of.k === "is" ? [`${isNot}${(of.values as unknown[]).join(" or ")}`] : [];
  });
  const groups = ask.k === "table" ? ask.by.map((key) => `by ${sayKey(key)}`) : [];
  const isNegated = (value: string) => values.includes(`not ${value}`);
  return [
    ...number,
    ...groups,
    ...windowsIn(ask).map((win) => shortWindow(win)),
    ...values.filter((value) => !isNegated(value)),
    ...(ask.k === "table" && ask.top !== undefined ? [`the first ${ask.top.n}`] : []),
  ];
}

/** Growth of growth, and a share of a share, are never meant. */
function isNested(ask: Ask): boolean {
  const isMade = (node: Readonly<Record<string, unknown>>) =>
    node.k === "lag" || (node.k === "calc" && node.op === "growth");
  return nodesIn(ask).some(
    (node) =>
      node.k === "calc" && node.op === "growth" && nodesIn(Object.values(node)).filter(isMade).length > 1,
  );
}

function partsOf(ask: Ask): Part[] {
  const nodes = nodesIn(ask);
  const conds = nodes.flatMap((node): Part[] => {
    if (node.k === "is" || node.k === "null") return [{ k: "where", of: fieldOf(node.key as Key) }];
    return node.k === "cmp" ? [{ k: "where", of: JSON.stringify(onlyBase([node.a as Num]) ?? node.a) }] : [];
  });
  const keys = ask.k === "table" ? ask.by : [];
  const isRanked = nodes.some(({ ties, having }) => ties !== undefined || having !== undefined);
  return [
    ...conds,
    ...keys.map((key): Part => ({ k: "group", of: key.bucket === undefined ? fieldOf(key) : "time" })),
    ...(windowsIn(ask).length > 0 ? [{ k: "period" as const, of: "" }] : []),
    ...(isRanked ? [{ k: "rank" as const, of: "" }] : []),
  ];
}

function fieldOf({ ds, field }: Key): string {
  return `${ds}.${field}`;
}

/** The fields that its metrics are made of: a condition on one of them is a part of the number. */
function formulasIn(ask: Ask, { metrics }: Schema): string[] {
  return nodesIn(ask).flatMap(({ k, name }) => {
    const { aggregates = [] } = (k === "metric" && metrics.get(String(name))?.formula) || {};
    return aggregates.flatMap(({ pieces }) =>
      pieces.flatMap((each) => (typeof each === "string" ? [] : [fieldOf(each)])),
    );
  });
}
