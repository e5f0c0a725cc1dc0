import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { quoteList, quoteName } from "../../../kernel/sql-text.ts";
import { type Column, HIDDEN_SCHEMA } from "../analytics-options.ts";
import { castSql, containsJson } from "../types/cast-sql.ts";
import { parseType, sqlType } from "../types/column-types.ts";
import type { EngineSpec, WireTableView } from "../wire.ts";
import { lock, openEngine, withConnection } from "./engine.ts";

/** A view, or for plans an empty table in its place. */
type Made = WireTableView & { isTable?: boolean };

/** Makes views visible under their names, hidden ones first: the others are made of them. */
async function createTableViews(connection: DuckDBConnection, tableViews: readonly Made[]): Promise<void> {
  const hidden = tableViews.filter(({ isHidden }) => isHidden);
  if (hidden.length > 0) await connection.run(`CREATE SCHEMA ${quoteName(HIDDEN_SCHEMA)}`);
  for (const tableView of hidden) await createTableView(connection, tableView);
  for (const tableView of tableViews) if (!tableView.isHidden) await createTableView(connection, tableView);
}

/** What lies below the policy of a view is visible under no name at all. */
async function createTableView(connection: DuckDBConnection, tableView: Made): Promise<void> {
  const { columns, isTable } = tableView;
  if (isTable) {
    const items = columns.map(({ name, type }) => `${quoteName(name)} ${sqlType(type)}`);
    await connection.run(`CREATE TABLE ${placeOf(tableView)} (${items.join(", ")})`);
    return;
  }
  await connection.run(viewSql(tableView, await rowsOf(connection, tableView)));
}

/** The SELECT of a view's rows below its policy; none if it is made of other views alone. */
async function rowsOf(connection: DuckDBConnection, tableView: WireTableView): Promise<string | undefined> {
  const { name, files, columns, select } = tableView;
  const isMadeOfOthers = select !== undefined && columns.length === 0 && files.length === 0;
  return isMadeOfOthers ? undefined : selectParts(connection, files, columns, name);
}

/** Makes a view of its rows, or puts other rows in their place. */
export function viewSql(tableView: WireTableView, raw: string | undefined): string {
  const { select, isRestricted } = tableView;
  const body = select === undefined ? raw : raw === undefined ? select : `WITH raw AS (${raw}) ${select}`;
  const rows = isRestricted && select !== undefined ? behindBarrier(body ?? "") : body;
  return `CREATE OR REPLACE VIEW ${placeOf(tableView)} AS ${rows}`;
}

export function placeOf({ name, isHidden }: Pick<WireTableView, "name" | "isHidden">): string {
  return isHidden ? `${quoteName(HIDDEN_SCHEMA)}.${quoteName(name)}` : quoteName(name);
}

/**
 * The same rows behind something that the optimiser moves no expression across: a sample of all of them. Without
 * it, `chr(-salary)` in a query would be evaluated before the policy, and its error would tell a hidden salary.
 */
function behindBarrier(select: string): string {
  return `SELECT * FROM (${select}) USING SAMPLE 100% (system)`;
}

/**
 * The rows of some files with exactly these columns, in the order of the files. Which columns the files have is
 * asked of the files: a column that none of them has yet would otherwise be an error instead of NULL.
 */
export async function selectParts(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly Column[],
  name: string,
): Promise<string> {
  if (columns.length === 0) throw new AppError("bad_request", `"${name}" has no columns yet.`);
  if (files.length === 0) return `SELECT ${columns.map(emptyColumn).join(", ")} WHERE false`;
  const stored = await columnsOf(connection, readParquet(files));
  const groups =
    files.length === 1 || agrees(stored, columns)
      ? [{ files, stored: byName(stored) }]
      : await groupParts(connection, files);
  return groups.map((group) => selectGroup(group, columns)).join(" UNION ALL ");
}

/** Files that can be read together, because no column has two types in them. */
interface PartGroup {
  files: readonly string[];
  /** By name in lower case. */
  stored: ReadonlyMap<string, Column>;
}

/**
 * Whether DuckDB can be left to unite the files. It takes "the higher type", which need not hold all values:
 * objects beside texts make it read the texts as objects. Where that type is the one of the dataset, all is well,
 * except for JSON, which is taken for both texts that are JSON and texts that are not.
 */
function agrees(stored: readonly Column[], columns: readonly Column[]): boolean {
  const found = byName(stored);
  return columns.every(({ name, type }) => {
    const present = found.get(name.toLowerCase());
    if (present === undefined) return true;
    return sqlType(present.type) === sqlType(type) && !containsJson(parseType(type));
  });
}

/** Neighbours in which each column has one type. Their order is that of the rows, which UNION ALL keeps. */
async function groupParts(connection: DuckDBConnection, files: readonly string[]): Promise<PartGroup[]> {
  const groups: { files: string[]; stored: Map<string, Column> }[] = [];
  for (const file of files) {
    const stored = byName(await columnsOf(connection, readParquet([file])));
    const last = groups.at(-1);
    const fits =
      last && [...stored].every(([key, { type }]) => (last.stored.get(key)?.type ?? type) === type);
    if (!fits) {
      groups.push({ files: [file], stored });
      continue;
    }
    last.files.push(file);
    for (const [key, column] of stored) if (!last.stored.has(key)) last.stored.set(key, column);
  }
  return groups;
}

function selectGroup({ files, stored }: PartGroup, columns: readonly Column[]): string {
  const items = columns.map((column) => {
    const present = stored.get(column.name.toLowerCase());
    if (present === undefined) return emptyColumn(column);
    const value = castSql(quoteName(present.name), parseType(present.type), parseType(column.type));
    return `${value} AS ${quoteName(column.name)}`;
  });
  return `SELECT ${items.join(", ")} FROM ${readParquet(files)}`;
}

function byName(columns: readonly Column[]): Map<string, Column> {
  return new Map(columns.map((column) => [column.name.toLowerCase(), column]));
}

export function readParquet(files: readonly string[]): string {
  return `read_parquet(${quoteList(files)}, union_by_name = ${files.length > 1})`;
}

export async function columnsOf(connection: DuckDBConnection, source: string): Promise<Column[]> {
  const reader = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`);
  return reader.getRows().map(([name, type]) => ({ name: String(name), type: String(type) }));
}

function emptyColumn({ name, type }: Column): string {
  return `CAST(NULL AS ${sqlType(type)}) AS ${quoteName(name)}`;
}

/** An engine that sees exactly these views, and takes no orders but queries. */
export async function openTableViews(
  spec: EngineSpec,
  tableViews: readonly WireTableView[],
  spillFolder: string,
): Promise<DuckDBInstance> {
  const instance = await openEngine({
    memoryMb: spec.memoryMb,
    threads: spec.threads,
    spillMb: spec.spillMb,
    spillFolder,
    files: tableViews.flatMap(({ files }) => files),
    // Statistics are of all rows, hidden ones too, and a condition that they rule out is never evaluated.
    withoutOptimisers: hasRestricted(spec) ? ["statistics_propagation"] : [],
  });
  await withConnection(instance, (connection) => createTableViews(connection, tableViews));
  await lock(instance);
  return instance;
}

export function hasRestricted({ tableViews }: Pick<EngineSpec, "tableViews">): boolean {
  return tableViews.some(({ isRestricted }) => isRestricted);
}

/**
 * An engine for plans alone. A plan over a restricted view would show its policy, and what the statistics say
 * of hidden rows; so here such views are empty tables of the same columns.
 */
export async function openPlanner(
  engine: DuckDBInstance,
  spec: EngineSpec,
  spillFolder: string,
): Promise<DuckDBInstance> {
  const tableViews = await withConnection(engine, (connection) =>
    Promise.all(
      spec.tableViews.map(async (tableView) => {
        if (!tableView.isRestricted) return tableView;
        const columns = await columnsOf(connection, placeOf(tableView));
        return { ...tableView, files: [], columns, select: undefined, isTable: true };
      }),
    ),
  );
  return openTableViews(spec, tableViews, spillFolder);
}
