/** What the tests of the connectors share. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { createGuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import { type Connector, type OpenOptions, openConnector, type RowBatch, type RunOptions } from "./index.ts";

const LOOPBACK = ["127.0.0.1"];

const sandboxFolder = mkdtempSync(join(tmpdir(), "kenning-connectors-"));
const fetch = createGuardedFetch({ allow: LOOPBACK });
afterAll(async () => {
  await fetch.close();
  rmSync(sandboxFolder, { recursive: true, force: true });
});

export const openOptions: OpenOptions = {
  fetch,
  allow: LOOPBACK,
  sandboxFolder,
  log: { warn: () => undefined },
};

interface Server {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** A connector to a database server of the tests. */
export function open(
  type: string,
  { host, port, user, password, database }: Server,
  settings: Record<string, unknown> = {},
  options: Partial<OpenOptions> = {},
): Promise<Connector> {
  return openConnector(
    type,
    { host, port, user, database, ...settings },
    { password },
    { ...openOptions, ...options },
  );
}

export const LIMITS_OF_TESTS: RunOptions = { maxRows: 1_000_000, maxBytes: 1e9, timeoutMs: 60_000 };

export interface ReadRows extends RowBatch {
  batches: number;
}

export async function readRows(
  connector: Connector,
  query: string,
  options: Partial<RunOptions> = {},
): Promise<ReadRows> {
  const all: ReadRows = { columns: [], rows: [], batches: 0 };
  for await (const { columns, rows, truncated } of connector.run(query, { ...LIMITS_OF_TESTS, ...options })) {
    all.batches += 1;
    all.columns = columns;
    all.rows.push(...rows);
    if (truncated !== undefined) all.truncated = truncated;
  }
  return all;
}

/** The rows by the names of their columns. */
export function named({ columns, rows }: RowBatch): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(row.map((value, index) => [columns[index]!.name, value])));
}

export const failure = (work: Promise<unknown>): Promise<Error & { code?: string; hint?: string }> =>
  work.then(
    () => Promise.reject(new Error("this was expected to fail")),
    (error) => error,
  );

/** What DuckDB makes of the values when they are cast to the types of their columns: the analytics engine must be able to. */
export async function castByDuckdb({ columns, rows }: RowBatch): Promise<Record<string, string | null>[]> {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  const cast = async (value: unknown, type: string): Promise<string | null> => {
    if (value === null) return null;
    const text = type === "JSON" || typeof value !== "string" ? JSON.stringify(value) : value;
    const source = type === "BLOB" ? "from_base64(?)" : "?::VARCHAR";
    const reader = await connection.runAndReadAll(`SELECT CAST(${source} AS ${type})::VARCHAR`, [text]);
    return reader.getRows()[0]?.[0] as string;
  };
  const casts: Record<string, string | null>[] = [];
  for (const row of rows) {
    const entry: Record<string, string | null> = {};
    for (const [index, { name, type }] of columns.entries()) entry[name] = await cast(row[index], type);
    casts.push(entry);
  }
  connection.closeSync();
  return casts;
}
