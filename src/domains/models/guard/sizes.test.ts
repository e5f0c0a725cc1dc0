import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../platform/analytics/test-analytics.ts";
import { guardSql } from "./index.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

const guard = (sql: string) =>
  guardSql(sql, { datasets: [], serialize: (text) => analytics.serializeSql(text) });
const sum = (terms: number) => `SELECT ${Array.from({ length: terms }, () => "1").join(" + ")}`;
const nested = (levels: number) => `${"SELECT * FROM (".repeat(levels)}SELECT 1${")".repeat(levels)}`;
const tables = (count: number) =>
  `WITH ${Array.from({ length: count }, (_, n) => `t${n} AS (SELECT ${n})`).join(", ")} SELECT * FROM t0`;

describe("a statement", () => {
  it.each([
    ["a long sum", sum(150)],
    ["nested queries", nested(30)],
    ["many common table expressions", tables(400)],
    ["a long list", `SELECT 1 IN (${Array.from({ length: 20_000 }, (_, n) => n).join(", ")})`],
    [
      "many conditions",
      `SELECT 1 WHERE ${Array.from({ length: 5_000 }, (_, n) => `${n} > 1`).join(" AND ")}`,
    ],
  ])("may have %s", async (_, sql) => {
    expect(await guard(sql)).toMatchObject({ sql });
  });

  /** Beyond these the engine's planner takes many seconds for a short text, and cannot be stopped. */
  it.each([
    ["an endless sum", sum(900)],
    ["queries nested without end", nested(60)],
    ["thousands of common table expressions", tables(8_000)],
  ])("may not have %s", async (_, sql) => {
    await expect(guard(sql)).rejects.toMatchObject({ code: "too_large", data: { reason: "depth" } });
  });
});
