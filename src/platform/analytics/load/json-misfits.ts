import type { DuckDBConnection } from "@duckdb/node-api";
import { quoteName, quoteText } from "../../../kernel/sql-text.ts";
import type { Column } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";
import { type ColumnType, parseType } from "../types/column-types.ts";
import type { PartPlan } from "./write-part.ts";

/** A row that was left out, by its number among the rows, counted from 1. */
export interface Misfit {
  row: number;
  reason: string;
}

export interface Fitting {
  /** The rows whose values fit. */
  plan: PartPlan;
  /** The first ones of those that do not. */
  misfits: Misfit[];
  misfitRows: number;
}

const SHOWN_CHARACTERS = 60;

/**
 * Tells rows that fit the types that a caller has chosen from those that do not: DuckDB fails at the first of
 * them. The chosen columns are read as JSON and cast one by one. Objects are left to DuckDB, whose cast would
 * silently drop the fields that do not fit.
 */
export async function fitRows(
  connection: DuckDBConnection,
  columns: readonly Column[],
  given: ReadonlySet<string>,
  planOf: (columns: readonly Column[]) => PartPlan,
): Promise<Fitting | undefined> {
  const isChecked = ({ name, type }: Column): boolean => given.has(name) && canCast(parseType(type));
  const checked = columns.filter(isChecked);
  if (checked.length === 0) return undefined;
  const raw = planOf(columns.map((column) => (isChecked(column) ? { ...column, type: "JSON" } : column)));
  const misfit = checked.map((column) => `(${misfitOf(column)})`).join(" OR ");
  const reasons = checked.map((column) => `CASE WHEN ${misfitOf(column)} THEN ${reasonFor(column)} END`);
  const numbered = `SELECT row_number() OVER () AS row, concat_ws(' ', ${reasons.join(", ")}) AS reason FROM (${raw.select})`;
  const { rejectedRows, reasonCharacters } = LIMITS.analytics;
  const reader = await connection.runAndReadAll(
    `SELECT row, left(reason, ${reasonCharacters}), count(*) OVER () FROM (${numbered}) WHERE reason <> ''
     ORDER BY row LIMIT ${rejectedRows}`,
  );
  const found = reader.getRows();
  const items = written(columns).map((column) =>
    isChecked(column) ? fittedItem(column) : quoteName(column.name),
  );
  return {
    plan: {
      select: `SELECT ${items.join(", ")} FROM (${raw.select}) WHERE NOT (${misfit})`,
      columns: [...columns],
    },
    misfits: found.map(([row, reason]) => ({ row: Number(row), reason: String(reason) })),
    misfitRows: Number(found[0]?.[2] ?? 0),
  };
}

/** What has no type yet is not in the part. */
function written(columns: readonly Column[]): Column[] {
  return columns.filter(({ type }) => type !== "NULL");
}

function canCast(type: ColumnType): boolean {
  switch (type.kind) {
    case "scalar":
      return type.name !== "JSON" && type.name !== "VARCHAR" && type.name !== "NULL";
    case "decimal":
      return true;
    case "list":
      return canCast(type.item);
    default:
      return false;
  }
}

function fitted({ name, type }: Column): string {
  return `TRY(CAST(${quoteName(name)} AS ${type}))`;
}

function fittedItem(column: Column): string {
  return `${fitted(column)} AS ${quoteName(column.name)}`;
}

/** Never NULL. */
function misfitOf(column: Column): string {
  return `${quoteName(column.name)} IS NOT NULL AND ${fitted(column)} IS NULL`;
}

function reasonFor({ name, type }: Column): string {
  const value = `left(CAST(${quoteName(name)} AS VARCHAR), ${SHOWN_CHARACTERS})`;
  return `${quoteText(`Column "${name}": `)} || ${value} || ${quoteText(` cannot be read as ${type}.`)}`;
}
