import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DuckDBInstance } from "@duckdb/node-api";
import pg from "pg";
import { EmbeddedServer } from "../../src/platform/catalog/embedded.ts";
import { freePort } from "../../test/support/command-line.ts";

export interface Files {
  orders: string;
  customers: string;
  csv: { orders: string; customers: string };
}

const CUSTOMERS = 100_000;

/** The same rows each time, in whichever order they are made. */
const ORDERS = `
  SELECT i AS id, 1 + (i * 7919) % ${CUSTOMERS} AS customer_id, DATE '2020-01-01' + CAST((i * 31) % 1826 AS INTEGER) AS day,
    ['north', 'south', 'east', 'west', 'centre'][1 + (i * 17) % 5] AS region,
    ['new', 'paid', 'shipped', 'returned'][1 + (i * 13) % 4] AS status,
    CAST((i * 7907) % 100000 AS DOUBLE) / 100 AS amount`;
const CUSTOMER_ROWS = `
  SELECT i AS id, 'customer ' || i AS name, ['Bern', 'Rome', 'Oslo', 'Graz', 'Lyon', 'Cork'][1 + i % 6] AS city
  FROM range(1, ${CUSTOMERS + 1}) t(i)`;

export async function makeFiles(folder: string, rows: number, { withCsv = false } = {}): Promise<Files> {
  mkdirSync(folder, { recursive: true });
  // Whoever the PostgreSQL server runs as has to read them.
  chmodSync(folder, 0o755);
  const at = (name: string) => join(folder, name);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const selects = {
    orders: `${ORDERS} FROM range(1, ${rows + 1}) t(i) ORDER BY id`,
    customers: `${CUSTOMER_ROWS} ORDER BY id`,
  };
  for (const [name, select] of Object.entries(selects)) {
    await connection.run(`COPY (${select}) TO '${at(`${name}.parquet`)}' (FORMAT parquet)`);
    if (withCsv)
      await connection.run(`COPY (${select}) TO '${at(`${name}.csv`)}' (FORMAT csv, HEADER false)`);
  }
  connection.disconnectSync();
  instance.closeSync();
  return {
    orders: at("orders.parquet"),
    customers: at("customers.parquet"),
    csv: { orders: at("orders.csv"), customers: at("customers.csv") },
  };
}

const COLUMNS = {
  orders: ["id", "customer_id", "day", "region", "status", "amount"],
  customers: ["id", "name", "city"],
} as const;

export async function makeSqlite(path: string, files: Files): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, day TEXT, region TEXT, status TEXT, amount REAL);
    CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT)`);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  for (const [table, columns] of Object.entries(COLUMNS)) {
    const source = table === "orders" ? files.orders : files.customers;
    const items = columns.map((name) => (name === "day" ? "CAST(day AS VARCHAR)" : name)).join(", ");
    const insert = database.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => "?").join(", ")})`);
    const result = await connection.stream(`SELECT ${items} FROM '${source}'`);
    database.exec("BEGIN");
    for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; ) {
      for (const row of chunk.getRows()) insert.run(...(row as (string | number | bigint)[]));
      chunk = await result.fetchChunk();
    }
    database.exec("COMMIT");
  }
  database.exec("ANALYZE");
  database.close();
  connection.disconnectSync();
  instance.closeSync();
}

export interface Postgres {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  close(): Promise<void>;
}

/** The project's own PostgreSQL on a port of its own, tuned so that all rows stay in memory. */
export async function startPostgres(home: string, { csv }: Files): Promise<Postgres> {
  const port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port: String(port),
    shared_buffers: "1GB",
    work_mem: "64MB",
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    max_wal_size: "4GB",
  };
  const log = { debug() {}, info() {}, warn: console.error, error: console.error };
  const server = await EmbeddedServer.open({ home, log, settings });
  try {
    const { user, password, database } = server.endpoint;
    const endpoint = { host: "127.0.0.1", port, user, password, database };
    const client = new pg.Client(endpoint);
    await client.connect();
    await client.query(`CREATE TABLE orders (id bigint PRIMARY KEY, customer_id bigint, day date, region text, status text, amount double precision);
      CREATE TABLE customers (id bigint PRIMARY KEY, name text, city text)`);
    await client.query(`COPY orders FROM '${csv.orders}' (FORMAT csv)`);
    await client.query(`COPY customers FROM '${csv.customers}' (FORMAT csv)`);
    await client.query("VACUUM ANALYZE");
    await client.end();
    return { ...endpoint, close: () => server.close() };
  } catch (error) {
    await server.close();
    throw error;
  }
}
