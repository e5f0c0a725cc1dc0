import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import { guardSql } from "./guard.ts";

let analytics: TestAnalytics;
beforeAll(async () => {
  analytics = await openTestAnalytics({ workers: 1 });
});
afterAll(() => analytics.remove());

const guard = (sql: string, params: string[] = []) =>
  guardSql(sql, { datasets: [], params, serialize: (text) => analytics.serializeSql(text) });
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

  /** What comes from elsewhere is left to the limits of the process. */
  it.each([
    [
      "short texts and lists",
      "SELECT repeat('x', 100000), lpad('x', 80), range(1, 1000000), list_resize([1], 5)",
    ],
    ["rows without number", "SELECT count(*) FROM range(100000000000), generate_series(1, 1000000000)"],
    ["lengths of columns", "SELECT repeat('x', i), lpad('x', i, 'y') FROM range(9) r(i)"],
    ["patterns", "SELECT 'x' ILIKE '%a%b%c%', 'x' GLOB '*[ab]*', regexp_matches('x', '(a|b)*c{2,5}')"],
    ["widths", "SELECT format('{:>20} {:.3f} {}', 'x', 2.5, 2000000000), printf('%08d 2000000000', 1)"],
    ["nested JSON", `SELECT '${"[".repeat(150)}${"]".repeat(150)}'::JSON, '${"[]".repeat(500)}'`],
  ])("may have %s", async (_, sql) => {
    expect(await guard(sql)).toMatchObject({ sql });
  });

  it.each([
    ["repeat", "SELECT repeat('x', 2000000000)"],
    ["repeat", "SELECT t.repeat(99999999999999999999) FROM (SELECT 'x' AS t)"],
    ["repeat", "SELECT repeat('x', 1000 * 1000 * '1000'::INT)"],
    ["repeat", "SELECT repeat('x', (10 ** 9)::INT)"],
    ["lpad", "SELECT lpad('x', 2e9::INT, 'y')"],
    ["rpad", "SELECT rpad('x', 2000000000.0::INT, 'y')"],
    ["bitstring", "SELECT bitstring('1', 2000000000)"],
    ["list_resize", "SELECT list_resize([1], 1000000000)"],
    ["range", "SELECT len(range(1000000000000))"],
    ["generate_series", "SELECT generate_series(-500000000, 500000000, 2)"],
    ["range", "SELECT range(0, -100000000, -1)"],
    ["format", "SELECT format('{:2000000000}', 1)"],
    ["format", "SELECT format('{0:>0.2000000000f} {}', 1)"],
    ["printf", "SELECT printf('%-2000000000d', 1)"],
    ["wildcards", `SELECT 'x' LIKE '${"%a".repeat(17)}'`],
    ["wildcards", `SELECT 'x' NOT ILIKE '${"%_".repeat(17)}'`],
    ["wildcards", `SELECT like_escape('x', '${"%a".repeat(17)}', '#')`],
    ["wildcards", `SELECT 'x' GLOB '${"*a".repeat(17)}'`],
    ["regular expression", `SELECT 'x' SIMILAR TO '${"(a|b)*".repeat(1_000)}'`],
    ["wildcards", `SELECT 'x' LIKE '${"%a".repeat(17)}'::VARCHAR`],
    ["nested", `SELECT json_structure('${"[".repeat(201)}')`],
    ["nested", `SELECT '${'{"a":'.repeat(201)}1'::JSON::VARIANT`],
  ])("may not ask %s for too much: %s", async (what, sql) => {
    const refusal = { code: "too_large", data: { reason: "size" }, message: expect.stringContaining(what) };
    await expect(guard(sql)).rejects.toMatchObject(refusal);
  });

  it.each([
    ["SELECT repeat('x', $1::INT), 'x' LIKE $2, $3::JSON", ["100", "%a%b%", "[[1]]"]],
    ["SELECT $2 + 1, repeat('x', $1::INT)", ["100"]],
  ])("may have values: %s", async (sql, params) => {
    expect(await guard(sql, params)).toMatchObject({ sql });
  });

  it.each([
    ["repeat", "SELECT repeat('x', $1::INT)", ["2000000000"]],
    ["repeat", "SELECT repeat('x', 1000 * CAST($2 AS INT))", ["1", "2000000"]],
    ["range", "SELECT len(range($1, $2))", ["-500000000", "500000000"]],
    ["printf", "SELECT printf($1, 1)", ["%2000000000d"]],
    ["wildcards", "SELECT 'x' LIKE $1", ["%a".repeat(5_000)]],
    ["wildcards", "SELECT 'x' GLOB $1::VARCHAR", ["*a".repeat(17)]],
    ["regular expression", "SELECT regexp_matches('x', $1)", ["(a|b)*".repeat(1_000)]],
    ["nested", "SELECT json_structure($1)", ["[".repeat(201)]],
  ])("may not ask %s for too much by a value: %s", async (what, sql, params) => {
    const refusal = { code: "too_large", data: { reason: "size" }, message: expect.stringContaining(what) };
    await expect(guard(sql, params)).rejects.toMatchObject(refusal);
  });
});
