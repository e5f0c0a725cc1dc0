import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import {
  ALLOW_LOOPBACK,
  makeDatasource,
  makeQuery,
  type RunAnswer,
} from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
let server: TestServer;
let token: string;
let source: PostgresSource;
let datasource_id: number;
let names = 0;

beforeAll(async () => {
  [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
  token = await server.token({ role: "contributor" });
  datasource_id = await makeDatasource(server, token, "Shop", source);
});
afterEach(() => source.tamper(undefined));
afterAll(async () => {
  await server.stop();
  await source.stop();
});

/** A name that no other test has, nor an earlier try of the same one. */
function newName(word: string): string {
  names += 1;
  return `${word} ${names}`;
}

/** A query that has not run yet; its id. */
async function stored(query: string): Promise<number> {
  const args = { name: newName("Query"), datasource_id, query, run_now: false };
  return (await makeQuery(server, token, args)).query_id;
}

const run = (query_id: number, wait_seconds = 10, who = token) =>
  resultOf<RunAnswer>(server, who, "run", { query_id, wait_seconds });

const lookAt = (run_id: number) => resultOf<RunAnswer["run"]>(server, token, "get_query_run", { run_id });

async function ended(run_id: number): Promise<RunAnswer["run"]> {
  return vi.waitFor(
    async () => {
      const now = await lookAt(run_id);
      expect(["succeeded", "failed", "cancelled"]).toContain(now.status);
      return now;
    },
    { timeout: 100_000, interval: 100 },
  );
}

const rowsOf = async (dataset_id: number | null) =>
  (await resultOf<{ rows: unknown[] }>(server, token, "get_data", { dataset_id })).rows;

async function detailsOf(asset_id: number) {
  const args = { assetType: "query", assetId: asset_id };
  return (await resultOf<{ details: Record<string, unknown> }>(server, token, "knowi_get_details", args, BI))
    .details;
}

describe("run", () => {
  it("[bi.run.query] [bi.get-details.query] runs a query and replaces the rows of its dataset", async () => {
    await source.query("DROP TABLE IF EXISTS counter; CREATE TABLE counter AS SELECT 1 AS n");
    const queryId = await stored("SELECT n FROM counter");
    const first = await resultOf<RunAnswer>(server, token, "knowi_run", { queryId }, BI);
    expect(first).toMatchObject({ query_id: queryId, run: { status: "succeeded", rows: 1 } });
    await source.query("UPDATE counter SET n = 2");
    const second = await run(queryId);
    expect(second.dataset_id).toBe(first.dataset_id);
    expect(await rowsOf(second.dataset_id)).toEqual([{ n: 2 }]);
    expect(await detailsOf(queryId)).toMatchObject({
      query: "SELECT n FROM counter",
      datasource: { name: "Shop", type: "postgresql" },
      dataset: { id: first.dataset_id },
      last_error: null,
      runs: [{ run_id: second.run.run_id, status: "succeeded" }, { status: "succeeded" }],
    });
  });

  it.each([
    [{}, /One of queryId or reportId is required/],
    [{ queryId: 1, reportId: 1 }, /One of queryId or reportId is required, and only one/],
    [{ reportId: 7 }, /no report with id 7/],
    [{ queryId: 999_999 }, /no query with id 999999/],
    [{ queryId: "1" }, /queryId/],
  ])("[bi.run.one-required] refuses %j", async (args, message) => {
    await expect(resultOf(server, token, "knowi_run", args, BI)).rejects.toThrow(message);
  });

  it("names what is missing as the surface calls it", async () => {
    await expect(resultOf(server, token, "run", {})).rejects.toThrow(
      /One of query_id or report_id is required/,
    );
  });

  it("answers that a long run goes on, begins no second one, and counts its rows", async () => {
    const id = await stored("SELECT i, pg_sleep(0.0007) FROM generate_series(1, 4000) i");
    const first = await run(id, 0);
    expect(["queued", "running"]).toContain(first.run.status);
    expect(first.message).toMatch(/get_query_run/);
    const again = await Promise.all([run(id, 0), run(id, 0), run(id, 0)]);
    expect(new Set(again.map((answer) => answer.run.run_id))).toEqual(new Set([first.run.run_id]));
    await vi.waitFor(async () => expect((await lookAt(first.run.run_id)).rows).toBeGreaterThan(0), 30_000);
    expect(await ended(first.run.run_id)).toMatchObject({ status: "succeeded", rows: 4000, attempt: 1 });
    expect((await detailsOf(id)).runs).toHaveLength(1);
  });

  it("stops a cancelled run here and in the database, and keeps the dataset", async () => {
    await source.query("DROP TABLE IF EXISTS naps; CREATE TABLE naps AS SELECT 0 AS seconds");
    const id = await stored("SELECT seconds, pg_sleep(seconds)::text AS slept FROM naps");
    const { dataset_id } = await run(id);
    await source.query("UPDATE naps SET seconds = 60");
    const { run_id } = (await run(id, 0)).run;
    await vi.waitFor(async () => expect(await source.running()).toHaveLength(1), 30_000);
    expect(await resultOf(server, token, "cancel_query_run", { run_id })).toMatchObject({
      status: "cancelled",
      cancelled: true,
    });
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 30_000);
    expect(await resultOf(server, token, "cancel_query_run", { run_id })).toMatchObject({ cancelled: false });
    expect(await rowsOf(dataset_id)).toMatchObject([{ seconds: 0 }]);
    await source.query("UPDATE naps SET seconds = 0");
    expect((await run(id)).run).toMatchObject({ status: "succeeded" });
  });

  it("keeps the last good rows when a refresh fails, and shows why", async () => {
    await source.query("DROP TABLE IF EXISTS fading; CREATE TABLE fading AS SELECT 1 AS a");
    const id = await stored("SELECT a FROM fading");
    const { dataset_id } = await run(id);
    await source.query("DROP TABLE fading");
    const failed = await run(id);
    expect(failed.run).toMatchObject({ status: "failed", attempt: 1, rows: null });
    expect(await rowsOf(dataset_id)).toEqual([{ a: 1 }]);
    expect((await detailsOf(id)).last_error).toMatch(/fading/);
    const listed = await resultOf<{ queries: { id: number; last_run: { status: string } }[] }>(
      server,
      token,
      "list_queries",
      {},
    );
    expect(listed.queries.find((query) => query.id === id)?.last_run.status).toBe("failed");
  });

  it("tries again after a lost connection, and keeps no half result", async () => {
    const id = await stored("SELECT i, repeat('x', 1000) AS text FROM generate_series(1, 5000) i");
    let lost = 0;
    let seen = 0;
    source.tamper((chunk) => {
      seen += chunk.length;
      if (lost > 0 || seen < 1_000_000) return chunk;
      lost += 1;
      return "close";
    });
    const { run_id } = (await run(id, 0)).run;
    await vi.waitFor(
      async () => expect(await lookAt(run_id)).toMatchObject({ error: expect.stringMatching(/closed/) }),
      { timeout: 30_000, interval: 20 },
    );
    expect(await ended(run_id)).toMatchObject({ status: "succeeded", rows: 5000, attempt: 2, error: null });
    expect(lost).toBe(1);
  });

  it("gives up after some tries when nobody answers", async () => {
    const name = newName("Gone");
    const args = { name, type: "mysql", host: "127.0.0.1", port: 1, user: "u" };
    const { datasource_id: gone } = await resultOf<{ datasource_id: number }>(
      server,
      token,
      "create_datasource",
      args,
    );
    const made = await makeQuery(server, token, {
      name,
      datasource_id: gone,
      query: "SELECT 1",
      run_now: false,
    });
    const { run_id } = (await run(made.query_id, 0)).run;
    expect(await ended(run_id)).toMatchObject({ status: "failed", attempt: 4 });
    expect((await lookAt(run_id)).error).toMatch(/Nothing answers/);
  });

  it("does not try again with a wrong password", async () => {
    const name = newName("Wrong");
    const wrong = await makeDatasource(server, token, name, { ...source, password: "no" });
    const made = await makeQuery(server, token, { name, datasource_id: wrong, query: "SELECT 1" });
    expect(made.run).toMatchObject({ status: "failed", attempt: 1 });
    expect(made.run.error).toMatch(/refused the user/);
  });

  it("can be cancelled while the database hangs", async () => {
    const id = await stored("SELECT 1 AS a");
    source.tamper(() => "silence");
    const { run_id } = (await run(id, 0)).run;
    await sleep(300);
    await resultOf(server, token, "cancel_query_run", { run_id });
    source.tamper(undefined);
    expect((await run(id)).run).toMatchObject({ status: "succeeded" });
    expect(await lookAt(run_id)).toMatchObject({ status: "cancelled" });
  });

  it("does nothing for whoever may no longer do it", async () => {
    const email = `${newName("leaving").replace(" ", "-")}@example.com`;
    const { identity } = server.app;
    await identity.users.create({
      email,
      workspace: "acme",
      role: "contributor",
      password: "correct horse b",
    });
    const leaving = await server.token({ email });
    const id = await stored("SELECT 1 AS a");
    source.tamper(() => "close");
    const { run_id } = (await run(id, 0, leaving)).run;
    await vi.waitFor(
      async () => expect(await lookAt(run_id)).toMatchObject({ error: expect.stringMatching(/closed/) }),
      { timeout: 30_000, interval: 20 },
    );
    await identity.users.setRole({ email, workspace: "acme", role: "viewer" });
    source.tamper(undefined);
    expect(await ended(run_id)).toMatchObject({ status: "failed" });
    expect((await lookAt(run_id)).error).toMatch(/no longer/);
  });

  it("is for contributors of the workspace", async () => {
    const id = await stored("SELECT 1 AS a");
    const { run_id } = (await run(id)).run;
    expect((await callTool(server, undefined, "run", { query_id: id })).status).toBe(401);
    const viewer = await server.token({ role: "viewer" });
    await expect(run(id, 10, viewer)).rejects.toThrow(/bi:write/);
    expect(await resultOf(server, viewer, "get_query_run", { run_id })).toMatchObject({ run_id });
    const slug = newName("other").replace(" ", "-");
    await server.app.identity.workspaces.create({ slug });
    const stranger = await server.token({ workspace: slug });
    await expect(run(id, 10, stranger)).rejects.toThrow(/no query with id/);
    for (const tool of ["get_query_run", "cancel_query_run"])
      await expect(resultOf(server, stranger, tool, { run_id })).rejects.toThrow(/no run with id/);
  });
});
