import { z } from "zod";
import { LIMITS } from "../../kernel/limits.ts";
import type { QueryAnswer } from "./models.ts";

export const queryParams = z.array(z.string().max(LIMITS.models.paramCharacters)).max(LIMITS.models.params);

/** What execute_query and execute_stored_query answer with. */
export const queryResult = z.object({
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), z.unknown())),
  rowCount: z.int(),
  truncated: z.literal(true).optional(),
});

export function resultOf({ columns, rows, isTruncated }: QueryAnswer): z.input<typeof queryResult> {
  // The engine gives columns of the same name different ones; and this name is not for objects.
  const names = columns.map(({ name }) => (name === "__proto__" ? "__proto__:1" : name));
  return {
    columns: names,
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
    rowCount: rows.length,
    ...(isTruncated && { truncated: true as const }),
  };
}
