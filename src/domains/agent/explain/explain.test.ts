import { describe, expect, it } from "vitest";
import { cafeSchema, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { MONTH, REGION, REVENUE, reading, SHOP, YEAR } from "../../../../test/support/questions.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import type { Result } from "../answer.ts";
import { compile } from "../compile/compile.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask, Num } from "../query/semantic-query.ts";
import { show } from "./format.ts";
import { lineageOf } from "./lineage.ts";
import { narrate } from "./narrative.ts";
import { inTheirWords, say } from "./say.ts";
import { viewOf } from "./view.ts";

const knowledge = { model: visibleCafe(), schema: cafeSchema(), values: [] } as unknown as Knowledge;

function resultOf(ask: Ask, rows: JsonValue[][], types: string[] = []): Result {
  const compiled = compile(knowledge.schema, ask);
  const known = compiled.columns.map((_, i) => types[i] ?? (i < rows.length ? "VARCHAR" : "DOUBLE"));
  return {
    reading: reading(say(ask), ask),
    compiled,
    types: types.length > 0 ? types : known,
    rows,
    totalRows: rows.length,
  };
}

function told(
  ask: Ask,
  rows: JsonValue[][],
  types: string[],
  totals?: JsonValue[],
  cut: ReadonlySet<string> = new Set(),
): string {
  const result = resultOf(ask, rows, types);
  return narrate(result, viewOf(result, knowledge), { knowledge, totals, cut });
}

const table = (by: Extract<Ask, { k: "table" }>["by"], cols: Num[], more: object = {}): Ask => ({
  k: "table",
  by,
  cols,
  ...more,
});
const during = (from: string, to: string, said: string): Num =>
  ({ k: "metric", name: "revenue", scope: { win: { from, to, said } } }) as Num;

describe("rows without a name of their own", () => {
  it("are a table in which none is called the first", () => {
    const ask: Ask = {
      k: "list",
      rel: { k: "all", ds: "shops" },
      show: [
        { ds: "shops", field: "city" },
        { ds: "shops", field: "seats" },
      ],
    };
    const text = told(
      ask,
      [
        ["Bern", 10],
        ["Bern", 20],
      ],
      ["VARCHAR", "BIGINT"],
    );
    expect(text).toContain("2 in all.");
    expect(text).not.toContain("highest");
  });
});

describe("values", () => {
  it.each([
    [1234567.891, { kind: "money", symbol: "€" }, "€1,234,567.89"],
    [-5, { kind: "money", symbol: "$" }, "−$5.00"],
    [0.1234, { kind: "percent", by: 100 }, "12.3%"],
    [45, { kind: "percent", by: 1 }, "45.0%"],
    [1234567, { kind: "integer" }, "1,234,567"],
    ["9007199254740993", { kind: "integer" }, "9,007,199,254,740,993"],
    [0.00123, { kind: "number" }, "0.0012"],
    [6.005, { kind: "number", unit: "h" }, "6.01 h"],
    [0.0001, { kind: "percent", by: 100 }, "<0.1%"],
    [null, { kind: "number" }, "–"],
    ["2025-10-01", { kind: "period", grain: "month", isFiscal: false }, "Oct 2025"],
    ["2025-10-01", { kind: "period", grain: "quarter", isFiscal: false }, "Q4 2025"],
    ["2025-01-01", { kind: "period", grain: "year", isFiscal: false }, "2025"],
    ["2025-02-01", { kind: "period", grain: "year", isFiscal: true }, "fiscal year from Feb 2025"],
    ["a | b\n# *c* [d](e)", { kind: "text" }, "a \\| b \\# \\*c\\* \\[d\\](e)"],
  ] as const)("%s", (value, format, shown) => {
    expect(show(value, format)).toBe(shown);
  });
});

describe("narratives", () => {
  it("of two periods side by side tell the change", () => {
    const ask = table(
      [],
      [during("2025-02-01", "2025-03-01", "February"), during("2025-01-01", "2025-02-01", "January")],
    );
    expect(told(ask, [[17, 13]], ["DOUBLE", "DOUBLE"])).toContain(
      "- **Revenue (February)**: €17.00\n- **Revenue (January)**: €13.00\n\nRevenue (February) against Revenue (January): +€4.00 (+30.8%).",
    );
  });

  it("of two periods have the earlier one as the base, whichever stands first", () => {
    const ask = table(
      [],
      [during("2025-01-01", "2025-02-01", "January"), during("2025-02-01", "2025-03-01", "February")],
    );
    expect(told(ask, [[13, 17]], ["DOUBLE", "DOUBLE"])).toContain(
      "Revenue (February) against Revenue (January): +€4.00 (+30.8%).",
    );
  });

  it("of chosen periods tell what they come to, and what the whole is", () => {
    const having = { k: "cmp", a: REVENUE, op: ">", b: { k: "lit", v: 15 } };
    const rows = [
      ["2025-02-01", 17],
      ["2025-03-01", 20],
    ];
    const text = told(table([MONTH], [REVENUE], { having }), rows, ["DATE", "DOUBLE"], [50]);
    expect(text).toContain("those shown come to **€37.00** of €50.00 in all (74.0%).");
  });

  it("of a number in another unit name the unit", () => {
    const inCents: Num = { k: "calc", op: "/", a: REVENUE, b: { k: "lit", v: 0.01, unit: "cents" } };
    expect(told(table([], [inCents]), [[1300]], ["DOUBLE"])).toBe("Revenue in cents: **1,300 cents**");
  });

  it("of a number per some others name these, and are no share", () => {
    const count = (ds: string): Num => ({ k: "agg", fn: "count", in: { k: "all", ds } });
    const each: Num = { k: "calc", op: "/", a: count("items"), b: count("visits") };
    expect(told(table([], [each]), [[1.2]], ["DOUBLE"])).toBe("Number of items per visit: **1.2**");
    const hundred: Num = {
      ...each,
      b: { k: "calc", op: "/", a: count("visits"), b: { k: "lit", v: 100 } },
    } as Num;
    expect(told(table([], [hundred]), [[120]], ["DOUBLE"])).toContain("Number of items per 100 visits");
  });

  it("say a period once", () => {
    const visits = { k: "where", in: { k: "all", ds: "visits" }, if: { k: "during", win: YEAR } };
    const count = { k: "agg", fn: "count", in: visits } as Num;
    expect(say(table([], [count], { scope: { win: YEAR } }))).toBe("number of visits in 2025");
  });

  it("of two periods by group tell the largest rise and fall", () => {
    const ask = table(
      [SHOP],
      [during("2025-02-01", "2025-03-01", "February"), during("2025-01-01", "2025-02-01", "January")],
    );
    const text = told(
      ask,
      [
        ["Aroma", 20, 10],
        ["Bean", 5, 10],
        ["Crema", 7, 7],
      ],
      ["VARCHAR", "DOUBLE", "DOUBLE"],
    );
    expect(text).toContain(
      "largest rise: Aroma with +€10.00 (+100.0%); largest fall: Bean with −€5.00 (−50.0%).",
    );
    expect(text).toContain("| Shop | Revenue (February) | Revenue (January) |");
  });

  it("of periods tell where it went, and the extremes", () => {
    const text = told(
      table([MONTH], [REVENUE]),
      [
        ["2025-01-01", 13],
        ["2025-02-01", 26],
        ["2025-03-01", 20],
      ],
      ["DATE", "DOUBLE"],
      [59],
    );
    expect(text).toContain("**€59.00** in all.");
    expect(text).toContain(
      "From €13.00 in Jan 2025 to €20.00 in Mar 2025 (+53.8%). Highest: Feb 2025 with €26.00; lowest: Jan 2025 with €13.00.",
    );
  });

  it("compare no part of a period with a whole one", () => {
    const rows: JsonValue[][] = [
      ["2024-12-01", 2],
      ["2025-01-01", 13],
      ["2025-02-01", 26],
      ["2025-03-01", 20],
      ["2025-04-01", 1],
    ];
    const cut = new Set(["2024-12-01", "2025-04-01"]);
    const text = told(table([MONTH], [REVENUE]), rows, ["DATE", "DOUBLE"], [62], cut);
    expect(text).toContain(
      "Of whole months: from €13.00 in Jan 2025 to €20.00 in Mar 2025 (+53.8%). Highest: Feb 2025 with €26.00; lowest: Jan 2025 with €13.00.",
    );
    expect(text).toContain("| Apr 2025 | €1.00 |");
  });

  it("of the first ones tell their part of the whole", () => {
    const top = { n: 2, by: REVENUE, dir: "max", ties: "keep" };
    const text = told(
      table([SHOP], [REVENUE], { top }),
      [
        ["Drip", 20],
        ["Aroma", 13],
      ],
      ["VARCHAR", "DOUBLE"],
      [50],
    );
    expect(text).toContain("those shown come to **€33.00** of €50.00 in all (66.0%).");
  });

  it("of equal groups say so", () => {
    const text = told(
      table([REGION], [{ k: "metric", name: "visit_count" }]),
      [
        ["a", 2],
        ["b", 2],
        ["c", 2],
      ],
      ["VARCHAR", "BIGINT"],
    );
    expect(text).toContain("All are equal, with 2 each.");
  });

  it("of names list them, and bound tables", () => {
    const names: Ask = {
      k: "list",
      rel: { k: "all", ds: "guests" },
      show: [{ ds: "guests", field: "guest_name" }],
    };
    expect(told(names, [["Ada"], ["Bob"]], ["VARCHAR"])).toBe("Guests (2):\n\n- **Ada**\n- **Bob**");
    const many = Array.from({ length: 40 }, (_, i) => [`n${i}`]);
    const text = told(names, many, ["VARCHAR"]);
    expect(text).toContain("40 in all.");
    expect(text).toContain("… and 15 more rows.");
    expect(told(names, [["Ada"]], ["VARCHAR"])).toBe("Guests: **Ada**");
  });
});

describe("numbers beside those of a year before", () => {
  const LAST_YEAR: Num = { k: "lag", of: REVENUE, n: 1, grain: "year" };
  const named = { ...YEAR, said: "2025 (1 Jan to 31 Dec 2025)" };
  const ask = table([MONTH], [REVENUE, LAST_YEAR], { scope: { win: named } });
  const rows = [
    ["2025-01-01", 30, 20],
    ["2025-02-01", 36, 40],
    ["2025-03-01", 3, 60],
  ];
  const types = ["DATE", "DOUBLE", "DOUBLE"];

  it("are called by their years, and all periods are told beside each other, without one that is not over", () => {
    const text = told(ask, rows, types, [69, 0], new Set(["2025-03-01"]));
    expect(text).toContain("| Month | Revenue (2025) | Revenue (2024) |");
    expect(text).toContain("Revenue (2025) against Revenue (2024): €66.00 against €60.00, +€6.00 (+10.0%).");
  });

  it("by group tell the largest rise and fall", () => {
    const text = told(table([SHOP], [REVENUE, LAST_YEAR], { scope: { win: named } }), rows, [
      "VARCHAR",
      ...types,
    ]);
    expect(text).toContain("largest fall: 2025-03-01 with −€57.00");
  });

  it.each<[string, Num, object[], object]>([
    [
      "a year",
      LAST_YEAR,
      [
        ["2025-01-01", "2025-12-31"],
        ["2024-01-01", "2024-12-31"],
      ],
      { start: "2024-01-01", end: "2025-12-31" },
    ],
    [
      "a quarter",
      { ...LAST_YEAR, grain: "quarter" } as Num,
      [
        ["2025-01-01", "2025-12-31"],
        ["2024-10-01", "2025-09-30"],
      ],
      { start: "2024-10-01", end: "2025-12-31" },
    ],
  ])("have both periods in their lineage, %s apart", (_, lag, days, timeWindow) => {
    const growth: Num = { k: "calc", op: "growth", a: REVENUE, b: lag };
    const lineage = lineageOf(resultOf(table([SHOP], [growth], { scope: { win: named } }), []), knowledge);
    const filters = days.map((value) => ({ field: "visited_on", operator: "BETWEEN", value }));
    expect(lineage).toMatchObject({ filters, timeWindow });
  });
});

describe("lineage and words", () => {
  it("name negated, nested and counted conditions", () => {
    const visits = {
      k: "link",
      at: "guests",
      path: [{ link: "visits_guests", dir: "many" }],
      to: { k: "all", ds: "visits" },
    } as const;
    const ask = {
      k: "list",
      rel: {
        k: "where",
        in: { k: "all", ds: "guests" },
        if: {
          k: "and",
          of: [
            {
              k: "not",
              of: { k: "is", key: { ds: "guests", field: "home" }, values: ["Bern", "Rome"], match: "equal" },
            },
            { ...visits, count: { op: ">=", n: 2 } },
            { k: "not", of: visits },
          ],
        },
      },
      show: [{ ds: "guests", field: "guest_name" }],
    } as unknown as Ask;
    const lineage = lineageOf(resultOf(ask, []), knowledge);
    expect(lineage.filters).toEqual([
      { field: "home", operator: "NOT IN", value: ["Bern", "Rome"] },
      { field: "count of visits", operator: ">=", value: 2 },
      { field: "visits", operator: "NOT EXISTS", value: [] },
    ]);
    expect(lineage).toMatchObject({
      grain: "guests",
      joins: [{ left: "visits", right: "guests", on: ["guest_id"] }],
    });
    expect(say(ask)).toBe(
      "guests with at least 2 visits and without visits where guest home is not Bern or Rome",
    );
  });

  it("tell readings apart that say the same of themselves", () => {
    const [a, b] = inTheirWords([
      reading("revenue", table([], [REVENUE])),
      reading("revenue", table([], [REVENUE], { scope: { win: YEAR } })),
    ]);
    expect([a?.said, b?.said]).toEqual(["revenue", "revenue in 2025"]);
    expect(inTheirWords([reading("", table([SHOP], [REVENUE]))])[0]?.said).toBe("revenue by shop");
  });

  it.each<[string, Ask]>([
    [
      "revenue by region in Q4 2025",
      table([REGION], [REVENUE], { scope: { win: said("Q4 2025 (1 Oct to 31 Dec 2025)") } }),
    ],
    [
      "revenue in fiscal year 2025 (1 Feb 2025 to 31 Jan 2026)",
      table([], [REVENUE], { scope: { win: said("fiscal year 2025 (1 Feb 2025 to 31 Jan 2026)") } }),
    ],
    [
      "revenue from 1 Jan to 31 Mar 2026",
      table([], [REVENUE], { scope: { win: said("1 Jan to 31 Mar 2026") } }),
    ],
    [
      "growth of revenue from 2024 to 2025",
      table(
        [],
        [
          {
            k: "calc",
            op: "growth",
            a: { k: "metric", name: "revenue", scope: { win: said("2025 (1 Jan to 31 Dec 2025)") } },
            b: {
              k: "metric",
              name: "revenue",
              scope: { win: said("2024 (1 Jan to 31 Dec 2024)") },
            },
          },
        ],
      ),
    ],
    [
      "share of total revenue where shop city is Bonn",
      table(
        [],
        [
          {
            k: "calc",
            op: "/",
            a: {
              k: "metric",
              name: "revenue",
              scope: {
                if: { k: "is", key: { ds: "shops", field: "city" }, values: ["Bonn"], match: "equal" },
              },
            },
            b: REVENUE,
          },
        ],
      ),
    ],
    [
      "revenue by shop, the 3 lowest, where revenue is more than 60,000",
      table([SHOP], [REVENUE], {
        top: { n: 3, by: REVENUE, dir: "min", ties: "keep" },
        having: { k: "cmp", a: REVENUE, op: ">", b: { k: "lit", v: 60000 } },
      }),
    ],
    [
      "the 5 latest visits of Ada by visited on",
      {
        k: "list",
        show: [{ ds: "visits", field: "visit_id" }],
        rel: {
          k: "top",
          n: 5,
          dir: "max",
          ties: "cut",
          by: { ds: "visits", field: "visited_on" },
          in: {
            k: "where",
            in: { k: "all", ds: "visits" },
            if: {
              k: "link",
              at: "visits",
              path: [{ link: "visit_guest", dir: "one" }],
              to: {
                k: "where",
                in: { k: "all", ds: "guests" },
                if: { k: "is", key: { ds: "guests", field: "guest_name" }, values: ["Ada"], match: "equal" },
              },
            },
          },
        },
      },
    ],
  ])("say: %s", (text, ask) => {
    expect(say(ask)).toBe(text);
  });
});

function said(text: string) {
  return { from: "2025-01-01", to: "2026-01-01", said: text };
}
