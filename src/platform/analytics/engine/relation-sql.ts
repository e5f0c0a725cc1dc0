import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { type Column, HIDDEN_SCHEMA } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";
import { quoteList, quoteName } from "../types/sql-text.ts";
import type { WireRelation } from "../wire.ts";

/** A relation, or for plans an empty table in its place. */
type Made = WireRelation & { isTable?: boolean };

/** Makes relations visible under their names, hidden ones first: the others are made of them. */
export async function createRelations(
  connection: DuckDBConnection,
  relations: readonly Made[],
): Promise<void> {
  const hidden = relations.filter(({ isHidden }) => isHidden);
  if (hidden.length > 0) await connection.run(`CREATE SCHEMA ${quoteName(HIDDEN_SCHEMA)}`);
  for (const relation of hidden) await createRelation(connection, relation);
  for (const relation of relations) if (!relation.isHidden) await createRelation(connection, relation);
}

/** What lies below the policy of a relation is visible under no name at all. */
async function createRelation(connection: DuckDBConnection, relation: Made): Promise<void> {
  const { columns, select, isRestricted, isTable } = relation;
  const place = placeOf(relation);
  if (isTable) {
    const items = columns.map(({ name, type }) => `${quoteName(name)} ${sqlType(type)}`);
    await connection.run(`CREATE TABLE ${place} (${items.join(", ")})`);
    return;
  }
  const body = await bodyOf(connection, relation);
  const rows = isRestricted && select !== undefined ? behindBarrier(body) : body;
  await connection.run(`CREATE VIEW ${place} AS ${rows}`);
}

async function bodyOf(connection: DuckDBConnection, relation: WireRelation): Promise<string> {
  const { name, files, columns, select } = relation;
  if (select !== undefined && columns.length === 0 && files.length === 0) return select;
  const raw = await selectParts(connection, files, columns, name);
  return select === undefined ? raw : `WITH raw AS (${raw}) ${select}`;
}

export function placeOf({ name, isHidden }: Pick<WireRelation, "name" | "isHidden">): string {
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
 * The rows of some files with exactly these columns. Which columns the files have is asked of the files: a
 * column that none of them has yet would otherwise be an error instead of NULL.
 */
export async function selectParts(
  connection: DuckDBConnection,
  files: readonly string[],
  columns: readonly Column[],
  name: string,
): Promise<string> {
  if (columns.length === 0) throw new AppError("bad_request", `"${name}" has no columns yet.`);
  if (files.length === 0) return `SELECT ${columns.map(emptyColumn).join(", ")} WHERE false`;
  const source = readParquet(files);
  const present = await columnsOf(connection, source);
  const found = new Map(present.map((column) => [column.name.toLowerCase(), column]));
  const items = columns.map((column) => {
    const stored = found.get(column.name.toLowerCase());
    if (stored === undefined) return emptyColumn(column);
    const alias = quoteName(column.name);
    const type = sqlType(column.type);
    if (sqlType(stored.type) === type) return `${quoteName(stored.name)} AS ${alias}`;
    return `CAST(${quoteName(stored.name)} AS ${type}) AS ${alias}`;
  });
  return `SELECT ${items.join(", ")} FROM ${source}`;
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
