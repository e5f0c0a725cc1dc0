import { expect, it } from "vitest";
import { z } from "zod";
import { explainIssues } from "./explain-issues.ts";

const schema = z.strictObject({
  id: z.int(),
  name: z.string().max(3),
  rows: z.array(z.object({ n: z.number() })).optional(),
  confirm: z.boolean().optional(),
  more: z.record(z.string(), z.string()).optional(),
  where: z
    .array(z.strictObject({ field: z.string().optional(), op: z.string().optional() }))
    .max(3)
    .optional(),
  options: z.unknown().optional().describe("{grain: day|week, filters: [{field}], top}"),
});

function explain(input: unknown): string {
  const { error } = schema.safeParse(input, { reportInput: true });
  return explainIssues(error?.issues ?? [], schema);
}

it.each([
  [{}, "id is required (number). name is required (string)."],
  [{ id: "70", name: "a" }, "id must be a number, not a text."],
  [{ id: 1.5, name: "a" }, "id must be a whole number, not a number with a fraction."],
  [{ id: null, name: [] }, "id must be a number, not null. name must be a text, not a list."],
  [{ id: 1, name: "a", rows: '[{"n":1}]' }, "rows must be a list, not a text."],
  [{ id: 1, name: "a", rows: [{ n: true }] }, "rows.0.n must be a number, not true or false."],
  [{ id: 1, name: "a", confirm: "true" }, "confirm must be true or false, not a text."],
  [{ id: 1, name: "a", more: 7 }, "more must be an object, not a number."],
  [{ id: 1, name: "long" }, "name: too big: expected string to have <=3 characters."],
  [{ id: 1, name: "a", top: 3 }, "top belongs in options: options.top."],
  [{ id: 1, name: "a", filters: [] }, "filters belongs in options: options.filters."],
  [{ id: 1, name: "a", filter: [] }, "Unknown argument filter: did you mean options.filters?"],
  [{ id: 1, name: "a", row: [] }, "Unknown argument row: did you mean rows?"],
  [
    { id: 1, name: "a", row: [], width: 1, height: 2 },
    "Unknown argument row: did you mean rows? Unknown arguments width, height. Known arguments: id, name, rows, confirm, more, where, options.",
  ],
  [{ id: 1, name: "a", where: [{ operator: "=" }] }, "Unknown argument where.0.operator: did you mean op?"],
  [
    { id: 1, name: "a", where: [{}, { whose: 1 }] },
    "Unknown argument where.1.whose. Known there: field, op.",
  ],
])("explains %j", (input, text) => expect(explain(input)).toBe(text));

it("never shows what was sent", () => {
  expect(explain({ id: "secret", name: { password: "secret" } })).not.toContain("secret");
});
