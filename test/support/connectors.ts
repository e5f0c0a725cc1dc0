/** What the tests of the connectors share. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import {
  createNetwork,
  type Network,
  type NetworkOptions,
} from "../../src/domains/data/connectors/guarded-socket.ts";
import {
  type Connector,
  type CsvFormat,
  type OpenOptions,
  openConnector,
  type RowBatch,
  type RunOptions,
  type SniffCsv,
} from "../../src/domains/data/connectors/index.ts";
import { csvSniffer } from "../../src/domains/data/runs/spool.ts";
import { openAnalytics } from "../../src/platform/analytics/index.ts";
import { openFolderBlobs } from "../../src/platform/blobs/index.ts";
import { createGuardedFetch } from "../../src/platform/guarded-fetch/index.ts";

const LOOPBACK = ["127.0.0.1"];

const sandboxFolder = mkdtempSync(join(tmpdir(), "kenning-connectors-"));
const fetch = createGuardedFetch({ allow: LOOPBACK });
/** Only tests of CSV need an engine. */
let engine: ReturnType<typeof openEngine> | undefined;
const sniffCsv: SniffCsv = async (...args) => {
  engine ??= openEngine();
  return (await engine).sniffCsv(...args);
};

async function openEngine() {
  const home = mkdtempSync(join(tmpdir(), "kenning-engine-"));
  const blobs = await openFolderBlobs({ folder: join(home, "blobs") });
  const tempFolder = join(home, "tmp");
  const analytics = await openAnalytics({ blobs, tempFolder, log: { warn: () => undefined } });
  return {
    sniffCsv: csvSniffer({ analytics, blobs, newPartKey: () => "parts/sample.parquet" }),
    async remove() {
      await analytics.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

afterAll(async () => {
  await fetch.close();
  await (await engine)?.remove();
  rmSync(sandboxFolder, { recursive: true, force: true });
});

/** With the rules that a test gives it; by default it leads to this machine. */
export function testNetwork(options: Partial<NetworkOptions> = {}): Network {
  return createNetwork({ allow: LOOPBACK, ...options });
}

export const openOptions: OpenOptions = {
  fetch,
  network: testNetwork(),
  sandboxFolder,
  sniffCsv,
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
  for await (const batch of connector.run(query, { ...LIMITS_OF_TESTS, ...options })) {
    if ("csv" in batch) throw new Error("these were expected to be rows, and are CSV");
    const { columns, rows, truncated } = batch;
    all.batches += 1;
    all.columns = columns;
    all.rows.push(...rows);
    if (truncated !== undefined) all.truncated = truncated;
  }
  return all;
}

/** A CSV file as it was passed on, and what was said about it. */
export async function readCsv(
  connector: Connector,
  query: string,
  options: Partial<RunOptions> = {},
): Promise<{ bytes: Buffer; format: CsvFormat }> {
  const pieces: Buffer[] = [];
  let format: CsvFormat = {};
  for await (const batch of connector.run(query, { ...LIMITS_OF_TESTS, ...options })) {
    if (!("csv" in batch)) throw new Error("this was expected to be CSV, and is rows");
    pieces.push(batch.csv);
    format = batch.format;
  }
  return { bytes: Buffer.concat(pieces), format };
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
