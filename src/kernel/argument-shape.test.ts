import { expect, it } from "vitest";
import { shapeOf, withoutSqlLiterals } from "./argument-shape.ts";

it("keeps what names something, and of everything else only its form", () => {
  const kept = shapeOf({
    dataset_name: "Patients",
    dataset_id: 7,
    limit: 10,
    rows: [{ name: "Ada Lovelace", diagnosis: "flu" }],
    pasword: "hunter2",
    settings: { sslkey: "hunter3", port: 5432, ssl: true, nested: { deep: "hunter4" } },
    note: "Ada has the flu",
    model_ids: [1, 2],
    sql: "SELECT * FROM patients WHERE name = 'Ada Lovelace' AND born > 1815",
  });
  for (const secret of ["Ada", "flu", "hunter", "5432", "1815"]) expect(kept).not.toContain(secret);
  const read = JSON.parse(kept);
  expect(read).toMatchObject({
    dataset_name: "Patients",
    dataset_id: 7,
    limit: 10,
    rows: expect.stringMatching(/^\[1 items, [0-9a-f]{8}\]$/),
    note: expect.stringMatching(/^\[text, 15 characters, [0-9a-f]{8}\]$/),
    model_ids: [1, 2],
    sql: "SELECT * FROM patients WHERE name = ? AND born > ?",
    settings: { ssl: true },
  });
  const asked = { question: "visits of Ada and Ada Lovelace, over 5", sql: "SELECT 1" };
  expect(JSON.parse(shapeOf(asked, ["Ada", "ada lovelace"]))).toEqual({
    question: "visits of ? and ?, over ?",
    sql: "SELECT ?",
  });
  // Nobody has said what of it are values.
  expect(JSON.parse(shapeOf(asked, null))).toMatchObject({ question: expect.stringMatching(/^\[text, 38/) });
  expect(JSON.parse(shapeOf({ order: "count(visits[name = Ada]) desc" }))).toMatchObject({
    order: expect.stringMatching(/^\[text, 30/),
  });
  expect(shapeOf({ text: "the same" })).toBe(shapeOf({ text: "the same" }));
  expect(shapeOf(undefined)).toBe("null");
});

it.each([
  ["SELECT 'it''s', \"region\" FROM t1 LIMIT 5", 'SELECT ?, "region" FROM t1 LIMIT ?'],
  ['count("a"."b") WHERE "a"."b" = \'x "y" z\'', 'count("a"."b") WHERE "a"."b" = ?'],
  ["SELECT $$it's$$, $q$ 1 $q$ FROM t", "SELECT ?, ? FROM t"],
  ["SELECT \"it's\", 'open", 'SELECT "it\'s", ?'],
])("%s without its literals", (text, masked) => {
  expect(withoutSqlLiterals(text)).toBe(masked);
});

it("names that are made of values are without them", () => {
  const sql = 'SELECT n1 AS "revenue_ada_lovelace", "name" FROM "guests"';
  expect(withoutSqlLiterals(sql, ["Ada Lovelace"])).toBe('SELECT n1 AS "revenue_?", "name" FROM "guests"');
});

it("of other languages, what is in double quotes may be a value", () => {
  expect(shapeOf({ c9ql: 'select * where name = "Ada"' })).toBe('{"c9ql":"select * where name = ?"}');
});
