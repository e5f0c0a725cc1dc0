import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import type { Column } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";
import { quoteList, quoteName } from "../types/sql-text.ts";
import type { WireRelation } from "../wire.ts";

/** Makes a relation visible under its name, and what lies below its policy under no name at all. */
export async function createView(connection: DuckDBConnection, relation: WireRelation): Promise<void> {
  const { name, select } = relation;
  const raw = await selectParts(connection, relation.files, relation.columns, name);
  const body = select === undefined ? raw : `WITH raw AS (${raw}) ${select}`;
  await connection.run(`CREATE VIEW ${quoteName(name)} AS ${body}`);
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
