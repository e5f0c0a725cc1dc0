import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import {
  type Analytics,
  type JsonValue,
  type Part,
  type Relation,
  widenColumns,
} from "../../platform/analytics/index.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import { isLeftover, ownedTempName } from "../../platform/temp/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { compile, parse } from "./c9ql/index.ts";
import type { Column, Dataset, DatasetPolicy, DatasetSource } from "./dataset.ts";
import type { DatasetsStore } from "./datasets.store.ts";
import { restrictionFor } from "./policies.ts";

export interface DataParts {
  datasets: DatasetsStore;
  analytics: Analytics;
  blobs: FolderBlobStore;
  clock: Clock;
}

export interface Page {
  columns: Column[];
  rows: Record<string, JsonValue>[];
  totalRows: number;
  returnedRows: number;
}

export interface ReadOptions {
  limit: number;
  offset?: number;
  c9ql?: string | undefined;
  signal: AbortSignal;
}

const PARTS = "parts";

/** The rows of datasets. `relation` is the only way to them: what it gives has been through the policies. */
export class Data {
  readonly #parts: DataParts;

  constructor(parts: DataParts) {
    this.#parts = parts;
  }

  async require(caller: Caller, id: number): Promise<Dataset> {
    const dataset = await this.#parts.datasets.find(caller.workspace.id, id);
    if (dataset !== undefined) return dataset;
    throw new AppError("not_found", `There is no dataset with id ${id}.`, {
      hint: "list_datasets shows what there is.",
    });
  }

  /** What this caller may see of a dataset, for the engine. */
  async relation(
    caller: Caller,
    dataset: Dataset,
    name: string = dataset.name,
  ): Promise<Relation & { visible: Column[] }> {
    const { columns, condition } = restrictionFor(caller, dataset);
    if (columns.length === 0)
      throw new AppError("forbidden", `No column of ${dataset.name} may be seen by you.`);
    const parts = await this.#parts.datasets.parts(dataset);
    const isRestricted = condition !== null || columns.length < dataset.columns.length;
    const visible = columns.map((column) => quoteName(column.name)).join(", ");
    const select = `SELECT ${visible} FROM raw${condition === null ? "" : ` WHERE ${condition}`}`;
    return {
      name,
      parts: parts.map(({ blobKey }) => this.#parts.blobs.pathOf(blobKey)),
      columns: [...dataset.columns],
      ...(isRestricted && { select }),
      version: `${dataset.id}.${dataset.version}`,
      visible: [...columns],
    };
  }

  /** Some rows of a dataset, in the order in which they came; or what a C9QL query makes of them. */
  async read(
    caller: Caller,
    dataset: Dataset,
    { limit, offset = 0, c9ql, signal }: ReadOptions,
  ): Promise<Page> {
    const { visible, ...relation } = await this.relation(caller, dataset, "rows");
    const { sql, params } =
      c9ql === undefined ? { sql: 'SELECT * FROM "rows"', params: [] } : this.#compile(c9ql, visible);
    const request = { scope: scopeOf(caller), relations: [relation], params, signal };
    const isWhole = c9ql === undefined && !relation.select?.includes(" WHERE ");
    const [{ columns, rows }, counted] = await Promise.all([
      this.#parts.analytics.query({
        ...request,
        sql: `SELECT * FROM (${sql}) LIMIT ${limit} OFFSET ${offset}`,
        limits: { rows: limit },
      }),
      isWhole ? null : this.#parts.analytics.query({ ...request, sql: `SELECT count(*) FROM (${sql})` }),
    ]);
    const totalRows = counted === null ? dataset.rowCount : Number(counted.rows[0]?.[0] ?? 0);
    return { columns, rows: rows.map((row) => record(columns, row)), totalRows, returnedRows: rows.length };
  }

  #compile(c9ql: string, columns: readonly Column[]): { sql: string; params: readonly string[] } {
    const query = parse(c9ql, { columns });
    return compile(query, { columns, source: '"rows"', now: this.#parts.clock.now(), timezone: "UTC" });
  }

  /** Adds rows to a dataset, or makes it. Nothing is changed when the types do not go together. */
  async push(
    caller: Caller,
    name: string,
    rows: readonly Record<string, unknown>[],
    signal: AbortSignal,
  ): Promise<Dataset> {
    assertName(name);
    const existing = await this.#parts.datasets.findByName(caller.workspace.id, name);
    if (rows.length === 0) {
      if (existing !== undefined) return existing;
      throw new AppError("bad_request", "There are no rows to make a dataset of.");
    }
    const part = await this.#parts.analytics.rowsToPart({ rows, key: newKey(), signal });
    return this.commit(caller, name, "append", part, { kind: "push" });
  }

  /** Makes a finished part the rows, or more rows, of a dataset. The file of a refused change is removed. */
  async commit(
    caller: Caller,
    name: string,
    mode: "append" | "replace",
    part: Part,
    source: DatasetSource,
  ): Promise<Dataset> {
    const { datasets, blobs } = this.#parts;
    try {
      return await datasets.commit({
        workspaceId: caller.workspace.id,
        name,
        mode,
        columns: part.columns,
        parts: part.rows === 0 ? [] : [{ blobKey: part.key, rowCount: part.rows, bytes: part.bytes }],
        source,
        userId: caller.user.id,
        // A number column that turned into text would break everything that calculates with it.
        widen: (before, added) => widenColumns(before, added, { numbersToText: false }),
      });
    } catch (error) {
      await blobs.delete(part.key);
      throw error;
    }
  }

  /** A key for a part that is about to be written; after a crash it tells whose it was. */
  newPartKey(): string {
    return newKey();
  }

  /** Lets `use` have some rows as a Parquet file, which is gone afterwards. */
  async withTemporaryPart<T>(
    { columns, rows }: Page,
    signal: AbortSignal,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    const part = await this.#parts.analytics.rowsToPart({ rows, columns, key: newKey(), signal });
    try {
      return await use(part.path);
    } finally {
      await this.#parts.blobs.delete(part.key);
    }
  }

  async setPolicies(caller: Caller, id: number, policies: readonly DatasetPolicy[]): Promise<Dataset> {
    const dataset = await this.require(caller, id);
    const known = new Set(dataset.columns.map(({ name }) => name.toLowerCase()));
    const named = policies.flatMap(({ rows = [], hide = [] }) => [
      ...rows.map(({ field }) => field),
      ...hide,
    ]);
    const unknown = named.filter((name) => !known.has(name.toLowerCase()));
    if (unknown.length > 0)
      throw new AppError("bad_request", `${dataset.name} has no column ${unknown.join(", ")}.`);
    return this.#parts.datasets.setPolicies(caller.workspace.id, id, policies);
  }

  /** Puts many small parts of a dataset into one, before they slow its readers down. */
  async compact(dataset: Dataset, signal: AbortSignal): Promise<boolean> {
    const { datasets, analytics, blobs } = this.#parts;
    const small = (await datasets.parts(dataset)).filter(({ bytes }) => bytes < LIMITS.data.smallPartBytes);
    if (small.length < LIMITS.data.smallParts) return false;
    const key = newKey();
    const parts = small.map(({ blobKey }) => blobs.pathOf(blobKey));
    const part = await analytics.mergeParts({ parts, key, columns: [...dataset.columns], signal });
    const keys = small.map(({ blobKey }) => blobKey);
    const isMerged = await datasets.merge(dataset.id, keys, {
      blobKey: key,
      rowCount: part.rows,
      bytes: part.bytes,
    });
    if (!isMerged) await blobs.delete(key);
    return isMerged;
  }

  /** Removes files that nobody reads any more, and those that a killed process left unfinished. */
  async sweep(): Promise<void> {
    const { datasets, blobs } = this.#parts;
    for (const key of await datasets.forget()) await blobs.delete(key);
    const candidates: string[] = [];
    for await (const { key } of blobs.list(`${PARTS}/`)) {
      if (isLeftover(key.slice(PARTS.length + 1))) candidates.push(key);
    }
    const referenced = await datasets.referenced(candidates);
    for (const key of candidates) if (!referenced.has(key)) await blobs.delete(key);
  }
}

function scopeOf(caller: Caller): string {
  return String(caller.workspace.id);
}

export function assertName(name: string): void {
  const isGood = name.trim() === name && name.length > 0 && name.length <= LIMITS.data.nameCharacters;
  if (!isGood) {
    throw new AppError(
      "bad_request",
      `A name has 1 to ${LIMITS.data.nameCharacters} characters and no spaces around it.`,
    );
  }
}

function newKey(): string {
  return `${PARTS}/${ownedTempName()}`;
}

function record(columns: readonly Column[], row: readonly JsonValue[]): Record<string, JsonValue> {
  return Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null]));
}
