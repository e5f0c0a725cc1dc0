import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openTestAnalytics } from "../../../test/support/analytics.ts";
import { makeDataset } from "../../../test/support/datasets.ts";
import { callTool } from "../../../test/support/mcp.ts";
import { query, saveModel, textOf } from "../../../test/support/models.ts";
import { PATHS } from "../../../test/support/rpc.ts";
import { serverOfFile } from "../../../test/support/server.ts";
import { LIMITS } from "./limits.ts";

/** The limits that the contract promises for a query, met by running into them. */

const { queryMs, queryThreads, queryMemoryMb, querySpillMb } = LIMITS.models;

/** Minutes of work that needs no memory. */
const SLOW = "SELECT sum(i % 7) AS n FROM range(300000000000) r(i)";
const DATASETS = ["a", "b", "c", "d"];

const server = await serverOfFile();
const admin = await server.token({ role: "admin" });
const viewer = await server.token({ role: "viewer" });
for (const name of DATASETS) await makeDataset(server, admin, name, [{ id: 1 }]);
const datasets = DATASETS.map((name) => ({
  name,
  source: name,
  fields: [{ name: "id", expression: "id" }],
}));
await saveModel(server, admin, JSON.stringify({ semantic_model: [{ name: "shop", datasets }] }));

async function failure(sql: string): Promise<string> {
  const args = { modelName: "shop", sql };
  const answer = await callTool(server, viewer, "execute_query", args, PATHS.models);
  expect(answer.result?.isError).toBe(true);
  return textOf(answer);
}

const works = async () => expect((await query(server, viewer, "SELECT id FROM a")).rows).toEqual([{ id: 1 }]);

describe("a query", () => {
  it.each([
    // One list is one value: no part of it can be put aside.
    "SELECT len(list(repeat('x', 1000) || i)) AS n FROM range(3000000) r(i)",
    "SELECT len(string_agg(repeat('x', 1000), '')) AS n FROM range(3000000)",
  ])("[models.engine.limits] has 512 MB, and the next one works: %s", async (sql) => {
    const text = await failure(sql);
    expect(text).toMatch(/^This needs more memory than is allowed\./);
    expect(text).toMatch(/512\.0 MiB/);
    expect(text).toContain("Filter or aggregate more, or select fewer columns.");
    await works();
  });

  it.runIf(process.platform === "linux")("[models.engine.limits] has two threads", async () => {
    await works();
    const added: number[] = [];
    for (const name of DATASETS.slice(1)) {
      const before = threadsByProcess();
      // Other views are another engine, in the process that there is or in a new one.
      await query(server, viewer, `SELECT id FROM ${name}`);
      for (const [pid, count] of threadsByProcess()) added.push(count - (before.get(pid) ?? count));
    }
    // An engine works in the thread of whoever asks, and starts the others.
    expect(added.filter((count) => count !== 0).length).toBeGreaterThan(0);
    expect(new Set(added.filter((count) => count !== 0))).toEqual(new Set([queryThreads - 1]));
  });

  it("[models.query.timeout] has 30 seconds, and the next one works", async () => {
    const started = performance.now();
    expect(await failure(SLOW)).toMatch(/longer than 30 s/);
    expect(performance.now() - started).toBeGreaterThan(29_000);
    await works();
  }, 120_000);

  it("[models.query.timeout] ends when its time is up, with an error that names the limit", async () => {
    expect(queryMs).toBe(30_000);
    // The engine as execute_query opens it; only its time is shorter, which no setting of the server's can be.
    const analytics = await openTestAnalytics();
    const engine = { threads: queryThreads, memoryMb: queryMemoryMb, spillMb: querySpillMb };
    const ask = (sql: string, ms: number) =>
      analytics.query({ scope: "1", tableViews: [], sql, engine, limits: { ms } });
    try {
      await ask("SELECT 1", 30_000);
      await expect(ask(SLOW, 500)).rejects.toMatchObject({
        code: "timeout",
        message: "This took longer than 0.5 s.",
      });
      expect((await ask("SELECT 1", 30_000)).rows).toEqual([[1]]);
    } finally {
      await analytics.remove();
    }
  });
});

function threadsByProcess(): Map<number, number> {
  const threads = descendants(process.pid).map((pid): [number, number] => [
    pid,
    readdirSync(`/proc/${pid}/task`).length,
  ]);
  return new Map(threads);
}

function descendants(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const children = text === "" ? [] : text.split(" ").map(Number);
  return [...children, ...children.flatMap(descendants)];
}
