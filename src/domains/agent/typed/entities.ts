import { AppError } from "../../../kernel/errors.ts";
import { reversed, toOnePath } from "../compile/paths.ts";
import { isSameName, unknownName } from "../query/names.ts";
import { datasetIn, whereAll } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import {
  type Comparison,
  type Cond,
  type Hop,
  isKey,
  type Num,
  type Rel,
  type Window,
} from "../query/semantic-query.ts";

/** The dataset whose entities are meant; each of them has to be told from the others. */
export function entityNamed({ datasets }: Schema, name: string): string {
  const found = [...datasets.values()].find((each) => isSameName(each.name, name));
  if (found === undefined) throw unknownName("dataset", name, [...datasets.keys()]);
  if (found.key.length > 0) return found.name;
  throw new AppError("bad_request", `The model does not say what tells ${found.name} apart.`, {
    hint: "Take a dataset with a primary key, or group by a field and compare the number of groups.",
  });
}

/** That rows belong to one of those entities of which this holds. */
export function ofEntity(ds: string, cond: Cond): Cond {
  return { k: "link", at: ds, path: [], to: whereAll({ k: "all", ds }, [cond]) };
}

/** A number as each entity has it: of the rows that belong to it. */
export function ofEach(num: Num, ds: string, schema: Schema): Num {
  switch (num.k) {
    case "agg":
      return { ...num, path: wayTo(num, ds, schema) };
    case "calc":
      return { ...num, a: ofEach(num.a, ds, schema), b: ofEach(num.b, ds, schema) };
    case "metric":
    case "lit":
      return num;
    default:
      throw new AppError("bad_request", `Such a number is not told for each of ${ds}.`, {
        hint: "Compare a metric, an aggregate or what is calculated of some: count(orders) per customers.",
      });
  }
}

function wayTo({ fn, in: rel }: Extract<Num, { k: "agg" }>, ds: string, schema: Schema): Hop[] {
  const counted = datasetIn(rel as Rel) as string;
  const own = backTo(schema, counted, ds);
  if (own !== undefined) return own;
  const [between] = linking(schema, [ds, counted]);
  // What is met along several rows would be added several times.
  if (between !== undefined && fn !== "sum" && fn !== "avg" && fn !== "median") {
    const there = toOnePath(schema, between, counted) ?? [];
    return [
      ...(backTo(schema, between, ds) as Hop[]),
      ...there.map(({ name: link }) => ({ link, dir: "one" as const })),
    ];
  }
  throw new AppError("bad_request", `${counted} do not belong to ${ds}.`, {
    hint: `Take rows that do: ${belonging(schema, ds).join(", ") || "there are none"}.`,
  });
}

/** From an entity to the rows that belong to it. */
export function backTo(schema: Schema, from: string, ds: string): Hop[] | undefined {
  const path = toOnePath(schema, from, ds);
  return path && reversed(path.map(({ name: link }) => ({ link, dir: "one" })));
}

/** The datasets whose rows belong to all of these; of several those that are nearest. */
export function linking(schema: Schema, all: readonly string[]): string[] {
  const far = (ds: string) => {
    const ways = all.map((to) => toOnePath(schema, ds, to));
    return ways.every((way) => way !== undefined)
      ? ways.flat().reduce((sum, { cost }) => sum + cost, 0)
      : Number.POSITIVE_INFINITY;
  };
  const found = [...schema.datasets.keys()].map((ds) => ({ ds, cost: far(ds) }));
  const least = Math.min(...found.map(({ cost }) => cost));
  return Number.isFinite(least) ? found.filter(({ cost }) => cost === least).map(({ ds }) => ds) : [];
}

/** Datasets whose rows belong to those of this one. */
export function belonging(schema: Schema, ds: string): string[] {
  return [...schema.datasets.keys()].filter(
    (each) => each !== ds && toOnePath(schema, each, ds) !== undefined,
  );
}

/** A period holds for what is counted of entities as well, unless a number has one of its own, or no date. */
export function datedNumber(num: Num, win: Window, schema: Schema): Num {
  const dated = (of: Num) => datedNumber(of, win, schema);
  if (num.k === "calc") return { ...num, a: dated(num.a), b: dated(num.b) };
  const counted = num.k === "agg" && num.in !== undefined ? datasetIn(num.in) : undefined;
  if (counted !== undefined && schema.datasets.get(counted)?.date == null) return num;
  return num.k === "metric" || num.k === "agg" ? { ...num, scope: { win, ...num.scope } } : num;
}

/** Of nothing it is 0: a count or a sum. */
export function isAmount(num: Num, { metrics }: Schema): boolean {
  const fn =
    num.k === "agg" ? num.fn : num.k === "metric" ? (metrics.get(num.name)?.formula.only?.fn ?? "") : "";
  return /^(count|distinct|sum)/.test(fn);
}

const OPPOSITE: Partial<Record<Comparison, Comparison>> = { "<": ">=", "<=": ">", "=": "<>" };

/** Entities without any rows have a sum of 0 as well, which SQL does not know. */
export function orNone(cond: Cond, schema: Schema): Cond {
  if (cond.k !== "cmp" || isKey(cond.a) || isKey(cond.b) || cond.b.k !== "lit") return cond;
  const { v } = cond.b;
  const op = OPPOSITE[cond.op];
  const takesNone = cond.op === "<" ? v > 0 : cond.op === "<=" ? v >= 0 : v === 0;
  const isSum = isAmount(cond.a, schema) && !isCounted(cond.a, schema);
  return op === undefined || !takesNone || !isSum ? cond : { k: "not", of: { ...cond, op } };
}

function isCounted(num: Num, { metrics }: Schema): boolean {
  if (num.k === "agg") return num.fn !== "sum";
  return num.k === "metric" && metrics.get(num.name)?.formula.only?.isCount === true;
}
