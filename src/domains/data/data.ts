import { AppError, isAppError } from "../../kernel/errors.ts";
import { scopeOf } from "../../kernel/fair-queue.ts";
import { JsonSlice } from "../../kernel/json.ts";
import { quoteName } from "../../kernel/sql-text.ts";
import type { Clock } from "../../kernel/time.ts";
import {
  type Analytics,
  type JsonValue,
  type LiveTable,
  type Part,
  type QueryBatch,
  type QueryRequest,
  type QueryResult,
  type Rows,
  type TableView,
  widenColumns,
} from "../../platform/analytics/index.ts";
import { LIMITS as ENGINE } from "../../platform/analytics/limits.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import type { CatalogTx } from "../../platform/catalog/index.ts";
import type { ReadOptions, RowPage, RowsOptions } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import { noteDataset } from "../../registry/context.ts";
import {
  asQueryError,
  type CompiledQuery,
  compile,
  compileOn,
  compileTest,
  type ParameterValue,
  parse,
  refuseUnknownParameters,
} from "./c9ql/index.ts";
import {
  assertName,
  assertNotFromQuery,
  type Column,
  type Dataset,
  type DatasetPolicy,
  type DatasetSource,
  isLiveDataset,
  rowsVersion,
} from "./dataset.ts";
import { type Change, concurrentChange, type DatasetsStore } from "./datasets.store.ts";
import { type ExportedFile, exportParquet, record } from "./export.ts";
import { PARTS, PartVerifier, smallParts, storedPart, sweepParts } from "./parts.ts";
import {
  assertBoundsKnown,
  assertMayAdd,
  columnsNamedBy,
  type Restriction,
  restrictionFor,
} from "./policies.ts";
import { assertNoPrecisionLoss, widenUnchecked } from "./precision-loss.ts";
import {
  type NamedPush,
  namedPush,
  type Pushed,
  type PushesStore,
  type PushOptions,
} from "./pushes.store.ts";
import { following, type RowQuery } from "./row-query.ts";

interface DataParts {
  datasets: DatasetsStore;
  analytics: Analytics;
  blobs: FolderBlobStore;
  clock: Clock;
  /** Knows pushes by their senders' keys; without it no push has one. */
  pushes?: PushesStore;
  /** Told of a file that is not what was written. */
  onDamage?: (blobKey: string) => void;
  /** Knows where the rows of live datasets are. */
  liveTable?: (dataset: Dataset) => Promise<LiveTable>;
  /** Told of each push, so that small parts are put together before there are many. */
  onPush?: (dataset: Dataset) => void;
}

/** Which rows of a dataset: `c9ql` comes after the query. */
export interface DatasetRows extends RowsOptions {
  query?: RowQuery | undefined;
}

/** A query on one dataset as its caller sees it. */
interface DatasetQuery {
  request: QueryRequest;
  /** How many rows it has, where that is known without counting. */
  totalRows: number | undefined;
}

/** The rows of datasets. `tableViews` is the only way to them: what it gives has been through the policies. */
export class Data {
  readonly #parts: DataParts;
  readonly #checks: PartVerifier;

  constructor(parts: DataParts) {
    this.#parts = parts;
    this.#checks = new PartVerifier(parts.blobs, parts.onDamage);
  }

  async require(caller: Caller, id: number): Promise<Dataset> {
    const dataset = await this.#parts.datasets.find(caller.workspace.id, id);
    if (dataset !== undefined) return dataset;
    throw new AppError("not_found", `There is no dataset with id ${id}.`, {
      hint: "{tool:list_datasets} shows what there is.",
    });
  }

  /** A dataset as this caller may see it, for the engine. */
  async tableView(caller: Caller, dataset: Dataset, name: string = dataset.name): Promise<VisibleTable> {
    const [tableView] = await this.tableViews(caller, [{ dataset, name }]);
    return tableView as VisibleTable;
  }

  /** The same of several datasets, whose parts the catalog is asked for at once. */
  async tableViews(
    caller: Caller,
    wanted: readonly { dataset: Dataset; name: string }[],
  ): Promise<VisibleTable[]> {
    const restrictions = wanted.map(({ dataset }) => restrictionOf(caller, dataset));
    const parts = await this.#parts.datasets.partsOf(wanted.map(({ dataset }) => dataset));
    await this.#checks.require([...parts.values()].flat());
    const lives = await Promise.all(
      wanted.map(({ dataset }) => (isLiveDataset(dataset) ? this.#parts.liveTable?.(dataset) : undefined)),
    );
    return wanted.map(({ dataset, name }, i) => {
      const files = (parts.get(dataset.id) ?? []).map(({ blobKey }) => this.#parts.blobs.pathOf(blobKey));
      const table = visibleTable(dataset, name, restrictions[i] as Restriction, files);
      return lives[i] === undefined ? table : { ...table, live: lives[i] };
    });
  }

  /** Some rows of a dataset, in the order in which they came; or what a query makes of them. */
  async read(caller: Caller, dataset: Dataset, options: ReadOptions & DatasetRows): Promise<RowPage> {
    // Whatever is asked of a dataset without columns, nothing comes of it.
    if (dataset.columns.length === 0)
      return { columns: [], rows: [], totalRows: 0, returnedRows: 0, isCut: false };
    const { limit, offset = 0, isSample = false } = options;
    const { request, totalRows: known } = await this.#queryOn(caller, dataset, options);
    const some = isSample
      ? `USING SAMPLE reservoir(${limit + 1} ROWS) REPEATABLE (1)`
      : `LIMIT ${limit + 1} OFFSET ${offset}`;
    // One row more than wanted tells whether there are others, and most aggregations have fewer: they run once.
    const { columns, rows, truncated } = await this.#query({
      ...request,
      sql: `SELECT * FROM (${request.sql}) ${some}`,
      limits: { rows: limit },
    });
    const isLast = truncated === false && (rows.length > 0 || offset === 0);
    const totalRows = known ?? (isLast ? offset + rows.length : await this.#count(request));
    const records = rows.map((row) => record(columns, row));
    return { columns, rows: records, totalRows, returnedRows: rows.length, isCut: truncated === "bytes" };
  }

  /** How many rows there are in all, whatever part of them the options ask for. */
  async count(caller: Caller, dataset: Dataset, options: DatasetRows): Promise<number> {
    if (dataset.columns.length === 0) return 0;
    const { request, totalRows } = await this.#queryOn(caller, dataset, options);
    return totalRows ?? this.#count(request);
  }

  /**
   * Whether each of these queries finds rows, asked in as few statements as can be; undefined where that is not known,
   * because a query, or one of those that it was asked with, failed or took too long.
   */
  async findMatches(
    caller: Caller,
    dataset: Dataset,
    asked: readonly { c9ql: string; timeZone: string }[],
    { atOnce, ms }: { atOnce: number; ms: number },
  ): Promise<(boolean | undefined)[]> {
    const found = new Array<boolean | undefined>(asked.length).fill(undefined);
    const { visible, ...view } = await this.tableView(caller, dataset, "rows");
    const tests = asked.flatMap(({ c9ql, timeZone: timezone }, at) => {
      const options = { columns: visible, source: '"rows"', now: this.#parts.clock.now(), timezone };
      try {
        const test = compileTest(parse(c9ql, { columns: visible }), options);
        return test === undefined ? [] : [{ at, ...test }];
      } catch (error) {
        // Asked by itself, it says what is wrong with it.
        if (isAppError(error)) return [];
        throw error;
      }
    });
    for (const [from, same] of Map.groupBy(tests, (test) => test.from))
      for (let i = 0; i < same.length; i += atOnce) {
        const some = same.slice(i, i + atOnce);
        const sql = `SELECT ${some.map(({ test }) => test).join(", ")}${from}`;
        const row = await this.summarise(caller, view, sql, ms).catch(() => []);
        for (const [j, { at }] of some.entries()) if (typeof row[j] === "boolean") found[at] = row[j];
      }
    return found;
  }

  /**
   * How many rows each of these queries gives, with a hash that tells whether they are others than before, whatever
   * their order; all in one statement, each at a time of its own.
   */
  async fingerprints(
    caller: Caller,
    dataset: Dataset,
    asked: readonly { query: RowQuery; now: Date; timeZone: string }[],
    ms: number,
  ): Promise<{ rows: number; hash: string }[]> {
    const { visible: columns, ...view } = await this.tableView(caller, dataset, "rows");
    const values = asked.map(({ query, now, timeZone: timezone }) => {
      const { sql } = compile(query, { columns, source: '"rows"', now, timezone });
      return `(SELECT [count(*)::VARCHAR, bit_xor(hash(found))::VARCHAR] FROM (${sql}) AS found)`;
    });
    const found = await this.summarise(caller, view, `SELECT ${values.join(", ")}`, ms);
    return (found as [string, string | null][]).map(([rows, hash]) => ({
      rows: Number(rows),
      hash: `${rows} ${hash}`,
    }));
  }

  async #queryOn(
    caller: Caller,
    dataset: Dataset,
    { query, c9ql, parameters, timeZone, signal }: DatasetRows,
  ): Promise<DatasetQuery> {
    const { visible, ...tableView } = await this.tableView(caller, dataset, "rows");
    const isAll = c9ql === undefined && (query === undefined || query.statements.length === 0);
    const isPlain = isAll && parameters === undefined;
    const rest = { scope: scopeOf(caller), tableViews: [tableView], signal };
    const { sql, params } = isPlain
      ? { sql: 'SELECT * FROM "rows"', params: [] }
      : await compileRows(
          { query, c9ql, parameters, timeZone },
          visible,
          this.#parts.clock.now(),
          (needed, values) => this.#query({ ...rest, sql: needed, params: values }),
        );
    const request = { ...rest, sql, params };
    const isWhole = isAll && !tableView.isRestricted && tableView.live === undefined;
    return { request, totalRows: isWhole ? dataset.rowCount : undefined };
  }

  async #count({ sql, ...request }: QueryRequest): Promise<number> {
    const { rows } = await this.#query({ ...request, sql: `SELECT count(*) FROM (${sql})` });
    return Number(rows[0]?.[0] ?? 0);
  }

  async #query(request: QueryRequest): Promise<QueryResult> {
    try {
      return await this.#parts.analytics.query(request);
    } catch (error) {
      throw asQueryError(error);
    }
  }

  /** The rows that `read` would give, however many, a batch at a time. */
  async *stream(caller: Caller, dataset: Dataset, options: DatasetRows): AsyncGenerator<QueryBatch> {
    if (dataset.columns.length === 0) return;
    const { limit, offset = 0 } = options;
    const { request } = await this.#queryOn(caller, dataset, options);
    const some = `${limit === undefined ? "" : ` LIMIT ${limit}`}${offset === 0 ? "" : ` OFFSET ${offset}`}`;
    const sql = some === "" ? request.sql : `SELECT * FROM (${request.sql})${some}`;
    try {
      yield* this.#parts.analytics.queryStream({ ...request, sql });
    } catch (error) {
      throw asQueryError(error);
    }
  }

  /** As much of these rows as one answer holds, as a Parquet file. */
  exportParquet(
    caller: Caller,
    batches: AsyncIterable<QueryBatch>,
    signal: AbortSignal,
  ): Promise<ExportedFile> {
    const { analytics, blobs } = this.#parts;
    const newKey = () => this.newPartKey();
    return exportParquet(batches, { analytics, blobs, newKey, scope: scopeOf(caller), signal });
  }

  /** The one row that SQL of ours makes of a view, which it finds under its name. */
  async summarise(caller: Caller, tableView: TableView, sql: string, ms: number): Promise<JsonValue[]> {
    const request = {
      scope: scopeOf(caller),
      tableViews: [tableView],
      sql,
      limits: { rows: 1, bytes: ENGINE.analytics.resultMaxBytes, ms },
    };
    const { rows } = await this.#parts.analytics.query(request);
    return rows[0] ?? [];
  }

  /** Adds rows to a dataset, or makes it. Nothing is changed when the types do not go together. */
  async push(caller: Caller, name: string, rows: Rows, signal: AbortSignal): Promise<Dataset> {
    return (await this.pushOnce(caller, name, rows, { signal })).dataset;
  }

  /** The same; with a key of the sender's, however often it is sent. */
  async pushOnce(caller: Caller, name: string, rows: Rows, { signal, key }: PushOptions): Promise<Pushed> {
    assertName(name);
    const named = key === undefined ? undefined : namedPush(key, name, rows);
    const before = named && (await this.#pushedBefore(caller, named));
    if (before !== undefined) return { dataset: before, wasRepeated: true };
    const { datasets } = this.#parts;
    const existing = await datasets.findByName(caller.workspace.id, name);
    const options = { signal, named };
    const added = (dataset: Dataset): Pushed => ({ dataset, wasRepeated: false });
    try {
      return added(await this.#append(caller, { name, existing }, rows, options));
    } catch (error) {
      if (!isAppError(error) || error.code !== "conflict") throw error;
      // The same push may have been made meanwhile by somebody who did not wait for its answer.
      const made = named && (await this.#pushedBefore(caller, named));
      if (made !== undefined) return { dataset: made, wasRepeated: true };
      // Others may have changed the dataset since it was looked at, so that the rows fit now.
      const newest = await datasets.findByName(caller.workspace.id, name);
      if (newest?.id === existing?.id && newest?.version === existing?.version) throw error;
      return added(await this.#append(caller, { name, existing: newest }, rows, options));
    }
  }

  async #pushedBefore(caller: Caller, named: NamedPush): Promise<Dataset | undefined> {
    const made = await this.#parts.pushes?.find(caller, named);
    return made && this.require(caller, made.datasetId);
  }

  async #append(
    caller: Caller,
    { name, existing }: { name: string; existing: Dataset | undefined },
    rows: Rows,
    { signal, named }: { signal: AbortSignal; named: NamedPush | undefined },
  ): Promise<Dataset> {
    const mayAdd = (dataset: Dataset, names: readonly string[]): void => {
      assertNotFromQuery(dataset);
      assertMayAdd(caller, dataset, names);
    };
    // Rows that are still JSON have no names yet; theirs are looked at when they are a part.
    const given = rows instanceof JsonSlice ? [] : rows.flatMap((row) => Object.keys(row));
    if (existing !== undefined) mayAdd(existing, given);
    if (rows.length === 0) {
      if (existing !== undefined) return existing;
      throw new AppError("bad_request", "There are no rows to make a dataset of.");
    }
    const part = await this.#parts.analytics.rowsToPart({
      rows,
      // Written as what the dataset has: its parts are of one type then, and can be read together. What is hidden
      // takes no part in it, since an error over its type would tell that it is there.
      ...(existing !== undefined && { into: restrictionFor(caller, existing).columns }),
      scope: scopeOf(caller),
      key: this.newPartKey(),
      signal,
    });
    const names = part.columns.map((column) => column.name);
    const { pushes } = this.#parts;
    const within = async (tx: CatalogTx, changed: Dataset): Promise<void> => {
      if (named !== undefined && !(await pushes?.keep(tx, caller, named, changed))) throw concurrentChange();
    };
    const rest = {
      known: existing,
      mayChange: (dataset: Dataset) => mayAdd(dataset, names),
      ...(named !== undefined && { within }),
    };
    const dataset = await this.commit(caller, name, "append", part, { kind: "push" }, rest);
    this.#parts.onPush?.(dataset);
    return dataset;
  }

  /** Makes a finished part the rows, or more rows, of a dataset. The file of a refused change is removed. */
  async commit(
    caller: Caller,
    name: string,
    mode: "append" | "replace",
    part: Part,
    source: DatasetSource,
    {
      mayChange = assertNotFromQuery,
      ...rest
    }: Pick<Change, "mayChange" | "within" | "known" | "onVersion"> = {},
  ): Promise<Dataset> {
    const { datasets, blobs } = this.#parts;
    const isEmpty = part.rows === 0;
    try {
      const looked =
        mode === "append" && !isEmpty
          ? await this.#lookAtDigits(caller, name, part, { mayChange, ...rest })
          : {};
      const dataset = await datasets.commit({
        workspaceId: caller.workspace.id,
        name,
        mode,
        // No rows say nothing of the types of those that are there.
        columns: mode === "append" && isEmpty ? [] : part.columns,
        parts: isEmpty ? [] : [storedPart(part)],
        source,
        userId: caller.user.id,
        widen: looked.onVersion === undefined ? widenUnchecked : widenColumns,
        mayChange,
        ...rest,
        ...looked,
      });
      noteDataset(dataset.id);
      if (part.rows === 0) await blobs.delete(part.key);
      else this.#checks.trust(part.key);
      return dataset;
    } catch (error) {
      await this.#discard(part.key);
      throw error;
    }
  }

  /** All rows of a dataset, whoever may see them: for the next run of the query that fills it. */
  async ownRows(dataset: Dataset): Promise<TableView> {
    const parts = await this.#parts.datasets.parts(dataset);
    await this.#checks.require(parts);
    const files = parts.map(({ blobKey }) => this.#parts.blobs.pathOf(blobKey));
    return visibleTable(dataset, "rows", { columns: dataset.columns, condition: null }, files);
  }

  async #lookAtDigits(
    caller: Caller,
    name: string,
    part: Part,
    { known, mayChange }: Pick<Change, "known" | "mayChange">,
  ): Promise<Pick<Change, "known" | "onVersion">> {
    const { datasets, analytics, blobs } = this.#parts;
    const existing = known ?? (await datasets.findByName(caller.workspace.id, name));
    if (existing === undefined) return {};
    mayChange?.(existing);
    const paths = async () => (await datasets.parts(existing)).map(({ blobKey }) => blobs.pathOf(blobKey));
    const query = (request: QueryRequest) => analytics.query(request);
    const isLooked = await assertNoPrecisionLoss(query, scopeOf(caller), { ...existing, paths }, part);
    return { known: existing, ...(isLooked && { onVersion: existing.version }) };
  }

  /**
   * Removes a file that was not made part of a dataset. When the connection was lost during the change, nobody
   * told us whether it was made: a file that may be in use is left to the sweep of the next start.
   */
  async #discard(key: string): Promise<void> {
    const { datasets, blobs } = this.#parts;
    const isUsed = await datasets.referenced([key]).then(
      ({ size }) => size > 0,
      () => true,
    );
    if (!isUsed) await blobs.delete(key);
  }

  /** A key for a part that is about to be written; after a crash it tells whose it was. */
  newPartKey(): string {
    return `${PARTS}/${this.#parts.blobs.ownName()}`;
  }

  /** The first rows of a part that no dataset has; it is gone afterwards. */
  async peek(caller: Caller, { key, path, columns }: Part, rows: number): Promise<Record<string, unknown>[]> {
    const { analytics, blobs } = this.#parts;
    const tableViews = [{ name: "rows", parts: [path], columns: [...columns], version: key }];
    const request = { scope: scopeOf(caller), tableViews, sql: 'SELECT * FROM "rows"', limits: { rows } };
    const found = await analytics.query(request).finally(() => blobs.delete(key));
    return found.rows.map((row) => record(found.columns, row));
  }

  /** Lets `use` have all that this caller may see as one Parquet file that every tool reads; it is gone afterwards. */
  async withParquet<T>(
    caller: Caller,
    dataset: Dataset,
    signal: AbortSignal,
    use: (path: string) => Promise<T>,
  ): Promise<T> {
    const { analytics, blobs } = this.#parts;
    const { parts, visible, isRestricted, live } = await this.tableView(caller, dataset);
    if (live !== undefined)
      throw new AppError("bad_request", `${dataset.name} is live, and has no file.`, {
        hint: "Export it as csv or json.",
      });
    if (isRestricted) {
      throw new AppError("bad_request", `Policies keep some rows of ${dataset.name} from you.`, {
        hint: "Export what is left as csv or json.",
      });
    }
    const key = this.newPartKey();
    try {
      const merged = await analytics.mergeParts({ parts, key, columns: visible, isPortable: true, signal });
      return await use(merged.path);
    } finally {
      await blobs.delete(key);
    }
  }

  async setPolicies(caller: Caller, id: number, policies: readonly DatasetPolicy[]): Promise<Dataset> {
    const dataset = await this.require(caller, id);
    // Former rows may be brought back, and what was hidden in them stays hidden then.
    const columns = [...dataset.columns, ...(await this.#parts.datasets.versions.columns(id))];
    const known = new Set(
      [...columns.map(({ name }) => name), ...columnsNamedBy(dataset.policies)].map((name) =>
        name.toLowerCase(),
      ),
    );
    const named = columnsNamedBy(policies);
    const unknown = named.filter((name) => !known.has(name.toLowerCase()));
    if (unknown.length > 0)
      throw new AppError("bad_request", `${dataset.name} has no column ${unknown.join(", ")}.`);
    return this.#parts.datasets.setPolicies(caller.workspace.id, id, policies);
  }

  /** Puts many small parts of a dataset into one, before they slow its readers down. */
  async compact(dataset: Dataset, signal: AbortSignal): Promise<boolean> {
    const { datasets, analytics, blobs } = this.#parts;
    const small = smallParts(await datasets.parts(dataset));
    if (small.length === 0) return false;
    // Verified first: a corrupt part must not be merged into a file that is taken for a good one.
    await this.#checks.require(small);
    const key = this.newPartKey();
    const parts = small.map(({ blobKey }) => blobs.pathOf(blobKey));
    const part = await analytics.mergeParts({ parts, key, columns: [...dataset.columns], signal });
    const keys = small.map(({ blobKey }) => blobKey);
    try {
      return await datasets.merge(dataset.id, keys, storedPart(part));
    } finally {
      await this.#discard(key);
    }
  }

  /** Removes files that nobody reads any more, and those that a killed process left unfinished. */
  async sweep(signal?: AbortSignal): Promise<void> {
    await this.#parts.pushes?.sweep();
    await sweepParts(this.#parts, signal);
  }
}

/** A dataset under a caller's policies, with its visible columns. */
type VisibleTable = TableView & { visible: Column[] };

/** Restriction of a dataset by its policies for a caller; refused where nothing is left. */
function restrictionOf(caller: Caller, dataset: Dataset): Restriction {
  noteDataset(dataset.id);
  assertBoundsKnown(caller);
  if (dataset.columns.length === 0)
    throw new AppError("bad_request", `${dataset.name} has no columns: what it was made of was empty.`);
  const restriction = restrictionFor(caller, dataset);
  if (restriction.columns.length > 0) return restriction;
  throw new AppError("forbidden", `No column of ${dataset.name} may be seen by you.`);
}

/** The same for the engine. */
function visibleTable(
  dataset: Dataset,
  name: string,
  { columns, condition }: Restriction,
  files: string[],
): VisibleTable {
  const isRestricted = condition !== null || columns.length < dataset.columns.length;
  const visible = columns.map((column) => quoteName(column.name)).join(", ");
  const select = `SELECT ${visible} FROM raw${condition === null ? "" : ` WHERE ${condition}`}`;
  return {
    name,
    parts: files,
    columns: [...dataset.columns],
    ...(isRestricted && { select }),
    isRestricted: condition !== null,
    version: `${dataset.id}.${rowsVersion(dataset)}`,
    visible: [...columns],
  };
}

/** A query as SQL over the view "rows"; `ask` runs what must be known of the rows first. */
function compileRows(
  { query: first, c9ql, parameters: values = {}, timeZone: timezone = "UTC" }: Omit<DatasetRows, "signal">,
  columns: readonly Column[],
  now: Date,
  ask: (sql: string, params: readonly string[]) => Promise<{ rows: JsonValue[][] }>,
): Promise<CompiledQuery> {
  const query = following(first, c9ql === undefined ? undefined : parse(c9ql, { columns }));
  // Which values fit depends on the query: compiling checks them.
  const parameters = values as Readonly<Record<string, ParameterValue>>;
  refuseUnknownParameters(query, parameters);
  const options = { columns, source: '"rows"', parameters, now, timezone };
  return compileOn(query, options, async (sql, params) =>
    (await ask(sql, params)).rows.map(([value]) => value as string | null),
  );
}
