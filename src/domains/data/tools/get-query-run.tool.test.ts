import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeQuery, startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, token, viewer, stranger, datasource_id, stop } = await startSourced();
afterAll(stop);

describe("get_query_run", () => {
  it("tells how a run went, also to viewers", async () => {
    const { run } = await makeQuery(server, token, { name: "One", datasource_id, query: "SELECT 1 AS a" });
    const { run_id } = run;
    const shown = await resultOf(server, viewer, "get_query_run", { run_id });
    expect(shown).toEqual(run);
    expect(shown).toMatchObject({ status: "succeeded", rows: 1, attempt: 1, error: null, truncated: null });
  });

  it("knows no run of other workspaces, and answers nobody without a token", async () => {
    const { run } = await makeQuery(server, token, { name: "Two", datasource_id, query: "SELECT 1 AS a" });
    const { run_id } = run;
    await expect(resultOf(server, stranger, "get_query_run", { run_id })).rejects.toThrow(/no run with id/);
    await expect(resultOf(server, token, "get_query_run", { run_id: 0 })).rejects.toThrow(/no run with id 0/);
    expect((await callTool(server, undefined, "get_query_run", { run_id })).status).toBe(401);
  });
});
