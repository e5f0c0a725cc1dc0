import { expect, it } from "vitest";
import { shapeOf, withoutLiterals } from "./argument-shape.ts";

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
  expect(shapeOf({ text: "the same" })).toBe(shapeOf({ text: "the same" }));
  expect(shapeOf(undefined)).toBe("null");
});

it.each([
  ["how many orders over 500 in 2024-05?", "how many orders over ? in ??"],
  ["SELECT 'it''s', \"region\" FROM t1", 'SELECT ?, "region" FROM t1'],
])("%s without its literals", (text, masked) => {
  expect(withoutLiterals(text)).toBe(masked);
});
