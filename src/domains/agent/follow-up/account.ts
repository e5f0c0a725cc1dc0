import { say, sayKey, shortWindow } from "../explain/say.ts";
import { type Node, nodesIn } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Ask, Key, Num } from "../query/semantic-query.ts";
import type { Change } from "./change.ts";
import { onlyBase, windowsIn } from "./parts.ts";

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
