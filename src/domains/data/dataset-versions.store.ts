import { and, asc, eq, gte, inArray, lt, or, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { MS } from "../../kernel/time.ts";
import { type CatalogTx, Store } from "../../platform/catalog/index.ts";
import { datasetParts, datasets, datasetVersions } from "./data.tables.ts";
import type { Column, Dataset, DatasetVersion } from "./dataset.ts";

/** Where to read: outside of a transaction, or in one. */
export type Reader = Pick<CatalogTx, "select">;

interface VersionRow extends Record<string, unknown> {
  version: number;
  row_count: string;
  refreshed_at: string;
  refreshed_by: string | null;
  replaced_at: string | null;
  replaced_by: string | null;
}

/** How long a file stays after the last version that used it: longer than any reader reads. */
const ENDED_PARTS_KEPT_MS = 60 * MS.minute;
/** A deleted dataset, and rows that were replaced, can be brought back this long. */
export const VERSION_RETENTION_MS = 30 * MS.day;

/** Former versions of datasets, kept when their rows are replaced. */
export class DatasetVersionsStore extends Store {
  /** Notes what a dataset is, in the transaction that replaces its rows. */
  async keep(tx: CatalogTx, dataset: Dataset, userId: number): Promise<void> {
    const { id, version, columns, rowCount, bytes, source, refreshedAt, refreshedBy } = dataset;
    const state = { version, columns, rowCount, bytes, source, refreshedAt, refreshedBy };
    const replaced = { replacedAt: this.clock.now(), replacedBy: userId };
    await tx.insert(datasetVersions).values({ datasetId: id, ...state, ...replaced });
  }

  /** The version that there is and those whose rows can be brought back, the newest first. */
  async list({ id }: Pick<Dataset, "id">, limit: number): Promise<DatasetVersion[]> {
    const { rows } = await this.catalog.db.execute<VersionRow>(sql`
      SELECT version, row_count, refreshed_at, replaced_at,
        (SELECT email FROM accounts a WHERE a.id = v.refreshed_by) AS refreshed_by,
        (SELECT email FROM accounts a WHERE a.id = v.replaced_by) AS replaced_by
      FROM (
        SELECT version, row_count, refreshed_at, refreshed_by, NULL::timestamptz AS replaced_at, NULL::bigint AS replaced_by
        FROM datasets WHERE id = ${id}
        UNION ALL
        SELECT version, row_count, refreshed_at, refreshed_by, replaced_at, replaced_by
        FROM dataset_versions WHERE dataset_id = ${id} AND replaced_at >= ${this.#keptSince()}
      ) v
      ORDER BY version DESC LIMIT ${limit}`);
    return rows.map((row) => ({
      version: row.version,
      rowCount: Number(row.row_count),
      refreshedAt: new Date(row.refreshed_at),
      refreshedBy: row.refreshed_by,
      replacedAt: row.replaced_at === null ? null : new Date(row.replaced_at),
      replacedBy: row.replaced_by,
    }));
  }

  /** The columns that a dataset would have again if former rows were brought back. */
  async columns(datasetId: number): Promise<Column[]> {
    const rows = await this.catalog.db
      .select({ columns: datasetVersions.columns })
      .from(datasetVersions)
      .where(and(eq(datasetVersions.datasetId, datasetId), this.#isKept()));
    return rows.flatMap(({ columns }) => columns);
  }

  /** A former version that can still be brought back. */
  async require(tx: CatalogTx, { id, name }: Dataset, version: number) {
    // As bigint, so that a number that no version has is not an error of the database.
    const isVersion = sql`${datasetVersions.version} = ${version}::bigint`;
    const isWanted = and(eq(datasetVersions.datasetId, id), isVersion);
    const [former] = await tx.select().from(datasetVersions).where(and(isWanted, this.#isKept()));
    if (former !== undefined) return former;
    throw new AppError("not_found", `${name} has no version ${version} to bring back.`, {
      hint: "{tool:get_details} lists those that can be: rows are kept for 30 days after they were replaced.",
    });
  }

  /** Forgets what nobody can read or bring back any more, and gives back the keys of its files. */
  async forget(): Promise<string[]> {
    const gone = this.#keptSince();
    const ended = new Date(this.clock.now().getTime() - ENDED_PARTS_KEPT_MS);
    const isDead = lt(datasets.deletedAt, gone);
    const isUnneeded = sql`${datasetParts.endedAt} < ${ended} AND NOT EXISTS (
      SELECT FROM dataset_versions v WHERE v.dataset_id = ${datasetParts.datasetId} AND v.replaced_at >= ${gone}
        AND v.version >= ${datasetParts.fromVersion} AND v.version < ${datasetParts.untilVersion})`;
    return this.catalog.transaction(async (tx) => {
      const unneeded = tx.select({ id: datasetParts.datasetId }).from(datasetParts).where(isUnneeded);
      // Locked, so that nothing is brought back after its files have gone.
      const touched = await tx
        .select({ id: datasets.id, deletedAt: datasets.deletedAt })
        .from(datasets)
        .where(or(isDead, inArray(datasets.id, unneeded)))
        .orderBy(asc(datasets.id))
        .for("update");
      const dead = touched.filter(({ deletedAt }) => deletedAt !== null && deletedAt < gone);
      const isOf = (some: readonly { id: number }[]) =>
        sql`${datasetParts.datasetId} = ANY(${sql.param(some.map(({ id }) => id))})`;
      const parts = await tx
        .delete(datasetParts)
        .where(or(isOf(dead), and(isOf(touched), isUnneeded)))
        .returning({ blobKey: datasetParts.blobKey });
      await tx.delete(datasetVersions).where(lt(datasetVersions.replacedAt, gone));
      await tx.delete(datasets).where(
        inArray(
          datasets.id,
          dead.map(({ id }) => id),
        ),
      );
      const keys = [...new Set(parts.map(({ blobKey }) => blobKey))];
      const used = await referencedKeys(tx, keys);
      return keys.filter((key) => !used.has(key));
    });
  }

  #isKept() {
    return gte(datasetVersions.replacedAt, this.#keptSince());
  }

  #keptSince(): Date {
    return new Date(this.clock.now().getTime() - VERSION_RETENTION_MS);
  }
}

/** Of these keys, those that a dataset still has, in whatever version. */
export async function referencedKeys(db: Reader, keys: readonly string[]): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  // One parameter, however many keys: a statement has at most 65,535.
  const rows = await db
    .select({ blobKey: datasetParts.blobKey })
    .from(datasetParts)
    .where(sql`${datasetParts.blobKey} = ANY(${sql.param([...keys])})`);
  return new Set(rows.map(({ blobKey }) => blobKey));
}
