import { describe, expect, it } from "vitest";
import { cafeSchema, visibleCafe } from "../../../../test/support/cafe-tables.ts";
import { MONTH, REGION, REVENUE, reading, SHOP, YEAR } from "../../../../test/support/questions.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { JsonValue } from "../../../platform/analytics/index.ts";
import { compile } from "../compile/compile.ts";
import { viewOf } from "../explain/view.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { Query } from "./execute.ts";
import { verify } from "./verify.ts";

const knowledge = { model: visibleCafe(), schema: cafeSchema(), values: [] } as unknown as Knowledge;
const totals =
  (...rows: JsonValue[][]): Query =>
  async () => ({ columns: [], rows, isTruncated: false, isTooLarge: false });

function verified(
  ask: Ask,
  rows: JsonValue[][],
  types: string[],
  query: Query,
  now = "2025-03-10T00:00:00Z",
) {
  const result = {
    reading: reading("", ask),
    compiled: compile(knowledge.schema, ask),
    types,
    rows,
    totalRows: rows.length,
  };
  return verify(result, viewOf(result, knowledge), { knowledge, now, query });
}

const byShop: Ask = { k: "table", by: [SHOP], cols: [REVENUE] };

describe("the Verifier", () => {
  it("finds what belongs to no group", async () => {
    const ask: Ask = { k: "table", by: [REGION], cols: [REVENUE] };
    const { caveats } = await verified(
      ask,
      [
        ["North", 25],
        ["South", 5],
      ],
      ["VARCHAR", "DOUBLE"],
      totals([50]),
    );
    expect(caveats).toEqual([
      "€20.00 of €50.00 Revenue (40.0%) belong to no Region, and are in none of the rows.",
    ]);
    const whole = await verified(
      ask,
      [
        ["North", 45],
        ["South", 5],
      ],
      ["VARCHAR", "DOUBLE"],
      totals([50]),
    );
    expect(whole.caveats).toEqual([]);
  });

  it("asks for no whole where groups do not add up", async () => {
    const average: Ask = { k: "table", by: [SHOP], cols: [{ k: "metric", name: "average_ticket" }] };
    const refused: Query = () => Promise.reject(new Error("nobody should ask"));
    expect(await verified(average, [["Aroma", 6.5]], ["VARCHAR", "DOUBLE"], refused)).toMatchObject({
      caveats: [],
    });
  });

  it("sees many empty values", async () => {
    const rows: JsonValue[][] = Array.from({ length: 10 }, (_, i) => [`s${i}`, i < 3 ? null : 1]);
    const { caveats } = await verified(byShop, rows, ["VARCHAR", "DOUBLE"], totals([7]));
    expect(caveats).toEqual(["Revenue is empty in 3 of 10 rows."]);
  });

  it("sees a period that is not over", async () => {
    const monthly: Ask = { k: "table", by: [MONTH], cols: [REVENUE] };
    const rows: JsonValue[][] = [
      ["2025-02-01", 1],
      ["2025-03-01", 1],
    ];
    const types = ["DATE", "DOUBLE"];
    expect((await verified(monthly, rows, types, totals([2]))).caveats).toEqual([
      "Mar 2025 is not over yet: its numbers are those until 2025-03-10.",
    ]);
    expect((await verified(monthly, rows, types, totals([2]), "2025-04-01T00:00:00Z")).caveats).toEqual([]);
    const yearly: Ask = { k: "table", by: [], cols: [REVENUE], scope: { win: YEAR } };
    expect((await verified(yearly, [[1]], ["DOUBLE"], totals())).caveats).toHaveLength(1);
    // Up to today is meant to end today.
    const toDate: Ask = { ...yearly, scope: { win: { ...YEAR, to: "2025-03-11" } } };
    expect((await verified(toDate, [[1]], ["DOUBLE"], totals())).caveats).toEqual([]);
  });

  it("tells parts of periods from whole ones", async () => {
    const win = { from: "2024-12-11", to: "2025-03-11", said: "the last three months" };
    const ask: Ask = { k: "table", by: [MONTH], cols: [REVENUE], scope: { win } };
    const rows = ["2024-12-01", "2025-01-01", "2025-02-01", "2025-03-01"].map((month) => [month, 1]);
    const { cut, caveats } = await verified(ask, rows, ["DATE", "DOUBLE"], totals([4]));
    expect([...cut]).toEqual(["2024-12-01", "2025-03-01"]);
    expect(caveats).toEqual([
      "The numbers of Dec 2024 are those from 2024-12-11 on.",
      "Mar 2025 is not over yet: its numbers are those until 2025-03-10.",
    ]);
    const early = { from: "2024-12-01", to: "2025-02-15", said: "until the middle of February" };
    const ended = await verified(
      { ...ask, scope: { win: early } },
      rows.slice(0, 3),
      ["DATE", "DOUBLE"],
      totals([3]),
    );
    expect(ended.caveats).toEqual(["The numbers of Feb 2025 are those until 2025-02-14."]);
  });

  it("lets an answer stand whose check takes too long, and tells other failures", async () => {
    const failing = (code: "timeout" | "unavailable") => () => Promise.reject(new AppError(code, "no"));
    const rows: JsonValue[][] = [["Aroma", 1]];
    expect(await verified(byShop, rows, ["VARCHAR", "DOUBLE"], failing("timeout"))).toEqual({
      caveats: [],
      totals: undefined,
      emptiness: [],
      cut: new Set(),
    });
    await expect(verified(byShop, rows, ["VARCHAR", "DOUBLE"], failing("unavailable"))).rejects.toThrow("no");
  });
});
