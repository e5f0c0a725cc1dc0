import { quoteName } from "../../../kernel/sql-text.ts";
import type { Column } from "../analytics-options.ts";
import { type ColumnType, isFloating, parseType, scalar, typeText } from "./column-types.ts";

/** A column whose values may lose digits, since they are going to be read as `rounded`. */
export interface RoundedColumn extends Column {
  rounded: string;
}

/** Whole numbers of these have more digits than a DOUBLE keeps; of decimals, those that are wider than this. */
const LONG_INTEGERS = new Set(["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"]);
const DOUBLE_DIGITS = 15;
const DOUBLE = scalar("DOUBLE");

/** Of the columns that become others, those that held more digits than they will. */
export function roundedColumns(before: readonly Column[], after: readonly Column[]): RoundedColumn[] {
  const types = new Map(after.map(({ name, type }) => [name.toLowerCase(), type]));
  return before.flatMap(({ name, type }) => {
    const wider = types.get(name.toLowerCase());
    if (wider === undefined || wider === type) return [];
    const from = parseType(type);
    const rounded = typeText(round(from, parseType(wider)), "VARCHAR");
    return rounded === typeText(from, "VARCHAR") ? [] : [{ name, type, rounded }];
  });
}

/** Tells for each of the columns whether a value would not be the same any more. */
export function lostDigitsSql(columns: readonly RoundedColumn[], source: string): string {
  const lost = columns.map(({ name, type, rounded }) => {
    const value = quoteName(name);
    const back = `TRY_CAST(CAST(${value} AS ${rounded}) AS ${typeText(parseType(type), "VARCHAR")})`;
    return `coalesce(bool_or(${back} IS DISTINCT FROM ${value}), false)`;
  });
  return `SELECT ${lost.join(", ")} FROM ${source}`;
}

/** Whether a value has a whole number that is another one as what the type makes of it. */
export function losesDigits(value: unknown, type: ColumnType): boolean {
  if (typeof value === "bigint") return isFloating(type) && BigInt(Number(value)) !== value;
  if (typeof value !== "object" || value === null) return false;
  if (type.kind === "list") return Array.isArray(value) && value.some((item) => losesDigits(item, type.item));
  if (type.kind === "map") return Object.values(value).some((held) => losesDigits(held, type.value));
  if (type.kind !== "struct") return false;
  return type.fields.some((field) => losesDigits((value as Record<string, unknown>)[field.name], field.type));
}

/** The same type, but for DOUBLE wherever the other has that instead of long numbers. */
function round(from: ColumnType, to: ColumnType): ColumnType {
  if (to.kind === "scalar") return isFloating(to) && isLong(from) ? DOUBLE : from;
  if (from.kind === "list" && to.kind === "list") return { kind: "list", item: round(from.item, to.item) };
  if (from.kind === "map" && to.kind === "map")
    return { kind: "map", key: round(from.key, to.key), value: round(from.value, to.value) };
  if (from.kind !== "struct" || to.kind !== "struct") return from;
  const types = new Map(to.fields.map(({ name, type }) => [name, type]));
  const fields = from.fields.map(({ name, type }) => ({ name, type: round(type, types.get(name) ?? type) }));
  return { kind: "struct", fields };
}

function isLong(type: ColumnType): boolean {
  if (type.kind === "decimal") return type.width > DOUBLE_DIGITS;
  return type.kind === "scalar" && LONG_INTEGERS.has(type.name);
}

export function isWholeNumber(type: ColumnType): boolean {
  if (type.kind === "decimal") return type.scale === 0;
  return type.kind === "scalar" && /^U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?$/.test(type.name);
}
