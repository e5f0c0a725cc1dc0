import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeQuery, startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, token, viewer, stranger, datasource_id, stop } = await startSourced();
afterAll(stop);

describe("list_queries", () => {
  it("lists queries with their last run", async () => {
    const one = await makeQuery(server, token, { name: "One", datasource_id, query: "SELECT 1 AS a" });
    await makeQuery(server, token, { name: "Other", datasource_id, query: "SELECT 1 AS a", run_now: false });
    expect(await resultOf(server, viewer, "list_queries", {})).toMatchObject({
      total: 2,
      queries: [
        {
          id: one.query_id,
          name: "One",
          datasource_id,
          dataset_id: one.dataset_id,
          last_run: { run_id: one.run.run_id, status: "succeeded", rows: 1 },
        },
        { name: "Other", dataset_id: null, last_run: null },
      ],
    });
    expect(await resultOf(server, viewer, "list_queries", { query: "oth" })).toMatchObject({ total: 1 });
    expect(await resultOf(server, viewer, "list_queries", { datasource_id: 0 })).toMatchObject({ total: 0 });
  });

  it("shows nothing of other workspaces, and nothing without a token", async () => {
    expect(await resultOf(server, stranger, "list_queries", {})).toEqual({ total: 0, queries: [] });
    expect((await callTool(server, undefined, "list_queries")).status).toBe(401);
  });

  it("leaves out a deleted query, whose dataset stays", async () => {
    const gone = await makeQuery(server, token, { name: "Gone", datasource_id, query: "SELECT 7 AS a" });
    const asset = { asset_type: "query", asset_id: gone.query_id };
    await resultOf(server, token, "delete_asset", { ...asset, confirm: true });
    expect(await resultOf(server, viewer, "list_queries", { query: "Gone" })).toMatchObject({ total: 0 });
    const { run_id } = gone.run;
    await expect(resultOf(server, token, "get_query_run", { run_id })).rejects.toThrow(/no run/);
    const args = { dataset_id: gone.dataset_id };
    expect(await resultOf(server, viewer, "get_data", args)).toMatchObject({ rows: [{ a: 7 }] });
  });
});
