import { z } from "zod";
import { rowShape } from "../../kernel/row-shape.ts";
import { LIMITS as ENGINE } from "../../platform/analytics/limits.ts";
import type { CallMeta } from "../../registry/caller.ts";
import { LIMITS } from "./limits.ts";
import type { QueryAnswer } from "./models.ts";

/** The contract has texts; a number that a model writes as one means the same. */
export const queryParams = z
  .array(z.union([z.string().max(LIMITS.models.paramCharacters), z.number()]).transform(String))
  .max(LIMITS.models.params);

/** What execute_query and execute_stored_query answer with. */
export const queryResult = z.object({
  columns: z.array(z.string()),
  types: z.array(z.string()).optional().describe("Of the columns, in their order"),
  rows: z.array(rowShape),
  rowCount: z.int(),
  truncated: z.literal(true).optional(),
  note: z.string().optional(),
});

/** With the types of columns on `/mcp`, where no contract says how it looks. */
export function resultOf(
  { columns, rows, isTruncated, isTooLarge }: QueryAnswer,
  { surface }: Pick<CallMeta, "surface">,
): z.input<typeof queryResult> {
  // The engine gives columns of the same name different ones; and this name is not for objects.
  const names = columns.map(({ name }) => (name === "__proto__" ? "__proto__:1" : name));
  return {
    columns: names,
    ...(surface === "all" && { types: columns.map(({ type }) => type) }),
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
    rowCount: rows.length,
    ...(isTruncated && { truncated: true as const }),
    ...(isTooLarge && { note: noteOn(rows.length) }),
  };
}

function noteOn(rows: number): string {
  const { resultBytes, resultValues } = ENGINE.analytics;
  const most = `${resultBytes / 1024 / 1024} MiB and ${resultValues.toLocaleString("en")} values`;
  return rows === 0
    ? `The first row alone is larger than one answer (${most}): select fewer columns, or shorten them in SQL.`
    : `Only ${rows} rows fit into one answer (${most}): aggregate, select fewer columns, or go on with ORDER BY … LIMIT … OFFSET ${rows}.`;
}
