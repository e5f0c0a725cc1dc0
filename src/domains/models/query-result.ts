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
  const names = differentNames(columns.map(({ name }) => name));
  return {
    columns: names,
    rows: rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null]))),
    rowCount: rows.length,
    ...(isTruncated && { truncated: true as const }),
  };
}

/** Two columns of the same name would be one in a row: the later one gets a number, as in the engine's own tables. */
function differentNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let i = 1; taken.has(free); i++) free = `${name}_${i}`;
    taken.add(free);
    return free;
  });
}
