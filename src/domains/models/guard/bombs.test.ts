import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { isAppError } from "../../../kernel/errors.ts";
import { guardSql } from "./guard.ts";

/**
 * Statements that the guard lets through, because no list of names can tell them from honest ones: what they may
 * take is bounded by the engine's limits and the sandbox. Each has to end soon, and the next query has to run.
 */
let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

const DEEP = 900;

const BOMBS = [
  "SELECT length(repeat('x', 1000000000000))",
  "SELECT length(repeat(repeat('x', 1000000), 1000000))",
  "SELECT len(range(1000000000000))",
  "SELECT len(generate_series(1, 100000000000))",
  "SELECT count(*) FROM range(100000000000)",
  "SELECT count(*) FROM range(1000000) a, range(1000000) b, range(1000000) c",
  "SELECT list(i) FROM range(1000000000) r(i)",
  "SELECT string_agg(repeat('x', 1000), '') FROM range(10000000)",
  "SELECT * FROM repeat(repeat('x', 10000000), 1000000000)",
  "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r",
  "WITH RECURSIVE r AS (SELECT 'x' AS t UNION ALL SELECT t || t FROM r) SELECT max(length(t)) FROM r",
  "SELECT lpad('x', 2000000000, 'y')",
  "SELECT format('{:>2000000000}', 'x')",
  "SELECT printf('%2000000000d', 1)",
  "SELECT list_resize([1], 1000000000000)",
  "SELECT list_transform(range(100000), x -> list_transform(range(100000), y -> x * y))",
  "SELECT factorial(1000000)",
  "SELECT 10::DECIMAL(38, 0) ** 1000000",
  "SELECT regexp_replace(repeat('a', 10000000), '(a|a)*b', '', 'g')",
  "SELECT levenshtein(repeat('a', 1000000), repeat('b', 1000000))",
  "SELECT damerau_levenshtein(repeat('a', 100000), repeat('b', 100000))",
  "SELECT DISTINCT a.i, b.i, repeat('x', 100) FROM range(100000) a(i), range(100000) b(i)",
  "SELECT row_number() OVER (ORDER BY random()) FROM range(1000000000)",
  "SELECT json_pretty(repeat('[', 1000000))",
  "SELECT repeat('[', 100000)::JSON",
  "SELECT from_json(repeat('[', 10000), '[\"JSON\"]')",
  "SELECT bitstring('1', 2000000000)",
  "SELECT time_bucket(INTERVAL '1 microsecond', i::TIMESTAMP) FROM generate_series(TIMESTAMP '0001-01-01', TIMESTAMP '9999-01-01', INTERVAL 1 SECOND) g(i)",
  `SELECT ${"(".repeat(DEEP)}1${")".repeat(DEEP)}`,
  `SELECT ${"-".repeat(DEEP).replaceAll("-", "- ")}1`,
  `SELECT ${"[".repeat(DEEP)}1${"]".repeat(DEEP)}`,
  `SELECT ${"CASE WHEN true THEN ".repeat(200)}1${" END".repeat(200)}`,
  `${"SELECT * FROM (".repeat(150)}SELECT 1${")".repeat(150)}`,
  Array.from({ length: 2_000 }, () => "SELECT 1").join(" UNION ALL "),
  `SELECT ${Array.from({ length: 20_000 }, (_, n) => n).join(" + ")}`,
  `SELECT 1 WHERE 1 IN (${Array.from({ length: 30_000 }, (_, n) => n).join(", ")})`,
  `WITH ${Array.from({ length: 25 }, (_, n) => `t${n} AS (SELECT * FROM ${n === 0 ? "(SELECT 1 AS x)" : `t${n - 1} a, t${n - 1} b`})`).join(", ")} SELECT count(*) FROM t24`,
  `SELECT ${"columns(*) + ".repeat(50)}1 FROM range(3)`,
];

it.each(BOMBS.map((text) => ({ text, start: text.slice(0, 60) })))(
  "$start ends, and the next one runs",
  { timeout: 120_000 },
  async ({ text }) => {
    const engine = { threads: 2, memoryMb: 512, spillMb: 256 };
    const run = async (sql: string): Promise<unknown> => {
      const guarded = await guardSql(sql, {
        datasets: [],
        serialize: (each) => analytics.serializeSql(each),
      });
      return analytics.query({ scope: "w", tableViews: [], sql: guarded.sql, engine, limits: { ms: 1_500 } });
    };
    const outcome = await run(text).catch((error: unknown) => error);
    expect(outcome instanceof Error ? isAppError(outcome) : true, String(outcome)).toBe(true);
    // One that does not stop when it is told to takes its process with it, and there is a new one then.
    const next = (): Promise<unknown> => run("SELECT 42").catch(() => undefined);
    await expect.poll(next, { timeout: 40_000 }).toMatchObject({ rows: [[42]] });
  },
);
