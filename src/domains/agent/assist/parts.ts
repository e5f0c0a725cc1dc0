import type { Schema } from "../query/schema.ts";
import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Literal,
  type Num,
  type Rel,
  type Top,
  type Window,
} from "../query/semantic-query.ts";
import { PlanProblem } from "./check-plan.ts";

/** A part of a query that a word has to ask for: a number, group, value, condition, rank or piece of arithmetic. */
export interface Part {
  /** What it is; words that ask for it are found by this, and whoever wrote the query is told by it. */
  said: string;
  /** What a language model may call it. */
  names: readonly string[];
  /** Values and operations are less sure than names of the model. */
  kind: "name" | "value" | "operation";
}

/** What parts are called, by queries and by words alike. */
export const CALLED = {
  metric: (metric: string) => `the metric ${metric}`,
  dataset: (ds: string) => `the dataset ${ds}`,
  field: ({ ds, field }: Key) => `${ds}.${field}`,
  rank: ({ ds, field }: Key) => `a rank by ${ds}.${field}`,
  value: ({ ds, field }: Key, value: Literal) => `the value "${value}" of ${ds}.${field}`,
  periods: (bucket: string, isFiscal = false) => `periods of a ${isFiscal ? "fiscal " : ""}${bucket}`,
  place: (dir: "max" | "min") => (dir === "max" ? "the highest" : "the lowest"),
  number: (n: number) => `the number ${n}`,
  limit: (op: string, n: number) => `${op} ${n}`,
  share: "a share",
  not: "leaving something out",
  either: "one of two conditions",
  comparison: "a comparison",
  ofEach: "the first ones of each group",
};

const named = (said: string, ...names: string[]): Part => ({ said, names, kind: "name" });
const operation = (said: string, ...names: string[]): Part => ({ said, names, kind: "operation" });
const without = operation(CALLED.not, "not");

type Node = Rel | Cond | Num | Key | Top | Window;

/** What of a query says nothing that would have to be asked for. */
const SILENT = new Set(["path", "order", "show"]);

/**
 * Everything in a query that a word has to ask for. `known` are conditions that words stand for as they are, such as
 * those that the author defines.
 */
export function partsOf(ask: Ask, schema: Schema, known: ReadonlySet<string>): Part[] {
  const numbers = ask.k === "table" ? ask.cols.flatMap(leavesOf) : [];
  const dates = new Set(numbers.flatMap((num) => dateOf(num, schema) ?? []).map(CALLED.field));
  const walk = (node: unknown): Part[] => {
    if (typeof node !== "object" || node === null || known.has(textOf(node))) return [];
    if (Array.isArray(node)) return node.flatMap(walk);
    const { skipped, parts } = ownParts(node as Node, schema, dates);
    const inner = Object.entries(node).filter(([name]) => !SILENT.has(name) && !skipped?.includes(name));
    return [...parts, ...inner.flatMap(([, child]) => walk(child))];
  };
  if (ask.k === "list") return [...count(ask.limit), ...walk(ask)];
  requireSamePeriod(ask);
  const scopes = [ask, ...numbers].map((each) => ("scope" in each ? each.scope?.if : undefined));
  const days = scopes.flatMap(periodsIn).flatMap((on) => ofField(on, schema));
  return [...days, ...walk(ask)];
}

interface Own {
  parts: Part[];
  /** What in it is no part by itself. */
  skipped?: string[];
}

/** What a piece of a query asks for by itself. */
function ownParts(node: Node, schema: Schema, dates: ReadonlySet<string>): Own {
  if ("ties" in node && !isRel(node)) return placeOf(node);
  if ("said" in node)
    return { parts: [], skipped: node.on && dates.has(CALLED.field(node.on)) ? ["on"] : [] };
  if (!("k" in node)) return { parts: "ds" in node ? ofField(node, schema) : [] };
  switch (node.k) {
    case "all":
      return { parts: [named(CALLED.dataset(node.ds), node.ds, ...fieldsOf(node.ds, schema))] };
    case "where":
      // What the values of entities say stands for them: "Aroma".
      return { parts: [], skipped: node.in.k === "all" && node.if.k === "is" ? ["in"] : [] };
    case "top":
      return placeOf(node);
    case "set":
      return { parts: node.op === "minus" ? [without] : [] };
    case "not":
    case "null":
      return { parts: [without] };
    case "is":
      return ofValues(node);
    case "during":
      return ofPeriod(node.win, schema);
    case "or":
      return { parts: [operation(CALLED.either)] };
    case "cmp":
      return ofComparison(node);
    case "link":
      return { parts: node.count === undefined ? [] : ofCount(node.count) };
    case "metric":
      return { parts: [named(CALLED.metric(node.name), node.name)] };
    case "agg":
      return {
        parts: ofFunction(node.fn),
        skipped: node.of !== undefined && node.in?.k === "all" ? ["in"] : [],
      };
    case "each":
      return { parts: ofFunction(node.fn) };
    case "calc":
      requireOrder(node);
      return {
        parts: [
          node.op === "*"
            ? operation("a product")
            : operation(isShare(node) ? CALLED.share : `"${node.op}"`, node.op),
        ],
      };
    case "lag":
      return { parts: [operation('"lag"', "lag"), ...count(node.n)] };
    case "running":
      return { parts: [operation('"running"', "running")] };
    case "lit":
      return { parts: [operation(`the number ${node.v} as such`)] };
    default:
      return { parts: [] };
  }
}

function isRel(node: object): node is Extract<Rel, { k: "top" }> {
  return "k" in node;
}

function placeOf({ dir, n, per, by }: Pick<Top, "dir" | "n" | "per"> & { by: Num | Key }): Own {
  const rank = isKey(by) ? [named(CALLED.rank(by), CALLED.field(by), by.field)] : [];
  const each = (per?.length ?? 0) > 0 ? [operation(CALLED.ofEach)] : [];
  return {
    parts: [operation(CALLED.place(dir), "top"), ...count(n), ...rank, ...each],
    skipped: isKey(by) ? ["by"] : [],
  };
}

function ofField(key: Key, { datasets }: Schema): Part[] {
  const { ds, field, bucket, fiscal } = key;
  if (bucket !== undefined) return [operation(CALLED.periods(bucket, fiscal === true))];
  const dataset = datasets.get(ds);
  const isName = dataset?.nameField === field || dataset?.key.includes(field) === true;
  return [named(CALLED.field(key), CALLED.field(key), field, ...(isName ? [ds] : []))];
}

function fieldsOf(ds: string, { datasets }: Schema): string[] {
  return [...(datasets.get(ds)?.fields.keys() ?? [])].map((field) => `${ds}.${field}`);
}

/** A value stands for its field; yes and no do not. */
function ofValues({ key, values }: Extract<Cond, { k: "is" }>): Own {
  const [first] = values;
  if (typeof first === "boolean") return { parts: first ? [] : [without] };
  const parts = values.map((value): Part => {
    return { said: CALLED.value(key, value), names: [String(value)], kind: "value" };
  });
  return { parts, skipped: ["key"] };
}

/** The date that entities go by stands for them, and any other for itself. */
function ofPeriod({ on }: Window, { datasets }: Schema): Own {
  const date = datasets.get(on?.ds ?? "")?.date;
  const isUsual =
    on !== undefined && date !== undefined && date !== null && CALLED.field(date) === CALLED.field(on);
  return isUsual
    ? { parts: [named(CALLED.dataset(on.ds), on.ds, CALLED.field(on))], skipped: ["win"] }
    : { parts: [] };
}

function ofComparison({ op, b }: Extract<Cond, { k: "cmp" }>): Own {
  if (isKey(b) || b.k !== "lit") return { parts: [operation(CALLED.comparison)] };
  const isNone = b.v === 0 && (op === "=" || op === ">");
  return { parts: [isNone ? without : operation(CALLED.limit(op, b.v))], skipped: ["b"] };
}

function ofCount({ op, n }: { op: string; n: number }): Part[] {
  if (op === ">=" && n === 1) return [];
  return [n === 0 || (op === "<" && n === 1) ? without : operation(CALLED.limit(op, n))];
}

function ofFunction(fn: Extract<Num, { k: "agg" }>["fn"]): Part[] {
  if (fn === "min" || fn === "max") return [operation(`the ${fn}`)];
  return fn === "avg" || fn === "median" ? [operation(`the ${fn}`, fn)] : [];
}

/** As many as are said; or the one that is the first. */
function count(n: number | undefined): Part[] {
  return n === undefined || n === 1 ? [] : [operation(CALLED.number(n))];
}

function isShare({ op, a, b }: Extract<Num, { k: "calc" }>): boolean {
  return op === "/" && a.k === "metric" && b.k === "metric" && a.name === b.name;
}

/** The date that a number goes by where none is named. */
function dateOf(num: Num, { metrics, datasets }: Schema): Key | null | undefined {
  if (num.k === "metric") return metrics.get(num.name)?.date;
  const ds = num.k !== "agg" ? undefined : (num.of?.ds ?? (num.in?.k === "all" ? num.in.ds : undefined));
  return datasets.get(ds ?? "")?.date;
}

/** The dates of periods that are conditions on rows, and not the period of numbers. */
function periodsIn(cond: Cond | undefined): Key[] {
  if (cond?.k === "and" || cond?.k === "or") return cond.of.flatMap(periodsIn);
  if (cond?.k === "not") return periodsIn(cond.of);
  if (cond?.k !== "during") return [];
  if (cond.win.on === undefined)
    throw new PlanProblem('The period of numbers belongs into the "win" of a scope.');
  return [cond.win.on];
}

/** Change is from the earlier to the later, and a share is of the whole. */
function requireOrder({ op, a, b }: Extract<Num, { k: "calc" }>): void {
  const scope = (num: Num) => ("scope" in num ? num.scope : undefined);
  const [later, earlier] = [scope(a)?.win?.from, scope(b)?.win?.from];
  const isBefore = a.k === "lag" || (later && earlier && later < earlier);
  if ((op === "growth" || op === "-") && isBefore)
    throw new PlanProblem(`"${op}" has the later period as "a" and the earlier one as "b".`);
  if (op === "/" && scope(a)?.whole === true) throw new PlanProblem('A share has the whole as "b".');
}

/** Where one number of a table has a period of its own, each has: others would be of all times. */
function requireSamePeriod({ cols, scope }: Extract<Ask, { k: "table" }>): void {
  if (scope?.win !== undefined) return;
  const hasOwn = cols.flatMap(leavesOf).map((num) => "scope" in num && num.scope?.win !== undefined);
  if (hasOwn.includes(true) && hasOwn.includes(false))
    throw new PlanProblem("A period holds for each number of the question.");
}

function leavesOf(num: Num): Num[] {
  if (num.k === "calc") return [...leavesOf(num.a), ...leavesOf(num.b)];
  if (num.k === "each" || num.k === "lag" || num.k === "running") return leavesOf(num.of);
  return num.k === "metric" || num.k === "agg" ? [num] : [];
}

/** The same text for the same condition, in whichever order it was written. */
export function textOf(node: unknown): string {
  return JSON.stringify(node, (_, value: unknown) =>
    typeof value !== "object" || value === null || Array.isArray(value)
      ? value
      : Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  );
}
