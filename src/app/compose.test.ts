import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { freePort } from "../../test/support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { type ComposeOptions, compose } from "./compose.ts";
import { loadConfig } from "./config.ts";

let database: TestDatabase;
let client: pg.Client;
let home: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "kenning-compose-"));
  database = await createTestDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
  rmSync(home, { recursive: true, force: true });
});

async function composed(options: ComposeOptions = {}) {
  const env = { PORT: String(await freePort()), KENNING_HOME: home, DATABASE_URL: database.url };
  return compose(loadConfig({ env, cwd: home }), { log: pino({ level: "silent" }), ...options });
}

it("serves although housekeeping fails", async () => {
  await client.query("ALTER TABLE datasources RENAME TO lost");
  const app = await composed();
  const { url } = await app.listen();
  expect((await fetch(`${url}/api/health/live`)).status).toBe(200);
  await app.close();
});

it("closes what it opened when a later step fails", async () => {
  const failing = composed({
    extend: () => {
      throw new Error("no such tool");
    },
  });
  await expect(failing).rejects.toThrow("no such tool");
  const others =
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
  await vi.waitFor(async () => expect((await client.query(others)).rows).toEqual([]), 30_000);
});
