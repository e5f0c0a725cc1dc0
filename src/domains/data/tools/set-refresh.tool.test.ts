import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeQuery, startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, token, viewer, stranger, source, datasource_id, stop } = await startSourced();
const database = new pg.Client(server.databaseUrl);
await database.connect();
afterAll(async () => {
  await database.end();
  await stop();
});

interface Listed {
  queries: {
    id: number;
    refresh: { next_run: string; problem: string | null } | null;
    last_run: { run_id: number; rows: number; status: string };
  }[];
}

const listed = async (query_id: number, by = token) => {
  const { queries } = await resultOf<Listed>(server, by, "list_queries", {});
  return queries.find(({ id }) => id === query_id);
};

const made = (name: string, query = "SELECT 1 AS a") =>
  makeQuery(server, token, { name, datasource_id, query });

/** As if its time had come. */
async function comeDue(query_id: number): Promise<void> {
  await database.query("UPDATE schedules SET next_at = now() WHERE kind = 'query' AND subject = $1", [
    query_id,
  ]);
  await database.query("SELECT pg_notify('kenning_schedules', '')");
}

describe("set_refresh", () => {
  it("lets a query run by itself, again and again", async () => {
    await source.query("CREATE TABLE fresh AS SELECT 1 AS a");
    const { query_id, run } = await made("Fresh", "SELECT * FROM fresh");
    const set = await resultOf(server, token, "set_refresh", { query_id, every: 15, unit: "minutes" });
    expect(set).toMatchObject({
      refresh: { every: 15, unit: "minutes", time: "06:00", timezone: "UTC", problem: null },
    });
    expect((await listed(query_id))?.refresh?.next_run).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:(00|15|30|45):00/);
    await source.query("INSERT INTO fresh VALUES (2)");
    await comeDue(query_id);
    await expect.poll(async () => (await listed(query_id))?.last_run.rows).toBe(2);
    expect((await listed(query_id))?.last_run.run_id).toBeGreaterThan(run.run_id);
    expect(Date.parse((await listed(query_id))?.refresh?.next_run ?? "")).toBeGreaterThan(Date.now());
  });

  it("asks for what is new alone, and adds it", async () => {
    await source.query(
      "CREATE TABLE events AS SELECT i AS id, 'e' || i AS what FROM generate_series(1, 5) AS i",
    );
    const refresh = { every: 1, unit: "hours", incremental_by: "id" };
    const { dataset_id, query_id } = await makeQuery(server, token, {
      name: "Events",
      datasource_id,
      query: "SELECT * FROM events;",
      refresh,
    });
    // What was read once is not read again: a change of it there is not noticed here.
    await source.query(
      "UPDATE events SET what = 'changed' WHERE id = 1; INSERT INTO events VALUES (6, 'e6')",
    );
    const rows = async () =>
      (await resultOf<{ rows: object[] }>(server, token, "get_data", { dataset_id, c9ql: "order by id" }))
        .rows;
    await resultOf(server, token, "run", { query_id });
    expect(await rows()).toHaveLength(6);
    expect((await rows())[0]).toEqual({ id: 1, what: "e1" });
    await resultOf(server, token, "run", { query_id });
    expect(await rows()).toHaveLength(6);
    expect((await listed(query_id))?.refresh).toMatchObject({ incremental_by: "id" });
  });

  it("puts new rows in the place of those with the same key", async () => {
    await source.query(
      "CREATE TABLE states AS SELECT i AS id, 'new' AS state, timestamp '2025-01-01' + i * interval '1 day' AS changed_at FROM generate_series(1, 5) AS i",
    );
    const { dataset_id, query_id } = await makeQuery(server, token, {
      name: "States",
      datasource_id,
      query: "SELECT * FROM states",
      refresh: { every: 1, unit: "days", incremental_by: "changed_at", key: ["id"] },
    });
    await source.query(
      "UPDATE states SET state = 'done', changed_at = '2025-02-01 12:30:00.5' WHERE id <= 2",
    );
    await resultOf(server, token, "run", { query_id });
    const { rows } = await resultOf<{ rows: object[] }>(server, token, "get_data", {
      dataset_id,
      c9ql: "select id, state order by id",
    });
    expect(rows).toEqual([1, 2, 3, 4, 5].map((id) => ({ id, state: id <= 2 ? "done" : "new" })));
  });

  it("says what cannot be added to", async () => {
    const query = await makeQuery(server, token, {
      name: "Shaped",
      datasource_id,
      query: "SELECT 1 AS a",
      c9ql: "select a",
    });
    const wish = { query_id: query.query_id, every: 1, incremental_by: "a" };
    const text = async (args: object) =>
      (await callTool(server, token, "set_refresh", args as Record<string, unknown>)).result?.content[0]
        ?.text;
    expect(await text(wish)).toContain("C9QL cannot be refreshed by its new rows");
    expect(await text({ query_id: query.query_id, every: 1, key: ["a"] })).toContain(
      "key is for incremental_by",
    );
  });

  it("stops with 0, and with the query", async () => {
    const { query_id } = await made("Stops");
    await resultOf(server, token, "set_refresh", {
      query_id,
      every: 2,
      unit: "weeks",
      weekday: 5,
      timezone: "Europe/Berlin",
    });
    expect((await listed(query_id))?.refresh).toMatchObject({
      unit: "weeks",
      weekday: 5,
      timezone: "Europe/Berlin",
    });
    const off = await resultOf(server, token, "set_refresh", { query_id, every: 0 });
    expect(off).toMatchObject({ refresh: null, message: expect.stringContaining("only when somebody asks") });
    expect((await listed(query_id))?.refresh).toBeNull();
    await resultOf(server, token, "set_refresh", { query_id, every: 1 });
    await resultOf(server, token, "delete_asset", { asset_type: "query", asset_id: query_id, confirm: true });
    await comeDue(query_id);
    expect(await listed(query_id)).toBeUndefined();
  });

  it("says why a run did not begin", async () => {
    const { query_id, dataset_id } = await made("Lost");
    await resultOf(server, token, "set_refresh", { query_id, every: 1 });
    await resultOf(server, token, "delete_asset", {
      asset_type: "dataset",
      asset_id: dataset_id,
      confirm: true,
    });
    await comeDue(query_id);
    await expect.poll(async () => (await listed(query_id))?.refresh?.problem).toContain("was deleted");
    await resultOf(server, token, "restore_asset", { asset_type: "dataset", asset_id: dataset_id });
    await comeDue(query_id);
    await expect.poll(async () => (await listed(query_id))?.refresh?.problem).toBeNull();
  });

  it("tells whoever set it that it fails, once until it has gone well again", async () => {
    await source.query("CREATE TABLE moody AS SELECT 1 AS a");
    const { query_id } = await made("Moody", "SELECT * FROM moody");
    await resultOf(server, token, "set_refresh", { query_id, every: 1 });
    const told = async () => {
      const { rows } = await database.query("SELECT target FROM deliveries WHERE run_key LIKE $1", [
        `trouble:query:${query_id}:%`,
      ]);
      return rows.length;
    };
    /** Runs as scheduled, and waits until the run has ended so. */
    const ends = async (status: string) => {
      const before = (await listed(query_id))?.last_run.run_id ?? 0;
      await comeDue(query_id);
      await expect.poll(async () => (await listed(query_id))?.last_run.run_id).toBeGreaterThan(before);
      await expect.poll(async () => (await listed(query_id))?.last_run.status).toBe(status);
    };
    await source.query("ALTER TABLE moody RENAME TO hidden");
    await ends("failed");
    await expect.poll(told).toBe(1);
    await ends("failed");
    await source.query("ALTER TABLE hidden RENAME TO moody");
    await ends("succeeded");
    expect(await told()).toBe(1);
    await source.query("DROP TABLE moody");
    await ends("failed");
    await expect.poll(told).toBe(2);
  });

  it("runs with the rights of whoever wrote the query last", async () => {
    const { query_id } = await made("Rewritten");
    const admin = await server.token();
    await resultOf(server, admin, "set_refresh", { query_id, every: 1 });
    const ownerOf = async () => {
      const { rows } = await database.query(
        "SELECT email FROM queries q JOIN accounts a ON a.id = (q.refresh->>'ownerId')::bigint WHERE q.id = $1",
        [query_id],
      );
      return rows[0]?.email;
    };
    const before = await ownerOf();
    await makeQuery(server, token, {
      name: "Rewritten",
      datasource_id,
      query: "SELECT 2 AS a",
      replace: true,
    });
    expect(await ownerOf()).not.toBe(before);
    expect((await listed(query_id))?.refresh).toMatchObject({ problem: null });
  });

  it("is for those who may write, in their workspace, with times that there are", async () => {
    const { query_id } = await made("Guarded");
    const args = { query_id, every: 1 };
    expect((await callTool(server, undefined, "set_refresh", args)).status).toBe(401);
    await expect(resultOf(server, viewer, "set_refresh", args)).rejects.toThrow();
    await expect(resultOf(server, stranger, "set_refresh", args)).rejects.toThrow(/no query with id/i);
    for (const wrong of [
      { time: "25:00" },
      { timezone: "Mars/Base" },
      { every: -1 },
      { weekday: 1 },
      { unit: "years" },
    ])
      await expect(resultOf(server, token, "set_refresh", { ...args, ...wrong })).rejects.toThrow();
    expect((await listed(query_id, viewer))?.refresh).toBeNull();
  });
});
