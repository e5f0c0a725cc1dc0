import { type Column, ilike, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { likeText } from "../../kernel/sql-text.ts";
import type { CatalogDb } from "./catalog.ts";

/** Some rows of a table in this order, and how many there are in all. */
export async function pageOf<T extends PgTable>(
  db: CatalogDb,
  table: T,
  condition: SQL | undefined,
  { order, limit, offset }: { order: SQL; limit: number; offset: number },
): Promise<{ total: number; items: T["$inferSelect"][] }> {
  const rows = db.select().from<PgTable>(table).where(condition).orderBy(order);
  const [total, items] = await Promise.all([db.$count(table, condition), rows.limit(limit).offset(offset)]);
  return { total, items: items as T["$inferSelect"][] };
}

/** True for what has a text in it, upper and lower case being the same; for all without a text. */
export function contains(column: Column, text: string | undefined): SQL | undefined {
  return text === undefined ? undefined : ilike(column, `%${likeText(text)}%`);
}
