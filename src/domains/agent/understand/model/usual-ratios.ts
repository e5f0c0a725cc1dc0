import type { VisibleModel } from "../../../models/index.ts";
import type { Schema } from "../../query/schema.ts";
import type { Num } from "../../query/semantic-query.ts";
import { phraseKey } from "../languages/words.ts";
import { countOf, moneyMetrics, salesIn } from "./usual-sales.ts";

/** A number that everybody in business defines the same way, of two that a model has. */
export interface UsualRatio {
  phrases: readonly string[];
  num: Extract<Num, { k: "calc" }>;
}

const MARGIN = ["profit margin", "margin", "gross margin"];
const ORDER_VALUE = ["average order value", "order value", "average basket"];
const PROFIT = /^(gross_)?(profit|gewinn|rohertrag)$/i;

/** The margin and the value of an order, where the author has none of that name but both of its parts. */
export function usualRatios(model: VisibleModel, schema: Schema): UsualRatio[] {
  const [money, ...others] = moneyMetrics(schema);
  if (money === undefined || others.length > 0) return [];
  const called = [...model.metrics, ...model.datasets.flatMap(({ fields }) => fields)].flatMap(
    ({ name, ai }) => [name, ...ai.synonyms].map((text) => phraseKey(text)),
  );
  const isNew = (phrases: readonly string[]) => {
    const last = phraseKey(phrases[0] ?? "")
      .split(" ")
      .at(-1) as string;
    return !called.some((text) => text.split(" ").includes(last));
  };
  const a: Num = { k: "metric", name: money };
  const profit = [...schema.metrics.keys()].find((name) => PROFIT.test(name));
  const orders = ordersIn(model, schema);
  const over = (top: Num, b: Num) => ({ k: "calc" as const, op: "/" as const, a: top, b });
  return [
    ...(profit !== undefined && isNew(MARGIN)
      ? [{ phrases: MARGIN, num: over({ k: "metric", name: profit }, a) }]
      : []),
    ...(orders !== undefined && isNew(ORDER_VALUE) ? [{ phrases: ORDER_VALUE, num: over(a, orders) }] : []),
  ];
}

/** How many orders there were that money was earned with: by the author's number of them, or by their rows. */
function ordersIn(model: VisibleModel, schema: Schema): Num | undefined {
  const [sales, ...others] = salesIn(model, schema);
  if (sales === undefined || others.length > 0) return undefined;
  const counted = countOf(schema, sales.holder);
  if (counted !== undefined) return { k: "metric", name: counted };
  return { k: "agg", fn: "count", in: { k: "all", ds: sales.holder } };
}
