import { expect, it } from "vitest";
import { HeavyStatements } from "./quarantine.ts";

const request = (sql: string, scope = "w") => ({ scope, sql, tableViews: [] });

it("knows a statement by its text without values and comments, in its workspace", () => {
  const heavy = new HeavyStatements();
  heavy.add(request("SELECT a FROM t WHERE b = 'x' AND c > 17 -- 1"));
  expect(heavy.has(request("SELECT a\n  FROM t /* 2 */ WHERE b = 'y' AND c > 4"))).toBe(true);
  expect(heavy.has(request("SELECT a FROM t WHERE b = 'x' AND d > 17"))).toBe(false);
  expect(heavy.has(request("SELECT a FROM t WHERE b = 'x' AND c > 17", "other"))).toBe(false);
});

it("forgets one that ended well", () => {
  const heavy = new HeavyStatements();
  heavy.add(request("SELECT 1"));
  heavy.remove(request("SELECT 2"));
  expect(heavy.has(request("SELECT 1"))).toBe(false);
});
