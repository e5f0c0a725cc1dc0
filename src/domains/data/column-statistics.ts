import { setTimeout as sleep } from "node:timers/promises";
import { AsyncLruCache } from "../../kernel/async-lru-cache.ts";
import { isAppError } from "../../kernel/errors.ts";
import type { JsonValue, TableView } from "../../platform/analytics/index.ts";
import { LIMITS as ENGINE } from "../../platform/analytics/limits.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Data } from "./data.ts";
import type { Column, Dataset } from "./dataset.ts";
import { LIMITS } from "./limits.ts";

interface DescribedColumn extends Column {
  nulls?: number;
  /** An estimate. */
  distinct?: number;
  /** Left out where values have no order that means something. Long texts are cut. */
  min?: JsonValue;
  max?: JsonValue;
}

/** Statistics of a caller's visible columns, over this caller's visible rows. */
interface ColumnStatistics {
  rows: number;
  columns: DescribedColumn[];
  /** Note for the reader about how it was counted. */
  note?: string;
}

/** Types whose values have an order that means something. */
const ORDERED =
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\)|DATE|TIME|TIMESTAMP.*|VARCHAR|BOOLEAN)$/;
/** Timeout: details come without statistics after it. */
const STATISTICS_MS = 15_000;
const MOST_COLUMNS = 200;
const KEPT = 200;

/**
 * Statistics of datasets. They are counted when somebody asks, over exactly what that caller may see, and kept in
 * memory for as long as the dataset stays the same: all callers who see the same share them.
 */
export class StatisticsCache {
  readonly #data: Pick<Data, "tableView" | "summarise">;
  /** A count that failed, perhaps for lack of time, is no answer for the next who asks. */
  readonly #cache = new AsyncLruCache(KEPT);

  constructor(data: Pick<Data, "tableView" | "summarise">) {
    this.#data = data;
  }

  async of(caller: Caller, dataset: Dataset): Promise<ColumnStatistics> {
    const { visible, ...tableView } = await this.#data.tableView(caller, dataset, "rows");
    const key = JSON.stringify([dataset.workspaceId, tableView.version, tableView.select]);
    return this.#cache.get(key, () => this.#count(caller, tableView, visible));
  }

  async #count(caller: Caller, tableView: TableView, visible: readonly Column[]): Promise<ColumnStatistics> {
    const counted = visible.slice(0, MOST_COLUMNS);
    const source = `"rows" AS t(${visible.map((_, index) => columnName(index)).join(", ")})`;
    const sampleRows = Math.max(1_000, Math.floor(ENGINE.analytics.distinctValues / counted.length));
    const names = counted.map((_, index) => columnName(index));
    const distinctOf = names.map((name) => `approx_count_distinct(${name})`).join(", ");
    const [whole, distinct] = await Promise.all([
      this.#summarise(
        caller,
        tableView,
        `SELECT count(*), ${counted.flatMap(facts).join(", ")} FROM ${source}`,
      ),
      this.#summarise(
        caller,
        tableView,
        `SELECT ${distinctOf} FROM (SELECT ${names.join(", ")} FROM ${source} LIMIT ${sampleRows})`,
      ),
    ]);
    const rows = Number(whole[0]);
    const notes = [
      ...(rows > sampleRows ? [`distinct is estimated from the first ${sampleRows} rows`] : []),
      ...(visible.length > MOST_COLUMNS ? [`only the first ${MOST_COLUMNS} columns were counted`] : []),
    ];
    return {
      rows,
      columns: visible.map((column, index) =>
        index < MOST_COLUMNS
          ? { ...column, ...factsOf(column, whole.slice(1 + 3 * index)), distinct: Number(distinct[index]) }
          : { ...column },
      ),
      ...(notes.length > 0 && { note: `${notes.join("; ")}.` }),
    };
  }

  #summarise(caller: Caller, tableView: TableView, sql: string): Promise<JsonValue[]> {
    return this.#data.summarise(caller, tableView, sql, STATISTICS_MS);
  }
}

/** Why there are no statistics, when that is something to be expected; a bug is not. */
export function missingStatistics(error: unknown): string {
  if (!isAppError(error) || !["timeout", "unavailable", "rate_limited", "too_large"].includes(error.code))
    throw error;
  return error.code === "timeout" ? "The dataset is too large to count its values now." : error.message;
}

/** By place, so that no name of a column, however long or strange, comes into the SQL. */
function columnName(index: number): string {
  return `c${index}`;
}

function facts({ type }: Column, index: number): string[] {
  const name = columnName(index);
  if (!ORDERED.test(type)) return [`count(*) - count(${name})`, "NULL", "NULL"];
  const value = type === "VARCHAR" ? `left(${name}, ${ENGINE.analytics.extremeCharacters})` : name;
  return [`count(*) - count(${name})`, `min(${value})`, `max(${value})`];
}

function factsOf(
  { type }: Column,
  [nulls, min, max]: readonly JsonValue[],
): Omit<DescribedColumn, keyof Column> {
  return { nulls: Number(nulls), ...(ORDERED.test(type) && { min: min ?? null, max: max ?? null }) };
}

const VALUES_PER_COLUMN = 8;
const VALUE_CHARACTERS = 40;
const SAMPLED_AT_ONCE = 4;

/**
 * Some texts of each dataset, by which a search finds it. They are in an index that all share, so that only datasets
 * without any policy have some. Read once a version, in the background where that takes long.
 */
export class SampleValues {
  readonly #data: Pick<Data, "read">;
  /** By dataset; the one that was read last comes last. */
  readonly #cache = new Map<number, { version: number; values: string }>();
  readonly #filling = new Map<number, Promise<void>>();

  constructor(data: Pick<Data, "read">) {
    this.#data = data;
  }

  of({ id, version, policies }: Dataset): string {
    const kept = this.#cache.get(id);
    return policies.length === 0 && kept?.version === version ? kept.values : "";
  }

  /** Reads those that are missing, and waits for them a little. */
  async fill(caller: Caller, datasets: readonly Dataset[]): Promise<void> {
    const missing = datasets.filter(
      ({ id, version, policies }) => policies.length === 0 && this.#cache.get(id)?.version !== version,
    );
    if (missing.length === 0) return;
    const workspaceId = caller.workspace.id;
    const filling =
      this.#filling.get(workspaceId) ??
      this.#read(caller, missing).finally(() => this.#filling.delete(workspaceId));
    this.#filling.set(workspaceId, filling);
    await Promise.race([filling, sleep(LIMITS.data.sampleWaitMs, undefined, { ref: false })]);
  }

  async #read(caller: Caller, datasets: readonly Dataset[]): Promise<void> {
    const queue = [...datasets];
    const work = async () => {
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) await this.#sample(caller, next);
    };
    await Promise.all(Array.from({ length: SAMPLED_AT_ONCE }, work));
  }

  /** A dataset that cannot be read has no sample values; its name and columns are found all the same. */
  async #sample(caller: Caller, dataset: Dataset): Promise<void> {
    const { id, version } = dataset;
    const signal = AbortSignal.timeout(LIMITS.data.sampleMs);
    const page = await this.#data
      .read(caller, dataset, { limit: LIMITS.data.sampleRows, signal })
      .catch(() => undefined);
    this.#cache.delete(id);
    this.#cache.set(id, { version, values: page === undefined ? "" : textsOf(page.rows) });
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > LIMITS.data.sampledDatasets && oldest !== undefined) this.#cache.delete(oldest);
  }
}

/** The most frequent texts of each column. */
function textsOf(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const columns = new Map<string, Map<string, number>>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== "string" || value.length > VALUE_CHARACTERS || !/\p{L}{2}/u.test(value)) continue;
      const counts = columns.get(name) ?? new Map<string, number>();
      columns.set(name, counts.set(value, (counts.get(value) ?? 0) + 1));
    }
  const values = [...columns.values()].flatMap((counts) =>
    [...counts].sort((a, b) => b[1] - a[1]).slice(0, VALUES_PER_COLUMN),
  );
  return [...new Set(values.map(([value]) => value))].join(" ").slice(0, LIMITS.data.sampleCharacters);
}
