import { isSpread } from "../compile/told-by.ts";
import type { ColumnRef } from "../query/metric-formula.ts";
import type { Schema } from "../query/schema.ts";
import type { Key, Num, Rel } from "../query/semantic-query.ts";

/** Whether the numbers of all groups that these keys make are together the number of the whole. */
export function isAdditive(num: Num, schema: Schema, by: readonly Key[]): boolean {
  if (num.k !== "metric" && num.k !== "agg") return false;
  if (num.scope?.whole === true || isSpread(schema, num, by)) return false;
  if (num.k === "metric") return isAdditiveMetric(num.name, schema);
  if (num.path !== undefined) return false;
  // What stands in the rows of several groups is in each of them.
  if (num.fn === "sum") return num.of === undefined || isKeyed(num.in ?? { k: "all", ds: num.of.ds }, schema);
  // An entity belongs to one group, so it is counted in one.
  return num.fn === "count" && (num.of !== undefined || isKeyed(num.in, schema));
}

function isAdditiveMetric(name: string, schema: Schema): boolean {
  const { only } = schema.metrics.get(name)?.formula ?? {};
  const [column, ...others] = only?.columns ?? [];
  const opening = String(only?.pieces[0] ?? "");
  if (/^\s*(sum|count)\s*\((?!\s*distinct\b)/i.test(opening)) return true;
  // Nothing belongs to rows that are only numbered, so that each of them is in one group.
  const isRows = column !== undefined && others.length === 0 && isRowNumber(column, schema);
  return isRows && /^\s*count\s*\(\s*distinct\s*$/i.test(opening);
}

function isRowNumber({ ds, field }: ColumnRef, { datasets }: Schema): boolean {
  const { key = [], isNumbered } = datasets.get(ds) ?? {};
  return isNumbered === true && key[0] === field;
}

function isKeyed(rel: Rel | undefined, schema: Schema): boolean {
  if (rel === undefined) return false;
  if (rel.k === "where" || rel.k === "top") return isKeyed(rel.in, schema);
  return rel.k === "all" && schema.datasets.get(rel.ds)?.isKeyed === true;
}
