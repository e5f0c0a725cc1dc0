import { createConnection } from "node:net";
import { text } from "node:stream/consumers";
import pg from "pg";
import { inject } from "vitest";
import { randomText } from "../../src/kernel/text.ts";
import { type Catalog, type CatalogLog, openCatalog } from "../../src/platform/catalog/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The socket at which global-setup.ts tells the address of PostgreSQL, and starts it for whoever asks first. */
    databaseDoor: string;
    /** Where the bundled model is written once for all. */
    modelsFolder: string;
    /** For the homes of servers; what is left there goes when the run ends. */
    homesFolder: string;
  }
}

/** The name of the database that global-setup.ts migrates and that test databases are copied from. */
export const TEMPLATE_DATABASE = "kenning_template";

export const silentLog: CatalogLog = { debug() {}, info() {}, warn() {}, error() {} };

// Files that share a worker share its globals.
const worker = globalThis as typeof globalThis & { testServerUrl?: Promise<string> };

/** The superuser's address of the one PostgreSQL server that all tests share. */
export function testServerUrl(): Promise<string> {
  worker.testServerUrl ??= askForServer();
  return worker.testServerUrl;
}

async function askForServer(): Promise<string> {
  const url = await text(createConnection(inject("databaseDoor")));
  if (url === "") throw new Error("PostgreSQL did not start; the runner says why.");
  return url;
}

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  return url.replace(/\/[^/?]*$/, `/${database}`);
}

/** A statement of the superuser's. */
export async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(await testServerUrl());
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A migrated database of the test's own, on the server that global-setup.ts started. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const name = `test_${randomText(9).replaceAll("-", "_").toLowerCase()}`;
  await onServer(`CREATE DATABASE "${name}" TEMPLATE ${options.empty ? "template0" : TEMPLATE_DATABASE}`);
  return {
    url: withDatabase(await testServerUrl(), name),
    drop: () => onServer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`),
  };
}

/** A catalog on a database of its own; closing it drops the database. */
export async function openTestCatalog(): Promise<Catalog> {
  const database = await createTestDatabase();
  const catalog = await openCatalog({ home: "", databaseUrl: database.url, log: silentLog });
  const close = catalog.close.bind(catalog);
  catalog.close = async () => {
    await close();
    await database.drop();
  };
  return catalog;
}
