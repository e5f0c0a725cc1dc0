import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { EmbeddedServer } from "../../src/platform/catalog/embedded.ts";
import { openCatalog } from "../../src/platform/catalog/index.ts";
import { silentLog, TEMPLATE_DATABASE, withDatabase } from "./database.ts";

/** Tests lose nothing when the machine stops, so their server need not wait for the disk. */
const FAST_SETTINGS = {
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  max_connections: "300",
};

/** Offers all workers the one PostgreSQL server of a test run, which starts when the first of them asks for it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), "kenning-test-"));
  const homes = mkdtempSync(join(tmpdir(), "kenning-servers-"));
  let started: Promise<TestPostgres> | undefined;
  const door = createServer((socket) => {
    started ??= startPostgres(home);
    started.then(
      ({ url }) => socket.end(url),
      (error: Error) => {
        console.error(error);
        socket.destroy();
      },
    );
  });
  const databaseDoor = join(home, "door");
  door.listen(databaseDoor);
  await once(door, "listening");
  project.provide("databaseDoor", databaseDoor);
  project.provide("modelsFolder", join(home, "models"));
  project.provide("homesFolder", homes);
  return async () => {
    door.close();
    const server = await started?.catch(() => undefined);
    await server?.close();
    for (const folder of [home, homes]) rmSync(folder, { recursive: true, force: true });
  };
}

interface TestPostgres {
  url: string;
  close(): Promise<void>;
}

/** With the database that others are copied from. */
async function startPostgres(home: string): Promise<TestPostgres> {
  const server = await EmbeddedServer.open({ home, log: silentLog, settings: FAST_SETTINGS });
  const { user, password, host, database } = server.endpoint;
  const url = `postgresql://${user}:${password}@${encodeURIComponent(host)}/${database}`;
  try {
    await makeTemplate(url);
  } catch (error) {
    await server.close();
    throw error;
  }
  return { url, close: () => server.close() };
}

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await client.end();
  const catalog = await openCatalog({
    home: "",
    databaseUrl: withDatabase(url, TEMPLATE_DATABASE),
    log: silentLog,
  });
  await catalog.migrate();
  await catalog.close();
}
