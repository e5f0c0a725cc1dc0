import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadConfig } from "../src/app/config.ts";
import { open } from "../src/app/open.ts";
import { examine, publishAll } from "../src/domains/models/index.ts";
import type { Caller } from "../src/registry/caller.ts";
import { median, p95, Table } from "./guard/measure.ts";
import { BOMBS } from "./neighbours/bombs.ts";
import { measureLoad } from "./neighbours/load.ts";
import { measureRendering } from "./neighbours/rendering.ts";
import { measureRequests } from "./neighbours/requests.ts";
import { measureTenants } from "./neighbours/tenants.ts";

/**
 * How long a small question takes while somebody's statement hogs the machine: in the same workspace and in another
 * one, beside the same question with nothing else running, in turns. Statements take the way of `execute_query`
 * without HTTP around it: catalog, guard, policies, engine.
 */
const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});
const ROUND_MS = values.quick ? 5_000 : 15_000;
const ROWS = 100_000;
let last = 0;
const MODEL = {
  version: "0.1.1",
  semantic_model: [
    {
      name: "shop",
      datasets: [
        {
          name: "orders",
          source: "orders",
          primary_key: ["id"],
          fields: ["id", "region", "amount"].map((name) => ({ name, expression: name })),
        },
      ],
    },
  ],
};

const home = mkdtempSync(join(tmpdir(), "kenning-bench-neighbours-"));
chmodSync(home, 0o711);
const config = loadConfig({ env: { PORT: "0", KENNING_HOME: home, LOG_LEVEL: "error" }, cwd: home });
const inside = await open(config);
try {
  const ours = await openWorkspace("ours");
  const theirs = await openWorkspace("theirs");
  await Promise.all([timesOf(ours), timesOf(theirs)]);
  const table = new Table("A small question while a statement of the workspace `ours` runs, ms", [
    "statement",
    "how often, and how it ended",
    "ours alone: p50",
    "p95",
    "beside it: p50",
    "p95",
    "longest",
    "theirs alone: p50",
    "p95",
    "beside it: p50",
    "p95",
    "longest",
  ]);
  for (const { name, sql, atOnce = 1 } of BOMBS.filter(({ name }) => name.includes(values.only))) {
    // Whatever the last one broke is there again.
    for (const ask of [ours, ours, theirs, theirs]) await ask("SELECT count(*) FROM orders");
    const alone = await bothTimes(ours, theirs);
    const bomb = keepRunning(ours, sql, atOnce);
    const beside = await bothTimes(ours, theirs);
    const ends = await bomb.stop();
    const cells = [0, 1].flatMap((n) => {
      const [before, after] = [alone[n] ?? [], beside[n] ?? []];
      return [median(before), p95(before), median(after), p95(after), Math.max(...after)];
    });
    table.add([name, ends, ...cells]);
  }
} finally {
  await inside.close();
  rmSync(home, { recursive: true, force: true });
}
if ("requests".includes(values.only)) await measureRequests();
if ("load".includes(values.only)) await measureLoad(ROUND_MS);
if (values.only === "" || values.only.startsWith("rendering"))
  await measureRendering(ROUND_MS, values.only.replace(/^rendering:?/, ""));
if (values.only === "" || values.only.startsWith("tenants"))
  await measureTenants(ROUND_MS, values.only.replace(/^tenants:?/, ""));

type Ask = (sql: string, signal?: AbortSignal) => Promise<unknown>;

async function openWorkspace(slug: string): Promise<Ask> {
  const { identity, data, models } = inside.services;
  const workspace = await identity.workspaces.create({ slug });
  await identity.users.create({
    email: `${slug}@example.com`,
    workspace: slug,
    role: "admin",
    password: "bench bench bench",
  });
  const [user] = await identity.users.list({ workspace: slug });
  const caller: Caller = await identity.callerFor({ workspaceId: workspace.id, userId: user?.userId ?? 0 });
  const key = data.data.newPartKey();
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, region: `r${id % 50}`, amount: id % 997 }));
  const part = await inside.engines.analytics.rowsToPart({ rows, key });
  await data.data.commit(caller, "orders", "replace", part, { kind: "import" });
  const file = { name: "shop.yaml", text: JSON.stringify(MODEL) };
  const { signal } = new AbortController();
  await publishAll(models.models, caller, await examine(models.models, caller, [file], signal));
  return async (sql, until = signal) => {
    const model = await models.models.requirePublished(caller, { name: "shop" });
    return models.models.query(caller, model, { sql, params: [], signal: until });
  };
}

/** Each with a text of its own, one after the other. */
async function timesOf(ask: Ask): Promise<number[]> {
  const times: number[] = [];
  const startedMs = performance.now();
  while (performance.now() - startedMs < ROUND_MS) {
    last += 1;
    const beforeMs = performance.now();
    await ask(`SELECT region, sum(amount) AS total FROM orders WHERE id % 7 <> ${last} GROUP BY region`);
    times.push(performance.now() - beforeMs);
    await delay(20);
  }
  return times;
}

function bothTimes(ours: Ask, theirs: Ask): Promise<[number[], number[]]> {
  return Promise.all([timesOf(ours), timesOf(theirs)]);
}

/**
 * Sends a statement again as soon as it has ended, each time another text. It is cancelled after a third of the round,
 * so that what follows from that is measured too: one that does not listen is killed with its process.
 */
function keepRunning(ask: Ask, sql: string, atOnce: number): { stop(): Promise<string> } {
  const controller = new AbortController();
  const ends = new Map<string, number>();
  let runs = 0;
  const keep = async (): Promise<void> => {
    while (!controller.signal.aborted) {
      runs += 1;
      const until = AbortSignal.any([controller.signal, AbortSignal.timeout(Math.round(ROUND_MS / 3))]);
      const end = await ask(`${sql} -- ${runs}`, until).then(
        () => "answered",
        (error: { code?: string }) => error.code ?? "failed",
      );
      ends.set(end, (ends.get(end) ?? 0) + 1);
    }
  };
  const running = Promise.all(Array.from({ length: atOnce }, keep));
  return {
    async stop() {
      controller.abort();
      await running;
      // What does not listen is killed after a while, and has no place in the next round.
      await delay(4_000);
      return [...ends].map(([end, count]) => `${count} × ${end}`).join(", ");
    },
  };
}
