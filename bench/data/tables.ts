import { join } from "node:path";
import type { Child } from "./child.ts";

/** About 110 bytes a row as CSV: integers, decimals, dates, timestamps, texts with quotes, NULLs. */
const ROW = `i AS id, (hash(i) % 100000)::INTEGER AS customer,
  (hash(i + 1) % 10000000 / 100.0)::DECIMAL(12,2) AS amount, (hash(i + 2) % 1000000) / 7.0 AS score,
  DATE '2020-01-01' + (hash(i + 3) % 2000)::INTEGER AS day,
  TIMESTAMP '2020-01-01' + to_seconds((hash(i + 4) % 150000000)::BIGINT) AS seen,
  ['North', 'South', 'East', 'West'][1 + (hash(i + 5) % 4)::INTEGER] AS region,
  CASE WHEN hash(i + 6) % 10 > 0 THEN 'He said "no, ' || (hash(i + 7) % 1000) || '", and left' END AS note,
  hash(i + 8) % 2 = 0 AS active`;

export const CSV_ROW_BYTES = 110;

export async function makeCsv(duckdb: Child, folder: string, rows: number): Promise<string> {
  const path = join(folder, "rows.csv");
  await duckdb.ask(`COPY (SELECT ${ROW} FROM range(${rows}) r(i)) TO '${path}' (HEADER)`);
  return path;
}

export async function makeParquet(duckdb: Child, folder: string, rows: number): Promise<string> {
  const path = join(folder, "rows.parquet");
  const select = `SELECT ${ROW.replace(/,\s*CASE .* AS note/, "")} FROM range(${rows}) r(i)`;
  await duckdb.ask(`COPY (${select}) TO '${path}'`);
  return path;
}
