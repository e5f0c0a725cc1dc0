import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { RejectedRow } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";

export interface Rejects {
  /** The first ones. */
  rows: RejectedRow[];
  count: number;
  /** Columns (counted from 0) in which a value did not fit the type. */
  misfits: number[];
  hasBadEncoding: boolean;
  /** Whether rows have too few fields or too many, or quotes that are not closed: then the file may be repaired. */
  isRepairable: boolean;
}

/** What DuckDB wrote down about the rows that it left out. */
export async function readRejects(
  connection: DuckDBConnection,
  table: string,
  isRepaired: boolean,
): Promise<Rejects> {
  const errors = quoteName(table);
  const summary = await connection.runAndReadAll(
    `SELECT count(DISTINCT line), count(*),
       list(DISTINCT column_idx) FILTER (error_type = 'CAST'),
       count(*) FILTER (error_type = 'INVALID ENCODING'),
       count(*) FILTER (error_type IN ('MISSING COLUMNS', 'TOO MANY COLUMNS', 'UNQUOTED VALUE'))
     FROM ${errors}`,
  );
  const [count, all, misfits, badEncodings, repairable] = summary.getRowsJS()[0] ?? [];
  const isTooMuch = Number(all) >= LIMITS.analytics.rejectedMost;
  const isRepairable = !isRepaired && Number(repairable) > 0;
  if (isTooMuch && !isRepairable) throw tooManyRejects(await firstRows(connection, errors));
  return {
    rows: await firstRows(connection, errors),
    count: Number(count),
    misfits: ((misfits ?? []) as (bigint | number)[]).map((index) => Number(index) - 1),
    hasBadEncoding: Number(badEncodings) > 0,
    isRepairable,
  };
}

async function firstRows(connection: DuckDBConnection, errors: string): Promise<RejectedRow[]> {
  const { rejectedRows, reasonCharacters } = LIMITS.analytics;
  const reader = await connection.runAndReadAll(
    `SELECT line, left(string_agg(error_message, ' ' ORDER BY column_idx), ${reasonCharacters}) AS reason
     FROM ${errors} GROUP BY line ORDER BY line LIMIT ${rejectedRows}`,
  );
  return reader.getRows().map(([line, reason]) => ({ line: Number(line), reason: String(reason) }));
}

export function tooManyRejects(rows: readonly RejectedRow[]): AppError {
  const most = LIMITS.analytics.rejectedMost.toLocaleString("en");
  const [first] = rows;
  const example = first === undefined ? "" : ` The first is line ${first.line}: ${first.reason}`;
  return new AppError("bad_request", `${most} rows or more cannot be read.${example}`, {
    hint: "Check the file; options say its delimiter, quote, header and types.",
    data: { rejected: rows },
  });
}
