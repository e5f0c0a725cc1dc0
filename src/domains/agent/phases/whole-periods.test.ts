import { describe, expect, it } from "vitest";
import { cafeSchema, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { MONTH, REVENUE, reading, SHOP } from "../../../../test/support/questions.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Num } from "../query/semantic-query.ts";
import { inWholePeriods } from "./like-with-like.ts";

/** Rows from the middle of November on. */
const knowledge = {
  model: visibleCafe(),
  schema: {
    ...cafeSchema(),
    periods: [{ ds: MONTH.ds, field: MONTH.field, first: "2024-11-18", last: "2025-03-31" }],
  },
  values: [],
} as unknown as Knowledge;

function windowOf(ask: Ask, now = "2025-03-10T00:00:00Z") {
  const [made] = inWholePeriods([reading("", ask)], knowledge, now);
  const win = made?.ask.k === "table" ? made.ask.scope?.win : undefined;
  return win && [win.from, win.to, made?.assumptions.length];
}

const lowest: Ask = {
  k: "table",
  by: [MONTH],
  cols: [REVENUE],
  top: { n: 1, by: REVENUE, dir: "min", ties: "keep" },
};
const growth: Num = {
  k: "calc",
  op: "growth",
  a: REVENUE,
  b: { k: "lag", of: REVENUE, n: 1, grain: "month" },
};

describe("parts of periods", () => {
  it("are never the lowest", () => {
    expect(windowOf(lowest)).toEqual(["2024-12-01", "2025-03-01", 1]);
    expect(windowOf(lowest, "2025-04-02T00:00:00Z")).toEqual(["2024-12-01", "2025-04-01", 1]);
  });

  it("are in no average of periods", () => {
    const average: Ask = { k: "table", by: [], cols: [{ k: "each", fn: "avg", of: REVENUE, per: [MONTH] }] };
    expect(windowOf(average)).toEqual(["2024-12-01", "2025-03-01", 1]);
    expect(windowOf({ ...average, by: [SHOP] })).toEqual(["2024-12-01", "2025-03-01", 1]);
    const guests: Num = { k: "agg", fn: "distinct", of: { ds: "visits", field: "guest_id" } };
    const counted: Num = { k: "each", fn: "avg", of: guests, per: [MONTH] };
    expect(windowOf({ ...average, cols: [counted] })).toEqual(["2024-12-01", "2025-03-01", 1]);
    const tips: Num = { k: "each", fn: "avg", of: { k: "metric", name: "average_tip" }, per: [MONTH] };
    expect(windowOf({ ...average, cols: [tips] })).toBeUndefined();
  });

  it("are nothing that growth begins with", () => {
    expect(windowOf({ k: "table", by: [MONTH], cols: [growth] })).toEqual(["2025-01-01", null, 1]);
  });

  it("stay where they make no difference, and where hardly anything else is left", () => {
    expect(windowOf({ ...lowest, top: { n: 1, by: REVENUE, dir: "max", ties: "keep" } })).toBeUndefined();
    expect(windowOf({ k: "table", by: [MONTH], cols: [REVENUE] })).toBeUndefined();
    const win = { from: "2025-02-01", to: "2025-04-01", said: "February and March" };
    expect(windowOf({ ...lowest, scope: { win } })?.slice(0, 2)).toEqual(["2025-02-01", "2025-04-01"]);
    const whole = { from: "2024-12-01", to: "2025-03-01", said: "winter" };
    expect(windowOf({ ...lowest, scope: { win: whole } })?.[2]).toBe(0);
  });
});
