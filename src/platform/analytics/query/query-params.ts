import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  type DuckDBType,
  type DuckDBValue,
  HUGEINT,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import type { QueryParam } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";
import { bindFitted } from "./fitted-param.ts";

const INT32 = 2 ** 31;
const INT64 = 2n ** 63n;
const INT128 = 2n ** 127n;

/** Binds `$1` and so on. Values never become SQL text, so there is nothing to escape. */
export async function bindParams(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  params: readonly QueryParam[],
): Promise<void> {
  const wanted = statement.parameterCount;
  if (wanted !== params.length) {
    throw new AppError("bad_request", `The SQL has ${wanted} parameters, but ${params.length} were given.`, {
      hint: "Parameters are $1, $2 and so on.",
    });
  }
  checkNumbers(statement, wanted);
  for (const [index, param] of params.entries()) await bindParam(connection, statement, index + 1, param);
}

/** The engine has no name for a parameter whose number is missing. */
function checkNumbers(statement: DuckDBPreparedStatement, count: number): void {
  for (let index = 1; index <= count; index += 1) {
    try {
      statement.parameterName(index);
    } catch {
      throw new AppError("bad_request", `The SQL has no parameter $${index}, but later ones.`, {
        hint: "Number the parameters from $1 without gaps.",
      });
    }
  }
}

async function bindParam(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  index: number,
  param: QueryParam,
): Promise<void> {
  if (param === null) statement.bindNull(index);
  else if (typeof param === "boolean") statement.bindBoolean(index, param);
  else if (typeof param === "string") statement.bindVarchar(index, param);
  else if (typeof param === "number") bindNumber(statement, index, param);
  else if (typeof param === "bigint") bindInteger(statement, index, param);
  else if (param instanceof Date) statement.bindTimestampTZ(index, dateValue(param));
  else if (param instanceof Uint8Array) statement.bindBlob(index, param);
  else if (isList(param)) bindItems(statement, index, param);
  else if ("fit" in param) await bindFitted(connection, statement, index, param.fit);
  else await bindTyped(connection, statement, index, param);
}

function isList(param: QueryParam): param is readonly (null | boolean | number | bigint | string)[] {
  return Array.isArray(param);
}

function bindNumber(statement: DuckDBPreparedStatement, index: number, value: number): void {
  if (!Number.isSafeInteger(value) || Object.is(value, -0)) statement.bindDouble(index, value);
  // Some functions (date + days) take a 32-bit number and no other.
  else if (value >= -INT32 && value < INT32) statement.bindInteger(index, value);
  else statement.bindBigInt(index, BigInt(value));
}

function bindInteger(statement: DuckDBPreparedStatement, index: number, value: bigint): void {
  if (value >= -INT64 && value < INT64) statement.bindBigInt(index, value);
  else if (value >= -INT128 && value < INT128) statement.bindHugeInt(index, value);
  else throw new AppError("bad_request", `Parameter $${index} has more than 38 digits.`);
}

function dateValue(date: Date): DuckDBTimestampTZValue {
  const ms = date.getTime();
  if (Number.isNaN(ms)) throw new AppError("bad_request", "A parameter is an invalid date.");
  return new DuckDBTimestampTZValue(BigInt(ms) * 1_000n);
}

function bindItems(
  statement: DuckDBPreparedStatement,
  index: number,
  items: readonly (null | boolean | number | bigint | string)[],
): void {
  const type = itemType(items, index);
  const convert = (item: null | boolean | number | bigint | string): DuckDBValue => {
    if (item === null) return null;
    if (type === BIGINT || type === HUGEINT) return BigInt(item);
    return type === DOUBLE ? Number(item) : item;
  };
  statement.bindList(index, listValue(items.map(convert)), LIST(type));
}

function itemType(items: readonly unknown[], index: number): DuckDBType {
  const kinds = new Set(items.filter((item) => item !== null).map((item) => typeof item));
  const [kind] = kinds;
  if (kinds.size === 0 || (kinds.size === 1 && kind === "string")) return VARCHAR;
  if (kinds.size === 1 && kind === "boolean") return BOOLEAN;
  const isNumeric = [...kinds].every((each) => each === "number" || each === "bigint");
  if (!isNumeric) throw new AppError("bad_request", `The list in parameter $${index} mixes kinds of values.`);
  const integers = items.filter((item) => item !== null);
  if (!integers.every((item) => typeof item === "bigint" || Number.isSafeInteger(item))) return DOUBLE;
  const fits = integers.every((item) => BigInt(item as number) < INT64 && BigInt(item as number) >= -INT64);
  return fits ? BIGINT : HUGEINT;
}

async function bindTyped(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  index: number,
  { type, value }: { type: string; value: string },
): Promise<void> {
  const cast = await connection.runAndReadAll(`SELECT CAST($1 AS ${sqlType(type)})`, [value]);
  statement.bindValue(index, cast.value(0, 0), cast.columnType(0));
}
