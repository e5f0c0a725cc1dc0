import { expect, test } from "vitest";
import { callTool } from "../support/mcp.ts";
import { openShop } from "../support/models.ts";
import { serverOfFile } from "../support/server.ts";

/** What an operator sees of a busy server, and what its callers are told when it stops. */

const server = await serverOfFile({ isOwn: true });
const shop = await openShop(server);

/** The values of metrics by their names and labels. */
async function metrics(): Promise<Map<string, number>> {
  const text = await (await server.request("/metrics")).text();
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ""), Number(line.split(" ").at(-1))]));
}

test("metrics tell what runs and waits; a call that runs when the server stops is told so", async () => {
  const sql = "SELECT count(*) AS n FROM range(100000) a, range(100000) b WHERE a.range * b.range % 7 = 3";
  const long = callTool(server, shop.admin, "execute_query", { modelName: "shop", sql });
  await expect.poll(async () => (await metrics()).get("kenning_queries_running")).toBe(1);
  const seen = await metrics();
  for (const name of ["engine_processes", "engine_memory_bytes", "disk_free_bytes"])
    expect(seen.get(`kenning_${name}`)).toBeGreaterThan(0);
  for (const name of ["queries_waiting", "database_connections", "database_waiting"])
    expect(seen.get(`kenning_${name}`)).toBeGreaterThanOrEqual(0);
  const posts = [...seen].filter(([name]) => /^kenning_http_request_seconds_sum.*"POST"/.test(name));
  expect(posts.length).toBeGreaterThan(0);

  const stopped = server.app.close();
  expect((await long).result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/server is stopping.*Send it again/s) }],
  });
  await stopped;
});
