import { afterAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { makeQuery, startSourced } from "../../../../test/support/datasources.ts";
import { callTool } from "../../../../test/support/mcp.ts";

const { server, source, token, viewer, stranger, datasource_id, stop } = await startSourced();
afterAll(stop);

describe("cancel_query_run", () => {
  it("ends a run that is under way, once", async () => {
    const query = "SELECT pg_sleep(60)::text AS a";
    const { query_id } = await makeQuery(server, token, {
      // Of its own, so that a second try does not meet the first.
      name: `Nap ${Date.now()}`,
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
    await expect.poll(() => source.running(), { timeout: 30_000 }).toEqual([]);
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
