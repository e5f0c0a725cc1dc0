import type { QueryAnswer } from "../../models/index.ts";
import type { Result } from "../answer.ts";
import { t } from "../explain/words.ts";

/** Whoever adds up groups should know where these share rows, also where it could not be looked up. */
export async function inSeveral(
  { compiled, rows }: Pick<Result, "compiled" | "rows">,
  query: (sql: string) => Promise<QueryAnswer | undefined>,
): Promise<string[]> {
  // Of a single group nothing is added up.
  if (rows.length < 2) return [];
  const said = compiled.used.spreads.map(async ({ ds, keys, sql }) => {
    const [what, of] = [ds, keys[0]?.ds ?? ""].map((name) => name.replaceAll("_", " ")) as [string, string];
    const found = await query(sql);
    return found?.rows.length === 0
      ? []
      : [
          t`What of ${what} belongs to several ${of} counts for each of them, so the rows may add up to more than the whole.`,
        ];
  });
  return [...new Set((await Promise.all(said)).flat())];
}
