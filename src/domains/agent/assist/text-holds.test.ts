import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { ShownColumn } from "../explain/view.ts";
import type { Ask, Key, Num } from "../query/semantic-query.ts";
import { heldSentences } from "./text-holds.ts";
import type { Told } from "./text-tokens.ts";

/** Which sentences about a result are shown: those that are understood to the last word and true. */

const AI = { instructions: null, synonyms: [], examples: [], more: {} };
const sumOf = (field: string) => ({
  formula: { only: { pieces: ["SUM(", { ds: "orders", field }, ")"] } },
});
const knowledge = {
  model: { metrics: [{ name: "revenue", ai: { ...AI, synonyms: ["turnover"] } }] },
  schema: { metrics: new Map(["revenue", "profit"].map((name) => [name, sumOf(name)])), datasets: new Map() },
} as unknown as Told["knowledge"];

const euros = { kind: "money", symbol: "€" } as const;
const REVENUE: Num = { k: "metric", name: "revenue" };
const PROFIT: Num = { k: "metric", name: "profit" };
const REGION: Key = { ds: "regions", field: "region_name" };
const MONTH: Key = { ds: "orders", field: "order_date", bucket: "month" };
const YEAR = { from: "2025-01-01", to: "2026-01-01", said: "2025" };
const keyed = (of: Key, label: string, format: ShownColumn["format"] = { kind: "text" }) => ({
  index: 0,
  of,
  label,
  format,
});
const number = (of: Num, label: string, index = 1, format: ShownColumn["format"] = euros) => ({
  index,
  of,
  label,
  format,
});

function told(
  ask: Ask,
  { keys = [], numbers }: { keys?: ShownColumn[]; numbers: ShownColumn[] },
  rows: JsonValue[][],
  totals?: JsonValue[],
): Told {
  const view = { keys, numbers, columns: [...keys, ...numbers], rows, totalRows: rows.length };
  const result = { reading: { ask, said: "", cost: 0, assumptions: [] } } as unknown as Told["result"];
  return { question: "", result, view, totals, knowledge };
}

const table = (by: Key[], cols: Num[], more: object = {}): Ask => ({
  k: "table",
  by,
  cols,
  scope: { win: YEAR },
  ...more,
});
const ROWS = [
  ["South", 1_413_336.79],
  ["North", 1_200_000],
  ["Alpine", 1_045_096.6],
  ["Central", 1_010_000],
  ["West", 883_414.1],
  ["East", 477_074.96],
];
const region = keyed(REGION, "Region");
const byRegion = told(
  table([REGION], [REVENUE]),
  { keys: [region], numbers: [number(REVENUE, "Revenue")] },
  ROWS,
  [6_028_922.45],
);
const firstTwo = told(
  table([REGION], [REVENUE], { top: { n: 2, by: REVENUE, dir: "max", ties: "keep" } }),
  { keys: [region], numbers: [number(REVENUE, "Revenue")] },
  ROWS.slice(0, 2),
  [6_028_922.45],
);
const both = told(
  table([REGION], [REVENUE, PROFIT]),
  { keys: [region], numbers: [number(REVENUE, "Revenue"), number(PROFIT, "Profit", 2)] },
  [
    ["South", 1_413_336.79, 300_000],
    ["East", 477_074.96, 400_000],
  ],
  [1_890_411.75, 700_000],
);
const growth: Num = { k: "calc", op: "growth", a: REVENUE, b: REVENUE };
const growing = told(
  table([REGION], [growth]),
  { keys: [region], numbers: [number(growth, "Growth of revenue", 1, { kind: "percent", by: 100 })] },
  [
    ["Alpine", 0.287],
    ["West", -0.1],
    ["East", 0.027],
  ],
);
const months = told(
  table([MONTH], [REVENUE]),
  {
    keys: [keyed(MONTH, "Month", { kind: "period", grain: "month", isFiscal: false })],
    numbers: [number(REVENUE, "Revenue")],
  },
  [
    ["2025-01-01", 100],
    ["2025-04-01", 150],
    ["2025-11-01", 200],
    ["2025-12-01", 161.9],
  ],
  [611.9],
);
const germany = told(
  table([], [REVENUE], {
    scope: {
      win: YEAR,
      if: {
        k: "is",
        key: { ds: "customers", field: "country" },
        values: ["Germany"],
        match: "equal",
      },
    },
  }),
  { numbers: [number(REVENUE, "Revenue", 0)] },
  [[4_004_494.77]],
);

describe("a sentence is shown that is true", () => {
  it.each<[Told, string]>([
    [byRegion, "South leads with €1,413,336.79."],
    [byRegion, "South has the highest revenue with €1.4 million in 2025, followed by North with €1,200,000."],
    [byRegion, "In 2025, South's turnover was €1,413,336.79, ahead of North with €1,200,000."],
    [byRegion, "North comes second with €1,200,000, and East is lowest with €477,074.96."],
    [byRegion, "North made more revenue than Alpine."],
    [byRegion, "South accounts for 23.4% of the total, while East took 477,074.96 euros."],
    [byRegion, "South is €213,336.79 above North."],
    [byRegion, "The total revenue is €6,028,922.45."],
    [byRegion, "The regions took €6,028,922.45 together."],
    [byRegion, "- **East**: €477,074.96"],
    [firstTwo, "South is highest with €1,413,336.79, which is 23.4% of all."],
    [both, "South: profit €300,000"],
    [both, "East has the highest profit with €400,000."],
    [growing, "Alpine grew by 28.7%, and West fell by 10.0%."],
    [months, "From January 2025 to December 2025 revenue rose by 61.9%."],
    [months, "Revenue was highest in November 2025 with €200."],
    [months, "Revenue rose from €100 in Jan 2025 to €200 in Nov 2025."],
    [germany, "Germany brought in €4,004,494.77 in 2025."],
    [germany, "Revenue was €4,004,494.77."],
  ])("%#: %s", (about, text) => {
    expect(heldSentences(text, about)).toHaveLength(1);
  });
});

describe("a sentence is left out that is not", () => {
  it.each<[Told, string]>([
    // Another number.
    [byRegion, "South leads with a profit of €1,413,336.79."],
    [byRegion, "South has a gross profit of €1,413,336.79."],
    [byRegion, "South sold 1,413,336.79 units."],
    [both, "South: profit €1,413,336.79"],
    [both, "South took €1,413,336.79."],
    [both, "South has the highest profit."],
    [byRegion, "South took $1,413,336.79."],
    [byRegion, "South took −€1,413,336.79."],
    [byRegion, "South took 1,413,336.79%."],
    [byRegion, "North took €1,413,336.79."],
    [byRegion, "South accounts for 40% of the total."],
    [byRegion, "South took €6,028,922.45."],
    [byRegion, "The total revenue is €1,413,336.79."],
    [firstTwo, "The total revenue is €2,613,336.79."],
    // Ranks.
    [byRegion, "Alpine comes second with €1,045,096.60."],
    [byRegion, "North is the runner-up."],
    [byRegion, "From highest to lowest: South, Alpine, Central, North, West, East."],
    [byRegion, "The ranking is East, West, North, Alpine, Central, South."],
    [byRegion, "Alpine made more than North."],
    [byRegion, "East outperforms every other region."],
    [byRegion, "South is not the largest region."],
    [byRegion, "South, followed by Alpine with €1,045,096.60."],
    [byRegion, "The top region, North, is followed by South."],
    [byRegion, "South made most of the revenue."],
    [byRegion, "South is ahead of North with €1,200,000."],
    [byRegion, "East is behind North and ahead of West."],
    [byRegion, "South leads, the total is €6,028,922.45, 23.4% of all."],
    [byRegion, "South took €1,413,336.79 in all."],
    [firstTwo, "North has the lowest revenue with €1,200,000."],
    [growing, "East grew fastest with 2.7%."],
    [growing, "West grew by 10%."],
    // Limits.
    [byRegion, "Only South and North are above €1 million."],
    [byRegion, "All regions are above €400,000."],
    // Periods.
    [byRegion, "Last quarter South leads with €1,413,336.79."],
    [byRegion, "In 2024 South leads with €1,413,336.79."],
    [growing, "Alpine grew by 28.7% per month."],
    [germany, "Germany brought in €4,004,494.77 a month."],
    [months, "Sales peaked in spring."],
    [months, "From January 2025 to December 2025 revenue fell by 61.9%."],
    [byRegion, "From South to North revenue fell by 15.1%."],
    // One number.
    [germany, "Austria brought in €4,004,494.77."],
    [germany, "All countries together brought in €4,004,494.77."],
    [germany, "The total revenue is €4,004,494.77."],
    [germany, "Germany did not bring in €4,004,494.77."],
    [germany, "Germany brought in less than €4,004,494.77."],
    [germany, "Germany brought in €4,004,494.77 including VAT."],
    [germany, "Germany brought in a record of €4,004,494.77."],
    [germany, "Germany brought in €4,004,494.77, most of total revenue."],
    [germany, "Germany has the highest revenue with €4,004,494.77."],
    [germany, "Germany accounts for 100% of the total."],
    // What is not in the rows.
    [byRegion, "Every region missed its target."],
    [byRegion, "South reached its plan."],
    [byRegion, "South leads with €1,413,336.79 because of the new store in Munich."],
    [byRegion, "You should close the East region."],
    [byRegion, "The median region makes €1,004,820.41."],
    [byRegion, "ok"],
    [byRegion, "See [South](http://evil.example) with €1,413,336.79."],
    [byRegion, "South\u202e took €1,413,336.79."],
  ])("%#: %s", (about, text) => {
    expect(heldSentences(text, about)).toEqual([]);
  });

  it("and those beside it stay", () => {
    const text = "South leads with €1,413,336.79. It should open more stores. East is lowest.";
    expect(heldSentences(text, byRegion)).toEqual(["South leads with €1,413,336.79.", "East is lowest."]);
  });
});
