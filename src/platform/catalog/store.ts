import { type Column, ilike, type SQL } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { likeText } from "../../kernel/sql-text.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogDb, CatalogTx } from "./catalog.ts";

/** Repository base class: reads and writes one sort of row in the catalog. */
export abstract class Store {
  protected readonly catalog: Catalog;
  protected readonly clock: Clock;

  constructor(catalog: Catalog, clock: Clock) {
    this.catalog = catalog;
    this.clock = clock;
  }
}

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

/** Fencing: the storage in which files lie is still the one that everybody reads. */
export interface StorageClaim {
  /** A condition that is true while it is; what it looked at stays so until the transaction ends. */
  holds(): SQL;
  /** Looks more closely, and throws when it is not. */
  require(tx: CatalogTx): Promise<void>;
}
