import { expect, it } from "vitest";
import { cafeSchema, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { MONTH, REVENUE, reading, SHOP } from "../../../../test/support/questions.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { compile } from "../compile/compile.ts";
import { viewOf } from "../explain/view.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { DataPeriod } from "../query/schema.ts";
import type { Ask, Num } from "../query/semantic-query.ts";
import { cutShort } from "./data-period.ts";
import { unknownOf } from "./execute.ts";

const schema = {
  ...cafeSchema(),
  periods: [{ ds: "visits", field: "visited_on", first: "2024-02-01", last: "2025-03-08" }],
};
const knowledge = { schema } as unknown as Knowledge;

const year = (of: number) => ({ from: `${of}-01-01`, to: `${of + 1}-01-01`, said: String(of) });
const revenueIn = (of: number): Num => ({ ...REVENUE, scope: { win: year(of) } }) as Num;
const change = (of: number): Ask => ({
  k: "table",
  by: [SHOP],
  cols: [{ k: "calc", op: "-", a: revenueIn(of), b: revenueIn(of - 1) }],
});
const moreIn = (of: number): Ask => ({
  k: "list",
  show: [SHOP],
  rel: {
    k: "where",
    in: { k: "all", ds: "shops" },
    if: { k: "cmp", a: revenueIn(of), op: ">", b: revenueIn(of - 1) },
  },
});
const total = (of: number): Ask => ({ k: "table", by: [], cols: [REVENUE], scope: { win: year(of) } });
const today: Ask = {
  k: "table",
  by: [],
  cols: [REVENUE],
  scope: { win: { from: "2025-03-10", to: "2025-03-11", said: "today" } },
};
const BEGIN = "The data begin on 2024-02-01 (visited on).";
const END = "The data end on 2025-03-08 (visited on).";

it.each<[string, Ask, JsonValue[][], string[]]>([
  ["a year before the data", total(2022), [[null]], [BEGIN]],
  ["a year that is still to come", total(2026), [[null]], [END]],
  ["a day after the data that is there", today, [[null]], []],
  ["a year of the data without anything", total(2025), [[null]], []],
  ["a change since before the data", change(2024), [["Mitte", 12]], [BEGIN]],
  ["a change within the data", change(2025), [["Mitte", 12]], []],
  ["who had more than before the data", moreIn(2024), [["Mitte"]], [BEGIN]],
  ["who had more than within the data", moreIn(2025), [], []],
  ["months without a period", { k: "table", by: [MONTH], cols: [REVENUE] }, [], []],
])("of %s", (_, ask, rows, why) => {
  const result = { reading: reading("", ask), compiled: compile(schema, ask), types: [], rows, totalRows: 1 };
  expect(unknownOf(result, knowledge, "2025-03-10T12:00:00Z")).toEqual(why);
});

it.each([
  ["2023-11-01", ["The data begin on 2024-02-01 (visited on)."]],
  ["2024-02-01", []],
])("a series from %s on says where the data begin", (from, told) => {
  const win = { from, to: "2025-03-01", said: "until March" };
  const ask: Ask = { k: "table", by: [MONTH], cols: [REVENUE], scope: { win }, fill: true };
  const rows = [["2024-02-01", 3]];
  const types = ["DATE", "DOUBLE"];
  const result = { reading: reading("", ask), compiled: compile(schema, ask), types, rows, totalRows: 1 };
  const view = viewOf(result, { ...knowledge, model: visibleCafe() });
  expect(cutShort(result, view, schema.periods[0] as DataPeriod, "2025-03-10T12:00:00Z")).toEqual(told);
});
