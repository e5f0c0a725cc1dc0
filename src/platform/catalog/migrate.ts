import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator";
import { AppError } from "../../kernel/errors.ts";
import type { Catalog, CatalogDb, CatalogLog, CatalogTx } from "./catalog.ts";
import { pgCodeOf } from "./pg-errors.ts";

const FOLDER = fileURLToPath(new URL("migrations", import.meta.url));
const UNDEFINED_TABLE = "42P01";
/** Any number, as long as nothing else in the database locks the same one. */
const LOCK_KEY = 7_305_819_244;
const LOCK_TIMEOUT_MS = 120_000;

async function appliedHashes(db: CatalogDb | CatalogTx): Promise<Set<string>> {
  const { rows } = await db.execute<{ hash: string }>(sql`SELECT hash FROM drizzle.__drizzle_migrations`);
  return new Set(rows.map((row) => row.hash));
}

/** Code that does not know a change to the database could harm what is in it. */
function assertNotNewer(applied: Set<string>, known: readonly MigrationMeta[]): void {
  const unknown = [...applied].filter((hash) => !known.some((migration) => migration.hash === hash));
  if (unknown.length === 0) return;
  throw new AppError("unavailable", "The database was made by a newer version of Kenning.", {
    hint: "Nothing was changed. Start that version, or one newer still.",
    data: { unknownMigrations: unknown.length },
  });
}

/**
 * Applies what `drizzle-kit generate` wrote, in Drizzle's own table and format. Drizzle's migrator is not
 * used because it takes no lock, and because it skips a migration that is older than the last applied one,
 * as it happens when two branches are merged.
 */
export async function migrate(
  catalog: Pick<Catalog, "db" | "transaction">,
  log: CatalogLog,
  folder = FOLDER,
): Promise<void> {
  const known = readMigrationFiles({ migrationsFolder: folder });
  if (await isUpToDate(catalog.db, known)) return;
  const count = await catalog.transaction(async (tx) => {
    await tx.execute(sql.raw(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}; SET LOCAL statement_timeout = 0`));
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${LOCK_KEY})`);
    await tx.execute(sql`CREATE SCHEMA IF NOT EXISTS drizzle`);
    await tx.execute(
      sql`CREATE TABLE IF NOT EXISTS drizzle.__drizzle_migrations (id serial PRIMARY KEY, hash text NOT NULL, created_at bigint)`,
    );
    const applied = await appliedHashes(tx);
    assertNotNewer(applied, known);
    const pending = known.filter((migration) => !applied.has(migration.hash));
    for (const migration of pending) await apply(tx, migration);
    return pending.length;
  });
  if (count > 0) log.info({ count }, "database migrated");
}

async function isUpToDate(db: CatalogDb, known: readonly MigrationMeta[]): Promise<boolean> {
  try {
    const applied = await appliedHashes(db);
    assertNotNewer(applied, known);
    return known.every((migration) => applied.has(migration.hash));
  } catch (error) {
    if (pgCodeOf(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}

async function apply(tx: CatalogTx, migration: MigrationMeta): Promise<void> {
  for (const statement of migration.sql) await tx.execute(sql.raw(statement));
  await tx.execute(
    sql`INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES (${migration.hash}, ${migration.folderMillis})`,
  );
}
