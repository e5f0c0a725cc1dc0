import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { type PostgresSource, startPostgresSource } from "../support/postgres-source.ts";
import { tempEntries } from "../support/temp-entries.ts";

/** A run of a query survives kill -9: the next process ends it, one way or the other, and clears up after it. */

let kenning: CommandLine;
let database: TestDatabase;
let source: PostgresSource;
let env: Record<string, string>;
let token: string;
let queryId: number;
const servers: ChildProcess[] = [];

beforeAll(async () => {
  kenning = await CommandLine.open();
  [database, source] = await Promise.all([createTestDatabase(), startPostgresSource()]);
  env = { DATABASE_URL: database.url, KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" };
  const who = ["--workspace", "acme"];
  await kenning.call(["workspace", "create", "acme"], { env });
  await kenning.call(["user", "create", "a@example.com", ...who, "--role", "admin"], { env });
  const made = await kenning.call(["token", "create", "--user", "a@example.com", ...who, "--kind", "api"], {
    env,
  });
  token = made.out.trim();
}, 300_000);
afterEach(() => {
  // A test that failed leaves its server on the port, where the next one needs it.
  for (const child of servers.splice(0)) child.kill("SIGKILL");
});
afterAll(async () => {
  await source.stop();
  await database.drop();
  kenning.remove();
});

async function call<T>(name: string, args: object): Promise<T> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result: { isError: boolean; structuredContent: T } };
  expect(result).toMatchObject({ isError: false });
  return result.structuredContent;
}

async function serve(): ReturnType<CommandLine["serve"]> {
  const server = await kenning.serve(env);
  servers.push(server.child);
  return server;
}

/** Lets `work` have a server, which is stopped afterwards. */
async function serving<T>(work: () => Promise<T>): Promise<T> {
  const { child, stopped } = await serve();
  try {
    return await work();
  } finally {
    child.kill("SIGTERM");
    await stopped;
  }
}

interface Run {
  status: string;
  run_id: number;
  attempt: number;
}

describe("a run whose server is killed", () => {
  it("is tried again by the next one, and leaves no files", async () => {
    await source.query("DROP TABLE IF EXISTS naps; CREATE TABLE naps AS SELECT 60 AS seconds");
    const first = await serve();
    const { host, port, user, password, database: name } = source;
    const login = { host, port, user, password, database: name };
    const wish = { name: "Shop", type: "postgresql", ...login, replace: true };
    const { datasource_id } = await call<{ datasource_id: number }>("create_datasource", wish);
    const query =
      "SELECT i, CASE WHEN i = 5000 THEN pg_sleep(seconds)::text END AS s FROM naps, generate_series(1, 5000) i";
    const stored = { name: "Naps", datasource_id, query, run_now: false, replace: true };
    const { query_id } = await call<{ query_id: number }>("create_query", stored);
    queryId = query_id;
    const { run } = await call<{ run: Run }>("run", { query_id, wait_seconds: 0 });
    const folder = join(kenning.dataFolder, "runs");
    await vi.waitFor(() => expect(tempEntries(folder)).toHaveLength(1), 60_000);
    first.child.kill("SIGKILL");
    await first.stopped;
    const left = tempEntries(folder);
    expect(left).toHaveLength(1);
    // The database does not notice soon that nobody waits for its answer.
    await source.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%naps%' AND pid <> pg_backend_pid()",
    );
    await source.query("UPDATE naps SET seconds = 0");
    // As if half a minute had gone by, and without back-off.
    const catalog = new pg.Client(database.url);
    await catalog.connect();
    await catalog.query(
      `UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute', retry_delay = 0, retry_backoff = false
       WHERE state = 'active'`,
    );
    await catalog.query("UPDATE pgboss.queue SET monitor_claim_on = NULL, monitor_on = NULL");
    await catalog.end();

    const second = await serve();
    // The next try may have begun, with a file of its own.
    const now = existsSync(folder) ? tempEntries(folder) : [];
    expect(now.filter((name) => left.includes(name))).toEqual([]);
    const ended = await vi.waitFor(
      async () => {
        const now = await call<Run>("get_query_run", { run_id: run.run_id });
        expect(now.status).toBe("succeeded");
        return now;
      },
      { timeout: 120_000, interval: 250 },
    );
    expect(ended).toMatchObject({ attempt: 2, rows: 5000 });
    await expect.poll(() => tempEntries(folder)).toEqual([]);
    second.child.kill("SIGTERM");
    await second.stopped;
  }, 300_000);

  it("goes on where it is, when a command runs another query beside it", async () => {
    await source.query("UPDATE naps SET seconds = 60");
    const first = await serve();
    const { datasources } = await call<{ datasources: { id: number }[] }>("list_datasources", {});
    const { run } = await call<{ run: Run }>("run", { query_id: queryId, wait_seconds: 0 });
    await vi.waitFor(async () => expect(await source.running()).toHaveLength(1), 60_000);
    const other = {
      name: "Other",
      datasource_id: datasources[0]?.id,
      query: "SELECT 1 AS a",
      run_now: false,
      replace: true,
    };
    await call("create_query", other);
    const done = await kenning.run(["query", "run", "Other", "--workspace", "acme"], { env });
    expect(done).toMatchObject({ code: 0, out: "Other: 1 rows.\n" });
    expect(await call<Run>("get_query_run", { run_id: run.run_id })).toMatchObject({
      status: "running",
      attempt: 1,
    });
    // A stop in an orderly way does not count as a try.
    first.child.kill("SIGTERM");
    await first.stopped;
    await source.query("UPDATE naps SET seconds = 0");
    await serving(() =>
      vi.waitFor(
        async () =>
          expect(await call<Run>("get_query_run", { run_id: run.run_id })).toMatchObject({
            status: "succeeded",
            attempt: 1,
          }),
        { timeout: 120_000, interval: 250 },
      ),
    );
  }, 300_000);

  it("is cancelled with Ctrl-C at the command that asked for it", async () => {
    await source.query("UPDATE naps SET seconds = 60");
    const child = kenning.spawn(["query", "run", "Naps", "--workspace", "acme"], env);
    let out = "";
    child.stdout?.on("data", (chunk) => (out += chunk));
    const stopped = once(child, "exit");
    await vi.waitFor(async () => expect(await source.running()).toHaveLength(1), 60_000);
    child.kill("SIGINT");
    expect(await stopped).toEqual([1, null]);
    expect(out).toBe("Naps: the run was cancelled.\n");
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 60_000);
    await source.query("UPDATE naps SET seconds = 0");
  }, 300_000);

  it("runs from the command line without a server", async () => {
    const done = await kenning.run(["query", "run", "naps", "--workspace", "acme", "--json"], { env });
    expect({ ...done, out: JSON.parse(done.out || "{}") }).toMatchObject({
      code: 0,
      out: { name: "Naps", status: "succeeded", rows: 5000 },
    });
    const tested = await kenning.run(["datasource", "test", "Shop", "--workspace", "acme"], { env });
    expect(tested).toMatchObject({ code: 0, out: expect.stringContaining("The connection works.") });
    const unknown = await kenning.run(["query", "run", "nope", "--workspace", "acme"], { env });
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('no query "nope"') });
    const nowhere = await kenning.run(["datasource", "test", "Shop", "--workspace", "none"], { env });
    expect(nowhere.err).toContain('no workspace "none"');
    await source.query("DROP TABLE naps");
    const failed = await kenning.run(["query", "run", String(queryId), "--workspace", "acme"], { env });
    expect(failed).toMatchObject({ code: 1, out: expect.stringContaining("failed") });
  }, 300_000);
});
