import { expect, it } from "vitest";
import type { Ask, Num } from "../query/semantic-query.ts";
import { openGrowth } from "./period.ts";

const REVENUE: Num = { k: "metric", name: "revenue" };
const GROWTH: Num = {
  k: "calc",
  op: "growth",
  a: REVENUE,
  b: { k: "lag", of: REVENUE, n: 1, grain: "year" },
};
const DATE = { ds: "orders", field: "order_date" };

it("asks for the period of a growth that has none", () => {
  const grown: Ask = { k: "table", by: [{ ds: "orders", field: "country" }], cols: [GROWTH] };
  expect(openGrowth(grown)).toHaveLength(1);
  expect(openGrowth({ ...grown, cols: [REVENUE] })).toEqual([]);
  expect(openGrowth({ ...grown, by: [{ ...DATE, bucket: "month" }] })).toEqual([]);
  const win = { from: "2025-01-01", to: "2026-01-01", said: "2025" };
  expect(openGrowth({ ...grown, scope: { win } })).toEqual([]);
});
