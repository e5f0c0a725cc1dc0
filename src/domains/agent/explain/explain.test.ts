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
    isTruncated: false,
  };
}

function told(ask: Ask, rows: JsonValue[][], types: string[], totals?: JsonValue[]): string {
  const result = resultOf(ask, rows, types);
  return narrate(result, viewOf(result, knowledge), { knowledge, totals });
}

const table = (by: Extract<Ask, { k: "table" }>["by"], cols: Num[], more: object = {}): Ask => ({
  k: "table",
  by,
  cols,
  ...more,
});
const during = (from: string, to: string, said: string): Num =>
  ({ ...REVENUE, scope: { win: { from, to, said } } }) as Num;

describe("values", () => {
  it.each([
    [1234567.891, { kind: "money", symbol: "€" }, "€1,234,567.89"],
    [-5, { kind: "money", symbol: "$" }, "−$5.00"],
    [0.1234, { kind: "percent", by: 100 }, "12.3%"],
    [45, { kind: "percent", by: 1 }, "45.0%"],
    [1234567, { kind: "integer" }, "1,234,567"],
    ["9007199254740993", { kind: "integer" }, "9,007,199,254,740,992"],
    [0.00123, { kind: "number" }, "0.0012"],
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
    expect(told(names, [["Ada"], ["Bob"]], ["VARCHAR"])).toBe("Guest of guests (2):\n\n- **Ada**\n- **Bob**");
    const many = Array.from({ length: 40 }, (_, i) => [`n${i}`]);
    const text = told(names, many, ["VARCHAR"]);
    expect(text).toContain("40 in all.");
    expect(text).toContain("… and 15 more rows.");
    expect(told(names, [["Ada"]], ["VARCHAR"])).toBe("Guest of guests: **Ada**");
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
      "guest of guests where not (guests home is Bern or Rome) and with >= 2 visits and not (with visits)",
    );
  });

  it("tell readings apart that say the same of themselves", () => {
    const [a, b] = inTheirWords([
      reading("revenue", table([], [REVENUE])),
      reading("revenue", table([], [REVENUE], { scope: { win: YEAR } })),
    ]);
    expect([a?.said, b?.said]).toEqual(["revenue", "revenue (2025)"]);
    expect(inTheirWords([reading("", table([SHOP], [REVENUE]))])[0]?.said).toBe("revenue by shop");
  });
});
