import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK, makeDatasource, makeQuery } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let token: string;
let viewer: string;
let stranger: string;
let source: PostgresSource;
let datasource_id: number;

beforeAll(async () => {
  [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
  token = await server.token({ role: "contributor" });
  viewer = await server.token({ role: "viewer" });
  await server.app.identity.workspaces.create({ slug: "other" });
  stranger = await server.token({ workspace: "other" });
  datasource_id = await makeDatasource(server, token, "Shop", source);
});
afterAll(async () => {
  await server.stop();
  await source.stop();
});

describe("cancel_query_run", () => {
  it("ends a run that is under way, once", async () => {
    const query = "SELECT pg_sleep(60)::text AS a";
    const { query_id } = await makeQuery(server, token, {
      name: "Nap",
      datasource_id,
      query,
      run_now: false,
    });
    const args = { query_id, wait_seconds: 0 };
    const { run } = await resultOf<{ run: { run_id: number } }>(server, token, "run", args);
    const { run_id } = run;
    await expect(resultOf(server, viewer, "cancel_query_run", { run_id })).rejects.toThrow(/bi:write/);
    await expect(resultOf(server, stranger, "cancel_query_run", { run_id })).rejects.toThrow(/no run/);
    expect((await callTool(server, undefined, "cancel_query_run", { run_id })).status).toBe(401);
    expect(await resultOf(server, token, "cancel_query_run", { run_id })).toMatchObject({
      status: "cancelled",
      cancelled: true,
    });
    expect(await resultOf(server, token, "cancel_query_run", { run_id })).toMatchObject({ cancelled: false });
    await expect.poll(() => source.running(), { timeout: 10_000 }).toEqual([]);
  });

  it("leaves a run that has ended as it is", async () => {
    const { run } = await makeQuery(server, token, { name: "One", datasource_id, query: "SELECT 1 AS a" });
    const { run_id } = run;
    expect(await resultOf(server, token, "cancel_query_run", { run_id })).toMatchObject({
      status: "succeeded",
      cancelled: false,
    });
  });
});
