import { AppError } from "../../../kernel/errors.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { findMetric, isSameName, keysNamed, qualified, unknownName } from "../query/names.ts";
import { kindOf as kindOfType } from "../query/schema.ts";
import type { Aggregate, Num } from "../query/semantic-query.ts";
import { keyOf, kindOf } from "./keys.ts";

const CALL = /^(\w+)\s*\(\s*(.*?)\s*\)$/s;

const FUNCTIONS: ReadonlyMap<string, Aggregate> = new Map<string, Aggregate>([
  ...(["count", "distinct", "sum", "avg", "median", "min", "max"] as const).map((fn) => [fn, fn] as const),
  ["count_distinct", "distinct"],
  ["average", "avg"],
]);

/** A metric by its name, or an aggregate: `count(orders)`, `avg(products.list_price)`. */
export function numberOf(knowledge: Knowledge, text: string): Num {
  const found = numberNamed(knowledge, text);
  if (found !== undefined) return found;
  const { schema, model } = knowledge;
  if (model.metrics.some(({ name }) => isSameName(name, text)))
    throw new AppError("bad_request", `The formula of ${text} is not made of plain aggregates.`, {
      hint: "It cannot be worked out by groups. Take another metric, or an aggregate of a field.",
    });
  const [field] = keysNamed(schema, text);
  if (field === undefined) throw unknownName("metric", text, [...schema.metrics.keys()]);
  throw new AppError("bad_request", `${text} is a field, and no metric.`, {
    hint: `Say what is wanted of it: sum(${qualified(field)}), avg, min, max, median, count or distinct.`,
  });
}

/** The same; undefined where it is neither. */
export function numberNamed(knowledge: Knowledge, text: string): Num | undefined {
  const name = findMetric(knowledge.schema, text);
  if (name !== undefined) return { k: "metric", name };
  const [, said, of] = CALL.exec(text) ?? [];
  return said === undefined || of === undefined ? undefined : aggregateOf(knowledge, said, of);
}

/** Whether it is no amount but a date: the first or the last one of its rows. */
export function isDay(num: Num, { schema, model }: Knowledge): boolean {
  if (num.k === "agg" && num.of !== undefined)
    return (num.fn === "min" || num.fn === "max") && kindOf(schema, num.of) === "date";
  const type = num.k === "metric" ? model.metrics.find(({ name }) => name === num.name)?.type : undefined;
  return type !== undefined && kindOfType(type, null) === "date";
}

function aggregateOf({ schema }: Knowledge, said: string, inside: string): Num {
  const isDistinct = /^distinct\s+/i.test(inside);
  const of = inside.replace(/^distinct\s+/i, "");
  const fn = isDistinct ? "distinct" : FUNCTIONS.get(said.toLowerCase());
  if (fn === undefined)
    throw new AppError("bad_request", `There is no aggregate ${said}.`, {
      hint: "Those that there are: count, distinct, sum, avg, median, min, max.",
    });
  const datasets = [...schema.datasets.keys()];
  const ds = datasets.find((each) => isSameName(each, of));
  if (fn === "count" && ds !== undefined) return { k: "agg", fn, in: { k: "all", ds } };
  if (fn === "count" && keysNamed(schema, of).length === 0) throw unknownName("dataset", of, datasets);
  const key = keyOf(schema, of);
  const kind = kindOf(schema, key);
  const isEither = fn === "min" || fn === "max" ? kind === "number" || kind === "date" : kind === "number";
  if (fn !== "count" && fn !== "distinct" && !isEither)
    throw new AppError("bad_request", `${qualified(key)} is no number, so there is no ${fn} of it.`, {
      hint: `Take a number, or distinct(${qualified(key)}).`,
    });
  return { k: "agg", fn, of: key, in: { k: "all", ds: key.ds } };
}
