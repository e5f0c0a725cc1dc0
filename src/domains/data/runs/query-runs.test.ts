import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openTestCatalog, silentLog } from "../../../../test/support/database.ts";
import { resultOf } from "../../../../test/support/datasets.ts";
import {
  ALLOW_LOOPBACK,
  makeDatasource,
  makeQuery,
  type RunAnswer,
} from "../../../../test/support/datasources.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";
import { AppError } from "../../../kernel/errors.ts";
import { systemClock } from "../../../kernel/time.ts";
import { Jobs } from "../../../platform/jobs/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { LIMITS } from "../limits.ts";
import type { Query } from "../queries.store.ts";
import { QueryRunsStore } from "./query-runs.store.ts";
import { QueryRuns, type QueryRunsParts } from "./query-runs.ts";

describe("runs on a server", () => {
  let server: TestServer;
  let token: string;
  let source: PostgresSource;
  let datasource_id: number;
  let catalog: pg.Client;
  let names = 0;

  beforeAll(async () => {
    [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
    token = await server.token({ role: "contributor" });
    datasource_id = await makeDatasource(server, token, "Shop", source);
    catalog = new pg.Client(server.databaseUrl);
    await catalog.connect();
  });
  afterAll(async () => {
    await catalog.end();
    await server.stop();
    await source.stop();
  });

  async function stored(query: string, who = token, datasource = datasource_id): Promise<number> {
    names += 1;
    const args = { name: `Query ${names}`, datasource_id: datasource, query, run_now: false };
    return (await makeQuery(server, who, args)).query_id;
  }
  const run = (query_id: number, wait_seconds = 10, who = token) =>
    resultOf<RunAnswer>(server, who, "run", { query_id, wait_seconds });
  const lookAt = (run_id: number) => resultOf<RunAnswer["run"]>(server, token, "get_query_run", { run_id });

  it("change nothing once they are cancelled, however late that is noticed", async () => {
    await source.query("DROP TABLE IF EXISTS slow; CREATE TABLE slow AS SELECT 1 AS n, 0 AS seconds");
    const id = await stored("SELECT n, pg_sleep(seconds)::text AS s FROM slow");
    const { dataset_id } = await run(id);
    await source.query("UPDATE slow SET n = 2, seconds = 5");
    const { run_id } = (await run(id, 0)).run;
    await vi.waitFor(async () => expect(await source.running()).toHaveLength(1), 30_000);
    await catalog.query("UPDATE query_runs SET status = 'cancelled' WHERE id = $1", [run_id]);
    await vi.waitFor(async () => expect(await source.running()).toEqual([]), 30_000);
    await sleep(1_000);
    const { rows } = await resultOf<{ rows: unknown[] }>(server, token, "get_data", { dataset_id });
    expect(rows).toMatchObject([{ n: 1 }]);
    expect(await lookAt(run_id)).toMatchObject({ status: "cancelled" });
  });

  it("tell how they ended, in the transaction in which they did, and metrics count it", async () => {
    await source.query("DROP TABLE IF EXISTS told; CREATE TABLE told AS SELECT 1 AS n, 0 AS seconds");
    const id = await stored("SELECT n, pg_sleep(seconds)::text AS s FROM told");
    const { dataset_id } = await run(id);
    await source.query("UPDATE told SET seconds = 60");
    const { run_id } = (await run(id, 0)).run;
    await resultOf(server, token, "cancel_query_run", { run_id });
    await source.query("DROP TABLE told");
    await expect.poll(async () => (await run(id)).run.status).toBe("failed");
    const events = async (topic: string, key: unknown) => {
      const select = "SELECT payload FROM outbox_events WHERE topic = $1 AND key = $2 ORDER BY id";
      return (await catalog.query(select, [topic, String(key)])).rows.map(({ payload }) => payload);
    };
    const ended = await events("query_run.ended", id);
    expect(ended.slice(0, 3).map(({ status }) => status)).toEqual(["succeeded", "cancelled", "failed"]);
    expect(ended[1]).toMatchObject({ queryId: id, runId: run_id });
    expect(await events("dataset.changed", dataset_id)).toMatchObject([{ version: 1, change: "existence" }]);
    await expect
      .poll(async () => (await server.request("/metrics")).text())
      .toMatch(/kenning_query_runs_ended_total\{status="cancelled"\} [1-9]/);
  });

  it("are ended by whoever asks, when nobody works on them", async () => {
    const id = await stored("SELECT 1 AS a");
    const lose = async () => {
      const { rows } = await catalog.query(
        `INSERT INTO query_runs (query_id, status, job_id, attempt, queued_at)
         VALUES ($1, 'running', 'query.run:00000000-0000-4000-8000-000000000000', 4, now()) RETURNING id`,
        [id],
      );
      return Number(rows[0].id);
    };
    const first = await lose();
    const listed = await resultOf<{ queries: { id: number; last_run: RunAnswer["run"] }[] }>(
      server,
      token,
      "list_queries",
      {},
    );
    expect(listed.queries.find((query) => query.id === id)?.last_run).toMatchObject({
      run_id: first,
      status: "failed",
      error: expect.stringContaining("no job for it"),
    });
    const second = await lose();
    const answer = await run(id);
    expect(answer.run).toMatchObject({ status: "succeeded" });
    expect(answer.run.run_id).toBeGreaterThan(second);
    expect(await lookAt(second)).toMatchObject({ status: "failed" });
  });

  it("of one workspace leave a place to the others", async () => {
    names += 1;
    const workspace = `modest-${names}`;
    await server.app.identity.workspaces.create({ slug: workspace });
    const modest = await server.token({ workspace, role: "contributor" });
    const own = await makeDatasource(server, modest, "Shop", source);
    const quick = await stored("SELECT 1 AS a", modest, own);
    const greedy: number[] = [];
    for (let n = 0; n < LIMITS.queries.runs + 1; n += 1)
      greedy.push((await run(await stored("SELECT pg_sleep(60)::text AS s"), 0)).run.run_id);
    const most = LIMITS.queries.runsPerWorkspace;
    await vi.waitFor(async () => expect(await source.running()).toHaveLength(most), 30_000);
    expect((await run(quick, 10, modest)).run).toMatchObject({ status: "succeeded" });
    expect(await source.running()).toHaveLength(most);
    for (const run_id of greedy) await resultOf(server, token, "cancel_query_run", { run_id });
  });

  it("and queries of one workspace are limited", async () => {
    const id = await stored("SELECT 1 AS a");
    const { activeRuns, perWorkspace } = LIMITS.queries;
    await catalog.query("DELETE FROM queries WHERE name LIKE 'many %'");
    await catalog.query(
      `INSERT INTO queries (workspace_id, name, datasource_id, query_text, created_at)
       SELECT q.workspace_id, 'many ' || i, q.datasource_id, 'SELECT 1', now()
       FROM queries q, generate_series(1, $2) i WHERE q.id = $1`,
      [id, perWorkspace],
    );
    await expect(stored("SELECT 1 AS a")).rejects.toThrow(/which is as many as it can/);
    await catalog.query(
      `INSERT INTO query_runs (query_id, status, queued_at)
       SELECT id, 'queued', now() FROM queries WHERE name LIKE 'many %' LIMIT $1`,
      [activeRuns],
    );
    await expect(run(id)).rejects.toThrow(/wait or are at work already/);
    await catalog.query("DELETE FROM queries WHERE name LIKE 'many %'");
    expect((await run(id)).run).toMatchObject({ status: "succeeded" });
  });
});

describe("a run whose server stops", () => {
  it("is queued again, whatever the engine says when it is interrupted", async () => {
    const catalog = await openTestCatalog();
    const folder = mkdtempSync(join(tmpdir(), "kenning-runs-"));
    const query = await storeQuery(catalog.pool);
    const { promise: isConverting, resolve: converting } = Promise.withResolvers<void>();
    const jobs = new Jobs(catalog, silentLog);
    const store = new QueryRunsStore(catalog, systemClock);
    const caller = {
      workspace: { id: 1 },
      user: { id: 1 },
      token: { id: 1 },
      permissions: ["bi:write"],
    } as unknown as Caller;
    // Only the engine is made up: it says, as the real one does, that the work was cancelled.
    const execution = {
      clock: systemClock,
      tempFolder: folder,
      newPartKey: () => "parts/x",
      datasources: {
        require: async () => ({ id: 1, name: "Shop", queryGroups: null }),
        connect: async (_: unknown, __: unknown, work: (connector: unknown) => unknown) =>
          work({ run: oneRow }),
      },
      analytics: {
        convert: async ({ signal }: { signal: AbortSignal }) => {
          converting();
          await sleep(60_000, undefined, { signal }).catch(() => {
            throw new AppError("cancelled", "The query was cancelled.");
          });
        },
      },
    };
    const runs = new QueryRuns({
      store,
      jobs,
      execution,
      queries: { find: async () => query, checkDataset: async () => undefined },
      callerFor: async () => caller,
      log: pino({ level: "silent" }),
    } as unknown as QueryRunsParts);
    await jobs.start();
    const { run } = await runs.start(caller, query);
    await isConverting;
    await jobs.stop();
    expect(await store.get(run.id)).toMatchObject({ status: "queued", error: null, finishedAt: null });
    expect(await jobs.status(run.jobId ?? "")).toMatchObject({ state: "waiting", attempt: 1 });
    await jobs.stop();
    await catalog.close();
    rmSync(folder, { recursive: true, force: true });
  });
});

async function* oneRow() {
  yield { columns: [{ name: "a", type: "INTEGER" }], rows: [[1]] };
}

async function storeQuery(pool: { query(text: string): Promise<unknown> }): Promise<Query> {
  await pool.query(
    `INSERT INTO workspaces (slug, name) VALUES ('acme', 'Acme');
     INSERT INTO accounts (email, name, password_hash) VALUES ('a@example.com', 'A', '');
     INSERT INTO datasources (workspace_id, name, type, settings, created_at)
       SELECT id, 'Shop', 'postgresql', '{}', now() FROM workspaces;
     INSERT INTO queries (workspace_id, name, datasource_id, query_text, created_at)
       SELECT workspace_id, 'Sales', id, 'SELECT 1', now() FROM datasources;`,
  );
  return {
    id: 1,
    workspaceId: 1,
    name: "Sales",
    datasourceId: 1,
    queryText: "SELECT 1",
    c9ql: null,
    parameters: {},
    datasetId: null,
    refresh: null,
    createdAt: new Date(),
  };
}
