import { and, asc, count, desc, eq, inArray, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import {
  type Catalog,
  type CatalogTx,
  contains,
  notifyOfEvents,
  pageOf,
  type StorageClaim,
  Store,
} from "../../platform/catalog/index.ts";
import { datasetParts, datasets } from "./data.tables.ts";
import { insertDatasetEvent, rowsOrColumns, tellOfDataset } from "./data-events.ts";
import {
  type Column,
  type ColumnAggregate,
  type Dataset,
  type DatasetPart,
  type DatasetPolicy,
  type DatasetSource,
  withAggregates,
} from "./dataset.ts";
import { DatasetVersionsStore, type Reader, referencedKeys } from "./dataset-versions.store.ts";
import { LIMITS } from "./limits.ts";

export interface Change {
  workspaceId: number;
  name: string;
  mode: "append" | "replace";
  columns: readonly Column[];
  parts: readonly DatasetPart[];
  source: DatasetSource;
  userId: number;
  /** Works out the columns of old and new rows together, or throws `conflict`. */
  widen: (before: readonly Column[], added: readonly Column[]) => Column[];
  /** The dataset as it was seen a moment ago, which saves looking it up: it need not be true any more. */
  known?: Dataset | undefined;
  mayChange?: MayChange | undefined;
  /** Rows of this version were looked at: if others have changed it since, it is a `conflict`. */
  onVersion?: number | undefined;
  /** Writes what belongs to the change, or throws to undo it. */
  within?: ((tx: CatalogTx, changed: Dataset) => Promise<void>) | undefined;
}

/** Looks at a dataset before it is changed, and throws if it must stay. */
type MayChange = (existing: Dataset) => void;

/** Parts that were put together stand where the first of them stood. */
const IN_ORDER = sql`coalesce(${datasetParts.position}, ${datasetParts.id})`;

/** Catalog records of datasets. Each change is one transaction, after the files are safely on disk. */
export class DatasetsStore extends Store {
  readonly #claim: StorageClaim | undefined;
  readonly versions: DatasetVersionsStore;

  constructor(catalog: Catalog, clock: Clock, claim?: StorageClaim) {
    super(catalog, clock);
    this.#claim = claim;
    this.versions = new DatasetVersionsStore(catalog, clock);
  }

  /** Makes the parts current: a new dataset, more rows of one, or its rows anew. */
  async commit(change: Change): Promise<Dataset> {
    const appended = await this.#appendAtOnce(change);
    if (appended !== undefined) return appended;
    return this.catalog.transaction(async (tx) => {
      const existing = await this.#lockByName(tx, change.workspaceId, change.name);
      if (existing !== undefined) change.mayChange?.(existing);
      if (change.onVersion !== undefined && existing?.version !== change.onVersion) throw concurrentChange();
      const changed = await this.#apply(tx, existing, change);
      await change.within?.(tx, changed);
      const what = existing === undefined ? "existence" : rowsOrColumns(existing.columns, changed.columns);
      await tellOfDataset(tx, changed, what);
      return changed;
    });
  }

  /** One more part of a dataset that is there; undefined when it is another case, or has to be looked at again. */
  async #appendAtOnce(change: Change): Promise<Dataset | undefined> {
    const { workspaceId, name, mode, parts, within, mayChange } = change;
    const [part] = parts;
    if (mode !== "append" || within !== undefined || part === undefined || parts.length > 1) return undefined;
    if (change.onVersion !== undefined) return undefined;
    const existing = change.known ?? (await this.findByName(workspaceId, name));
    if (existing === undefined) return undefined;
    mayChange?.(existing);
    const columns = withAggregates(change.widen(existing.columns, change.columns), existing.columns);
    const changed = { columns, refreshedAt: this.clock.now(), refreshedBy: change.userId };
    return appendAtOnce(this.catalog, existing, part, { ...changed, claim: this.#claim });
  }

  #apply(tx: CatalogTx, existing: Dataset | undefined, change: Change): Promise<Dataset> {
    if (existing === undefined) return this.#create(tx, change);
    return change.mode === "append"
      ? this.#append(tx, existing, change)
      : this.#replace(tx, existing, change);
  }

  async find(workspaceId: number, id: number): Promise<Dataset | undefined> {
    const isWanted = and(this.#own(workspaceId), eq(datasets.id, id));
    const [row] = await this.catalog.db.select().from(datasets).where(isWanted);
    return row;
  }

  async findByName(workspaceId: number, name: string): Promise<Dataset | undefined> {
    const isWanted = and(this.#own(workspaceId), isCalled(name));
    const [row] = await this.catalog.db.select().from(datasets).where(isWanted);
    return row;
  }

  async findByNames(workspaceId: number, names: readonly string[]): Promise<Dataset[]> {
    if (names.length === 0) return [];
    const lowered = [...new Set(names.map((name) => name.toLowerCase()))];
    return this.catalog.db
      .select()
      .from(datasets)
      .where(and(this.#own(workspaceId), inArray(sql`lower(${datasets.name})`, lowered)));
  }

  async hasAny(workspaceId: number): Promise<boolean> {
    const own = this.#own(workspaceId);
    const found = await this.catalog.db.select({ id: datasets.id }).from(datasets).where(own).limit(1);
    return found.length > 0;
  }

  async list(
    workspaceId: number,
    {
      query,
      limit,
      offset,
      isDeleted = false,
    }: { query?: string; limit: number; offset: number; isDeleted?: boolean },
  ): Promise<{ total: number; items: Dataset[] }> {
    const deleted = and(eq(datasets.workspaceId, workspaceId), isNotNull(datasets.deletedAt));
    const condition = and(isDeleted ? deleted : this.#own(workspaceId), contains(datasets.name, query));
    return pageOf(this.catalog.db, datasets, condition, { order: asc(datasets.name), limit, offset });
  }

  /** Texts for the search index: names of columns only where no policy hides them from anybody. */
  async searchable(workspaceId: number): Promise<Dataset[]> {
    return this.catalog.db.select().from(datasets).where(this.#own(workspaceId));
  }

  /** The files of one version. */
  async parts(
    dataset: Pick<Dataset, "id" | "version">,
    db: Reader = this.catalog.db,
  ): Promise<DatasetPart[]> {
    return (await this.partsOf([dataset], db)).get(dataset.id) ?? [];
  }

  /** The parts of several datasets, by their ids. */
  async partsOf(
    wanted: readonly Pick<Dataset, "id" | "version">[],
    db: Reader = this.catalog.db,
  ): Promise<Map<number, DatasetPart[]>> {
    const versionOf = new Map(wanted.map(({ id, version }) => [id, version]));
    if (versionOf.size === 0) return new Map();
    const [ids, versions] = [[...versionOf.keys()], [...versionOf.values()]];
    const each = sql`unnest(${sql.param(ids)}::int[], ${sql.param(versions)}::int[]) AS wanted (id, version)`;
    const isCurrent = sql`${datasetParts.datasetId} = wanted.id AND ${datasetParts.fromVersion} <= wanted.version AND (${datasetParts.untilVersion} IS NULL OR ${datasetParts.untilVersion} > wanted.version)`;
    const { datasetId, blobKey, rowCount, bytes, sha256 } = datasetParts;
    const rows = await db
      .select({ datasetId, blobKey, rowCount, bytes, sha256 })
      .from(datasetParts)
      .innerJoin(each, isCurrent)
      .orderBy(IN_ORDER);
    return Map.groupBy(rows, (row) => row.datasetId);
  }

  /** Datasets that have many small files side by side, as many as can be put together; most first. */
  async scattered(most: number): Promise<{ id: number; workspaceId: number }[]> {
    const { smallPartBytes, smallParts } = LIMITS.data;
    const place = sql`row_number() OVER (PARTITION BY ${datasetParts.datasetId} ORDER BY ${IN_ORDER})`;
    const isSmall = sql<boolean>`${datasetParts.bytes} < ${smallPartBytes}`;
    const placed = this.catalog.db
      .select({
        datasetId: datasetParts.datasetId,
        isSmall: isSmall.as("is_small"),
        // The same for all small parts between two large ones.
        stretch:
          sql<number>`${place} - row_number() OVER (PARTITION BY ${datasetParts.datasetId}, ${isSmall} ORDER BY ${IN_ORDER})`.as(
            "stretch",
          ),
      })
      .from(datasetParts)
      .where(isNull(datasetParts.untilVersion))
      .as("placed");
    const rows = await this.catalog.db
      .select({ id: datasets.id, workspaceId: datasets.workspaceId })
      .from(datasets)
      .innerJoin(placed, eq(placed.datasetId, datasets.id))
      .where(and(isNull(datasets.deletedAt), placed.isSmall))
      .groupBy(datasets.id, placed.stretch)
      .having(sql`count(*) >= ${smallParts}`)
      .orderBy(sql`count(*) DESC`)
      .limit(most);
    return [...new Map(rows.map((row) => [row.id, row])).values()];
  }

  /** Puts one file in the place of several that hold the same rows, unless they have changed meanwhile. */
  async merge(datasetId: number, merged: readonly string[], part: DatasetPart): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const [dataset] = await tx.select().from(datasets).where(eq(datasets.id, datasetId)).for("update");
      if (dataset === undefined) return false;
      const condition = and(inArray(datasetParts.blobKey, [...merged]), isNull(datasetParts.untilVersion));
      const [found] = await tx
        .select({
          count: count(),
          position: sql<string>`min(${IN_ORDER})`,
          rows: sql<string>`sum(${datasetParts.rowCount})`,
          bytes: sql<string>`sum(${datasetParts.bytes})`,
        })
        .from(datasetParts)
        .where(condition);
      if (found?.count !== merged.length) return false;
      await this.#claim?.require(tx);
      if (Number(found.rows) !== part.rowCount)
        throw new Error(`parts with ${found.rows} rows became one with ${part.rowCount}`);
      const version = dataset.version + 1;
      await tx
        .update(datasetParts)
        .set({ untilVersion: version, endedAt: this.clock.now() })
        .where(condition);
      await tx
        .insert(datasetParts)
        .values({ ...part, datasetId, position: Number(found.position), fromVersion: version });
      const bytes = dataset.bytes - Number(found.bytes) + part.bytes;
      await tx.update(datasets).set({ version, bytes }).where(eq(datasets.id, datasetId));
      return true;
    });
  }

  async setPolicies(workspaceId: number, id: number, policies: readonly DatasetPolicy[]): Promise<Dataset> {
    return this.catalog.transaction(async (tx) => {
      const [row] = await tx
        .update(datasets)
        .set({ policies: [...policies] })
        .where(and(this.#own(workspaceId), eq(datasets.id, id)))
        .returning();
      if (row === undefined) throw new AppError("not_found", `There is no dataset with id ${id}.`);
      await tellOfDataset(tx, row, "policies");
      return row;
    });
  }

  /** A new version of the same rows: whatever was drawn of them is drawn again. */
  async setAggregates(
    workspaceId: number,
    id: number,
    said: ReadonlyMap<string, ColumnAggregate>,
    mayChange: MayChange,
  ): Promise<Dataset> {
    return this.catalog.transaction(async (tx) => {
      const dataset = await this.#lock(tx, workspaceId, id);
      if (dataset === undefined) throw new AppError("not_found", `There is no dataset with id ${id}.`);
      mayChange(dataset);
      const columns = withAggregates(
        dataset.columns.map((column) => {
          const aggregate = said.get(column.name);
          return aggregate === undefined ? column : { ...column, aggregate };
        }),
      );
      const [changed] = await tx
        .update(datasets)
        .set({ columns, version: dataset.version + 1 })
        .where(eq(datasets.id, id))
        .returning();
      await tellOfDataset(tx, changed as Dataset, "columns");
      return changed as Dataset;
    });
  }

  async remove(workspaceId: number, id: number, mayChange: MayChange): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const dataset = await this.#lock(tx, workspaceId, id);
      if (dataset === undefined) return false;
      mayChange(dataset);
      await tx.update(datasets).set({ deletedAt: this.clock.now() }).where(eq(datasets.id, id));
      await tellOfDataset(tx, dataset, "existence");
      return true;
    });
  }

  /** The dataset of that name that was deleted last. */
  async findDeleted(workspaceId: number, name: string): Promise<Dataset | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(datasets)
      .where(and(eq(datasets.workspaceId, workspaceId), isNotNull(datasets.deletedAt), isCalled(name)))
      .orderBy(desc(datasets.deletedAt))
      .limit(1);
    return row;
  }

  /** Brings a deleted dataset back, unless its name has been taken or it is too late. */
  async restore(workspaceId: number, id: number, mayChange: MayChange): Promise<boolean> {
    return this.catalog.transaction(async (tx) => {
      const [row] = await tx
        .select()
        .from(datasets)
        .where(
          and(eq(datasets.workspaceId, workspaceId), eq(datasets.id, id), isNotNull(datasets.deletedAt)),
        );
      if (row === undefined) return false;
      mayChange(row);
      if ((await this.#lockByName(tx, workspaceId, row.name)) !== undefined) {
        throw new AppError("conflict", `There is another dataset called ${row.name} by now.`, {
          hint: "Delete that one first, then restore this one.",
        });
      }
      await tx.update(datasets).set({ deletedAt: null }).where(eq(datasets.id, id));
      await tellOfDataset(tx, row, "existence");
      return true;
    });
  }

  /** Brings the rows of a former version back as a new one, and tells what they replaced. */
  async restoreVersion(
    workspaceId: number,
    { id, version, userId, mayChange }: { id: number; version: number; userId: number; mayChange: MayChange },
  ): Promise<{ dataset: Dataset; replaced: Dataset }> {
    return this.catalog.transaction(async (tx) => {
      const replaced = await this.#lock(tx, workspaceId, id);
      if (replaced === undefined) {
        const hint = "A deleted one comes back by itself first: restore it without a version.";
        throw new AppError("not_found", `There is no dataset with id ${id}.`, { hint });
      }
      mayChange(replaced);
      const former = await this.versions.require(tx, replaced, version);
      const parts = await this.parts({ id, version }, tx);
      if (totals(parts).rowCount !== former.rowCount)
        throw new Error(`version ${version} of dataset ${id} lacks some of its ${former.rowCount} rows`);
      const { columns, source } = former;
      const dataset = await this.#replace(tx, replaced, { columns, source, parts, userId });
      await tellOfDataset(tx, dataset, rowsOrColumns(replaced.columns, columns));
      return { dataset, replaced };
    });
  }

  /** Of these keys, those that a dataset still has. */
  referenced(keys: readonly string[]): Promise<Set<string>> {
    return referencedKeys(this.catalog.db, keys);
  }

  async #create(tx: CatalogTx, change: Change): Promise<Dataset> {
    const now = this.clock.now();
    const { workspaceId, name, columns, source, userId, parts } = change;
    const [row] = await tx
      .insert(datasets)
      .values({
        workspaceId,
        name,
        version: 1,
        columns: withAggregates(columns),
        ...totals(parts),
        source,
        createdBy: userId,
        createdAt: now,
        refreshedAt: now,
        refreshedBy: userId,
      })
      .returning();
    return this.#addParts(tx, row as Dataset, parts);
  }

  async #append(tx: CatalogTx, dataset: Dataset, change: Change): Promise<Dataset> {
    const { columns, parts, widen, userId } = change;
    const added = totals(parts);
    const changed = await this.#bump(tx, dataset, {
      refreshedBy: userId,
      columns: withAggregates(widen(dataset.columns, columns), dataset.columns),
      rowCount: dataset.rowCount + added.rowCount,
      bytes: dataset.bytes + added.bytes,
    });
    return this.#addParts(tx, changed, parts);
  }

  async #replace(
    tx: CatalogTx,
    dataset: Dataset,
    { columns, parts, source, userId }: Pick<Change, "columns" | "parts" | "source" | "userId">,
  ): Promise<Dataset> {
    const kept = withAggregates(columns, dataset.columns);
    const values = { columns: kept, ...totals(parts), source, refreshedBy: userId };
    const changed = await this.#bump(tx, dataset, values);
    // What a query gave it gives again, and its runs may come by the minute.
    if (dataset.source.kind !== "query") await this.versions.keep(tx, dataset, userId);
    await tx
      .update(datasetParts)
      .set({ untilVersion: changed.version, endedAt: this.clock.now() })
      .where(and(eq(datasetParts.datasetId, dataset.id), isNull(datasetParts.untilVersion)));
    return this.#addParts(tx, changed, parts);
  }

  async #bump(
    tx: CatalogTx,
    dataset: Dataset,
    values: Partial<typeof datasets.$inferInsert>,
  ): Promise<Dataset> {
    const [row] = await tx
      .update(datasets)
      .set({ ...values, version: dataset.version + 1, refreshedAt: this.clock.now() })
      .where(eq(datasets.id, dataset.id))
      .returning();
    return row as Dataset;
  }

  async #addParts(tx: CatalogTx, dataset: Dataset, parts: readonly DatasetPart[]): Promise<Dataset> {
    const { id: datasetId, version: fromVersion } = dataset;
    const rows = parts.map((part) => ({ ...part, datasetId, fromVersion }));
    if (rows.length === 0) return dataset;
    await this.#claim?.require(tx);
    await tx.insert(datasetParts).values(rows);
    return dataset;
  }

  /** Two who write the same name, new or not, wait for each other. */
  async #lockByName(tx: CatalogTx, workspaceId: number, name: string): Promise<Dataset | undefined> {
    const key = `dataset:${workspaceId}:${name.toLowerCase()}`;
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
    const isWanted = and(this.#own(workspaceId), isCalled(name));
    const [row] = await tx.select().from(datasets).where(isWanted).for("update");
    return row;
  }

  async #lock(tx: CatalogTx, workspaceId: number, id: number): Promise<Dataset | undefined> {
    const isWanted = and(this.#own(workspaceId), eq(datasets.id, id));
    const [row] = await tx.select().from(datasets).where(isWanted).for("update");
    return row;
  }

  #own(workspaceId: number) {
    return and(eq(datasets.workspaceId, workspaceId), isNull(datasets.deletedAt));
  }
}

function isCalled(name: string): SQL {
  return sql`lower(${datasets.name}) = lower(${name})`;
}

function totals(parts: readonly DatasetPart[]): { rowCount: number; bytes: number } {
  return {
    rowCount: parts.reduce((sum, { rowCount }) => sum + rowCount, 0),
    bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export function concurrentChange(): AppError {
  return new AppError("conflict", "The dataset was changed at the same time.", {
    hint: "Send the rows again.",
  });
}

interface AppendedRow extends Pick<Dataset, "version" | "policies">, Record<string, unknown> {
  row_count: string;
  bytes: string;
}

/**
 * One more part of a dataset, in a single statement instead of a transaction of seven. It waits for others who change
 * the dataset; undefined when they changed what this was worked out from.
 */
async function appendAtOnce(
  { db }: Catalog,
  existing: Dataset,
  part: DatasetPart,
  change: {
    columns: Column[];
    refreshedAt: Date;
    refreshedBy: number;
    claim: StorageClaim | undefined;
  },
): Promise<Dataset | undefined> {
  const { columns, refreshedAt, refreshedBy, claim } = change;
  const told = insertDatasetEvent(existing, rowsOrColumns(existing.columns, columns), sql`changed`);
  const { rows } = await db.execute<AppendedRow>(sql`
    WITH changed AS (
      UPDATE datasets SET columns = ${JSON.stringify(columns)}, version = version + 1,
        row_count = row_count + ${part.rowCount}, bytes = bytes + ${part.bytes}, refreshed_at = ${refreshedAt},
        refreshed_by = ${refreshedBy}
      WHERE id = ${existing.id} AND deleted_at IS NULL AND name = ${existing.name}
        AND columns = ${JSON.stringify(existing.columns)} AND source = ${JSON.stringify(existing.source)}
        AND policies = ${JSON.stringify(existing.policies)}
        AND ${claim?.holds() ?? sql`true`}
      RETURNING id, version, row_count, bytes, policies
    ), added AS (
      INSERT INTO dataset_parts (dataset_id, blob_key, row_count, bytes, sha256, from_version)
      SELECT id, ${part.blobKey}, ${part.rowCount}, ${part.bytes}, ${part.sha256}, version FROM changed
    ), told AS (${told})
    SELECT version, row_count, bytes, policies, ${notifyOfEvents} FROM changed`);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { version, policies } = row;
  const counts = { rowCount: Number(row.row_count), bytes: Number(row.bytes) };
  return { ...existing, columns, version, policies, refreshedAt, refreshedBy, ...counts };
}
