import { sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Catalog } from "../../platform/catalog/index.ts";

/** Of the rows that belong to one alert or report, deletes all but the newest so many. */
export async function keepNewest(
  { db }: Catalog,
  { table, id, owner, kept }: { table: PgTable; id: AnyPgColumn; owner: AnyPgColumn; kept: number },
): Promise<void> {
  await db.execute(sql`DELETE FROM ${table} WHERE ${id} IN (SELECT old.id FROM (
    SELECT ${id} AS id, row_number() OVER (PARTITION BY ${owner} ORDER BY ${id} DESC) AS nth FROM ${table}
  ) AS old WHERE old.nth > ${kept})`);
}
