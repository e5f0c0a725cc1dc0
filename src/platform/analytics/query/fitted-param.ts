import {
  type DuckDBConnection,
  type DuckDBPreparedStatement,
  type DuckDBType,
  DuckDBTypeId,
} from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { QueryParam } from "../analytics-options.ts";

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
export async function bindFitted(
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
