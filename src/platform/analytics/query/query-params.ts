import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  DuckDBTimestampTZValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  HUGEINT,
  LIST,
  listValue,
  VARCHAR,
} from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { QueryParam } from "../analytics-options.ts";
import { sqlType } from "../types/column-types.ts";

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

/** What text is bound as it is: where text is expected, and where a value that is not in a list just differs. */
const TEXTS: ReadonlySet<DuckDBTypeId> = new Set([DuckDBTypeId.VARCHAR, DuckDBTypeId.ENUM]);

const NUMBERS: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.HUGEINT,
  DuckDBTypeId.UHUGEINT,
  DuckDBTypeId.DECIMAL,
  DuckDBTypeId.FLOAT,
]);

/**
 * Binds text as what the statement expects in its place. Where that would lose something (1.5 beside whole
 * numbers, a time of day beside dates) the value keeps it, in a wider type: `n > $1` is then right for 1.5.
 */
async function bindFitted(
  connection: DuckDBConnection,
  statement: DuckDBPreparedStatement,
  index: number,
  text: string,
): Promise<void> {
  const expected = expectedType(statement, index);
  if (expected === undefined || TEXTS.has(expected.typeId)) {
    statement.bindVarchar(index, text);
    return;
  }
  const wider = widerOf(expected.typeId);
  const exact = await tryCast(connection, text, String(expected), wider);
  if (exact.fits) statement.bindValue(index, exact.value, expected);
  else if (exact.wider !== null) statement.bindValue(index, exact.wider, exact.widerType);
  else throw misfit(index, text, expected);
}

/** The engine knows none where any type would do (`SELECT $1`), or where several functions could be meant. */
function expectedType(statement: DuckDBPreparedStatement, index: number): DuckDBType | undefined {
  return statement.parameterTypeId(index) === DuckDBTypeId.INVALID
    ? undefined
    : statement.parameterType(index);
}

function widerOf(type: DuckDBTypeId): string | undefined {
  if (NUMBERS.has(type)) return "DOUBLE";
  return type === DuckDBTypeId.DATE ? "TIMESTAMP" : undefined;
}

/** The type's text is the engine's own, made from its own columns. */
async function tryCast(connection: DuckDBConnection, text: string, type: string, wider: string | undefined) {
  const value = `TRY_CAST($1::VARCHAR AS ${type})`;
  const more = wider === undefined ? "NULL" : `TRY_CAST($1::VARCHAR AS ${wider})`;
  const loses = wider === undefined ? "false" : `coalesce(${value}::${wider} <> ${more}, false)`;
  const sql = `SELECT ${value}, ${more}, ${value} IS NOT NULL AND NOT ${loses}`;
  const found = await connection.runAndReadAll(sql, [text]);
  return {
    value: found.value(0, 0),
    wider: found.value(1, 0),
    widerType: found.columnType(1),
    fits: found.value(2, 0) === true,
  };
}

function misfit(index: number, text: string, expected: DuckDBType): AppError {
  return new AppError(
    "bad_request",
    `Parameter $${index} is "${clip(text)}", where a value of type ${clip(String(expected))} is needed.`,
    { data: { parameter: index, type: clip(String(expected)) } },
  );
}

/** Where the engine could not tell what a text was meant to be, whoever wrote the statement can say it. */
export function withParamHint(error: AppError, params: readonly QueryParam[]): AppError {
  const isFitted = params.some((param) => typeof param === "object" && param !== null && "fit" in param);
  const isUnclear = /Could not choose a best candidate|No function matches/.test(error.message);
  if (!isFitted || !isUnclear || error.hint !== undefined) return error;
  return new AppError(error.code, error.message, {
    hint: "Parameters are texts: say what a parameter is, as in $1::INTEGER or $1::DATE.",
    data: error.data,
    cause: error.cause,
  });
}
