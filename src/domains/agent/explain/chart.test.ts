import { describe, expect, it } from "vitest";
import { cafeSchema, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { MONTH, REGION, REVENUE, reading, SHOP } from "../../../../test/support/questions.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { compile } from "../compile/compile.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Num } from "../query/semantic-query.ts";
import { chartsOf, pictureOf } from "./chart.ts";
import { viewOf } from "./view.ts";

const schema = cafeSchema();
const knowledge = { model: visibleCafe(), schema, values: [] } as unknown as Knowledge;
const AVERAGE: Num = { k: "metric", name: "average_ticket" };
const SHARE: Num = { k: "calc", op: "/", a: REVENUE, b: { ...REVENUE, scope: { whole: true } } as Num };
const TOP = { n: 5, by: REVENUE, dir: "max", ties: "keep" } as const;

const table = (by: Extract<Ask, { k: "table" }>["by"], cols: Num[], more: object = {}): Ask => ({
  k: "table",
  by,
  cols,
  ...more,
});

function shown(ask: Ask, rows: JsonValue[][], types: string[], unread = 0, more: Partial<Shown> = {}) {
  const { wish, cut = new Set<string>(), periods } = more;
  const totalRows = rows.length + unread;
  const result = { reading: reading("t", ask), compiled: compile(schema, ask), types, rows, totalRows };
  const view = viewOf(result, knowledge);
  const charts = chartsOf(view, { said: "t", ask, schema, wish, periods });
  return { chart: charts[0], picture: pictureOf(view, charts, { title: "T", cut }) };
}

interface Shown {
  wish: "bar" | "line" | "pie";
  periods: string[];
  cut: ReadonlySet<string>;
}

const chart = (...args: Parameters<typeof shown>) => shown(...args).chart;
const groups = (count: number) => Array.from({ length: count }, (_, i) => [`s${i}`, count - i]);
const GROUPED = ["VARCHAR", "DOUBLE"];

describe("parts of a whole", () => {
  it("[agent.chart.pie] are slices, the largest first, and what is too small is one", () => {
    const rows = Array.from({ length: 10 }, (_, i) => [`s${i}`, (i + 1) / 55]);
    const pie = chart(table([SHOP], [SHARE]), rows, GROUPED);
    expect(pie).toMatchObject({ type: "pie", slices: { length: 7, 0: { label: "s9" } } });
    expect(pie?.slices?.[6]).toEqual({ label: "Other", value: expect.closeTo(10 / 55, 9) });
    expect(pie).not.toHaveProperty("categories");
  });

  it("of which only some are there have all others in one slice", () => {
    const pie = chart(
      table([SHOP], [SHARE], { top: TOP }),
      [
        ["a", 0.5],
        ["b", 0.2],
      ],
      GROUPED,
    );
    expect(pie?.slices).toEqual([
      { label: "a", value: 0.5 },
      { label: "b", value: 0.2 },
      { label: "Other", value: expect.closeTo(0.3, 9) },
    ]);
  });

  it.each([
    ["more than the whole", 0.9],
    ["below zero", -0.2],
  ])("that are %s are bars", (_, second) => {
    const rows = [
      ["a", 0.5],
      ["b", second],
    ];
    expect(chart(table([SHOP], [SHARE]), rows, GROUPED)?.type).toBe("bar");
  });
});

describe("groups", () => {
  it("[agent.chart.bar] stand side by side, and lie when there are many, long names or a ranking", () => {
    const layout = (rows: JsonValue[][], more = {}) =>
      chart(table([SHOP], [REVENUE], more), rows, GROUPED)?.layout;
    expect(layout(groups(4))).toBe("vertical");
    expect(layout(groups(9))).toBe("horizontal");
    expect(layout([...groups(2), ["a name that is rather long", 1]])).toBe("horizontal");
    expect(layout(groups(4), { top: TOP })).toBe("horizontal");
  });

  it("leave out what has no number", () => {
    const rows: JsonValue[][] = [...groups(3), ["none", null]];
    expect(chart(table([SHOP], [REVENUE]), rows, GROUPED)?.categories).toEqual(["s0", "s1", "s2"]);
  });

  it("that are many have the smallest together, if their numbers add up and all are there", () => {
    const all = chart(table([SHOP], [REVENUE]), groups(24), GROUPED);
    expect(all?.categories).toHaveLength(20);
    expect(all?.categories?.[19]).toBe("Other");
    expect(all?.series?.[0]?.data.reduce((a, b) => a + b)).toBe((24 * 25) / 2);
    const flat = chart(table([SHOP], [REVENUE]), groups(60), GROUPED);
    expect(flat).toMatchObject({ title: "T (20 of 60)", categories: { length: 20, 19: "s19" } });
    for (const [ask, unread] of [
      [table([SHOP], [AVERAGE]), 0],
      [table([SHOP], [REVENUE], { top: { ...TOP, n: 30 } }), 0],
      [table([SHOP], [REVENUE]), 9_970],
    ] as const) {
      const some = chart(ask, groups(30), GROUPED, unread);
      const all = (30 + unread).toLocaleString("en-US");
      expect(some).toMatchObject({ title: `T (20 of ${all})`, categories: { length: 20, 19: "s19" } });
    }
  });

  it("[agent.chart.bar.grouped] with several numbers of a kind have one name for their axis", () => {
    const during = (from: string, to: string, said: string): Num =>
      ({ ...REVENUE, scope: { win: { from, to, said } } }) as Num;
    const cols = [
      during("2025-02-01", "2025-03-01", "February"),
      during("2025-01-01", "2025-02-01", "January"),
    ];
    const rows = [
      ["a", 1, 2],
      ["b", 3, 4],
    ];
    expect(chart(table([SHOP], cols), rows, ["VARCHAR", "DOUBLE", "DOUBLE"])).toMatchObject({
      yAxisLabel: "Revenue (€)",
      series: [
        { label: "Revenue (February)", data: [1, 3] },
        { label: "Revenue (January)", data: [2, 4] },
      ],
    });
  });

  it("[agent.chart.scatter] with two different numbers are points", () => {
    const count: Num = { k: "metric", name: "visit_count" };
    const rows = Array.from({ length: 6 }, (_, i) => [`s${i}`, i * 1.5, i]);
    const { chart, picture } = shown(table([SHOP], [REVENUE, count]), rows, ["VARCHAR", "DOUBLE", "BIGINT"]);
    expect(chart).toMatchObject({ type: "scatter", points: { length: 6, 2: { x: 3, y: 2, label: "s2" } } });
    expect(picture).toMatchObject({ kind: "spec", chart: { formats: { x: "money:EUR", y: "integer" } } });
  });
});

describe("periods", () => {
  const types = ["DATE", "VARCHAR", "DOUBLE"];
  const rows = [
    ["2025-02-01", "N", 3],
    ["2025-02-01", "S", 4],
    ["2025-01-01", "N", 1],
    ["2025-01-01", "S", 2],
  ];

  it("[agent.chart.line] are a line for each group, in their order", () => {
    expect(chart(table([MONTH, REGION], [REVENUE]), rows, types)).toMatchObject({
      type: "line",
      categories: ["Jan 2025", "Feb 2025"],
      series: [
        { label: "N", data: [1, 3] },
        { label: "S", data: [2, 4] },
      ],
    });
  });

  it("without rows are nothing for what adds up, and no chart for what does not", () => {
    expect(chart(table([MONTH, REGION], [REVENUE]), rows.slice(0, 3), types)?.series).toEqual([
      { label: "N", data: [1, 3] },
      { label: "S", data: [0, 4] },
    ]);
    expect(chart(table([MONTH, REGION], [AVERAGE]), rows.slice(0, 3), types)).toBeUndefined();
  });

  it("of many groups have the smallest together", () => {
    const many = ["2025-01-01", "2025-02-01"].flatMap((month) =>
      Array.from({ length: 12 }, (_, i) => [month, `r${i}`, i + 1]),
    );
    const series = chart(table([MONTH, REGION], [REVENUE]), many, types)?.series;
    expect(series?.map(({ label }) => label)).toEqual(["r11", "r10", "r9", "r8", "r7", "r6", "r5", "Other"]);
    expect(series?.[7]?.data).toEqual([15, 15]);
    expect(chart(table([MONTH, REGION], [AVERAGE]), many, types)).toBeUndefined();
  });
});

describe("a period that is not whole", () => {
  const months = [
    ["2025-01-01", 5],
    ["2025-02-01", 7],
    ["2025-03-01", 1],
  ];
  const cut = new Set(["2025-03-01"]);
  const drawn = (wish: Shown["wish"], of = cut) =>
    shown(table([MONTH], [REVENUE]), months, ["DATE", "DOUBLE"], 0, { wish, cut: of });

  it.each(["line", "bar"] as const)(
    "is told to whoever draws a %s, and not in the contract's chart",
    (wish) => {
      const { chart, picture } = drawn(wish);
      expect(picture).toMatchObject({ kind: "spec", chart: { type: wish, partial: [2] } });
      expect(chart).toEqual(drawn(wish, new Set()).chart);
      expect(drawn(wish, new Set()).picture).not.toHaveProperty("chart.partial");
    },
  );
});

describe("where no chart helps", () => {
  it("a number is shown as one", () => {
    const { chart, picture } = shown(table([], [REVENUE]), [[20]], ["DOUBLE"]);
    expect(chart).toBeUndefined();
    expect(picture).toEqual({
      kind: "number",
      title: "T",
      label: "Revenue (€)",
      value: 20,
      format: "money:EUR",
    });
  });

  it("and names as a table, of its first rows", () => {
    const names: Ask = {
      k: "list",
      rel: { k: "all", ds: "guests" },
      show: [{ ds: "guests", field: "guest_name" }],
    };
    const rows = Array.from({ length: 40 }, (_, i) => [`n${i}`]);
    const { chart, picture } = shown(names, rows, ["VARCHAR"]);
    expect(chart).toBeUndefined();
    expect(picture).toMatchObject({ kind: "table", rowCount: 40, rows: { length: 12, 0: ["n0"] } });
    expect(shown(names, [], ["VARCHAR"]).picture).toBeUndefined();
  });
});

describe("periods", () => {
  const months = ["2025-01-01", "2025-02-01", "2025-03-01"];
  const DATED = ["DATE", "DOUBLE"];

  it("are written as people write them, whatever is drawn", () => {
    const rows = months.map((month, i) => [month, 10 - i]);
    const names = ["Jan 2025", "Feb 2025", "Mar 2025"];
    const drawn = (wish: Shown["wish"]) => chart(table([MONTH], [REVENUE]), rows, DATED, 0, { wish });
    expect(drawn("bar")).toMatchObject({ type: "bar", categories: names });
    expect(drawn("pie")?.slices?.map(({ label }) => label)).toEqual(names);
  });

  it("as bars are the last ones, upright, with none of them together", () => {
    const rows = Array.from({ length: 70 }, (_, i) => [`${1950 + i}-01-01`, i]);
    const bars = chart(table([{ ...MONTH, bucket: "year" }], [REVENUE]), rows, DATED, 0, { wish: "bar" });
    expect(bars).toMatchObject({ title: "T (the last 60 of 70)", layout: "vertical" });
    expect(bars?.categories).toMatchObject({ length: 60, 59: "2019" });
  });

  it("without rows are there as well beside groups", () => {
    const rows = [
      ["2025-02-01", "a", 1],
      ["2025-02-01", "b", 2],
    ];
    const types = ["DATE", "VARCHAR", "DOUBLE"];
    const lines = chart(table([MONTH, SHOP], [REVENUE]), rows, types, 0, { periods: months });
    expect(lines?.categories).toEqual(["Jan 2025", "Feb 2025", "Mar 2025"]);
    expect(lines?.series).toEqual([
      { label: "a", data: [0, 1, 0] },
      { label: "b", data: [0, 2, 0] },
    ]);
  });
});

it("a title names only what is drawn", () => {
  const rows = [
    ["a", 5, 0.5],
    ["b", 7, 0.2],
  ];
  const ask = table([SHOP], [REVENUE, SHARE]);
  expect(chart(ask, rows, ["VARCHAR", "DOUBLE", "DOUBLE"])).toMatchObject({
    title: "Revenue by shop",
    series: { length: 1 },
  });
});
