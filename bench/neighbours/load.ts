import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { median, p95, Table } from "../guard/measure.ts";
import { post, toolCall } from "./http.ts";

const CLIENTS = 500;
const ROWS = 20_000;
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

/**
 * 500 clients of one token with heavy statements: what a small read of another person in the same workspace, a small
 * call and `ready` take beside them, and how soon those who are refused are told so.
 */
export async function measureLoad(roundMs: number): Promise<void> {
  const server = fork(new URL("server.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ url, tokens }] = (await once(server, "message")) as [{ url: string; tokens: string[] }];
  const [flooding = "", ours = ""] = tokens;
  const agent = new Agent({ keepAlive: true });
  const ask = async (name: string, args: object) => {
    const { status, ms, body } = await post(agent, url, ours, toolCall(name, args));
    if (status !== 200 || body.includes('"isError":true')) throw new Error(`${name}: ${status} ${body}`);
    return ms;
  };
  const rows = Array.from({ length: ROWS }, (_, id) => ({ id, region: `r${id % 50}`, amount: id % 997 }));
  await ask("push_data", { dataset_name: "orders", rows });
  await ask("save_semantic_model", { content: JSON.stringify(MODEL), publish: true });

  let last = 0;
  const read = () => {
    last += 1;
    const sql = `SELECT region, sum(amount) AS total FROM orders WHERE id % 7 <> ${last} GROUP BY region`;
    return ask("execute_query", { modelName: "shop", sql, store: false });
  };
  const ready = async () => {
    const startedMs = performance.now();
    const answer = await fetch(new URL("/api/health/ready", url));
    await answer.text();
    if (answer.status !== 200) throw new Error(`ready: ${answer.status}`);
    return performance.now() - startedMs;
  };
  const whoami = () => ask("whoami", {});
  const measured = { "small read": read, "small call": whoami, ready };
  const table = new Table(`Beside ${CLIENTS} clients of one token with heavy statements, ms`, [
    "clients that are refused",
    "how theirs ended",
    "refused after: p50",
    "p95",
    "what",
    "alone: p50",
    "p95",
    "beside them: p50",
    "p95",
    "failed",
    "p95, times as long",
    "again alone after",
  ]);
  for (const pauseMs of [1_000, 100]) {
    for (let n = 0; n < 20; n += 1) await read();
    const alone = await timesOf(measured, roundMs);
    const flood = fork(new URL("flood.ts", import.meta.url));
    flood.send({ url, token: flooding, clients: CLIENTS, ms: roundMs + 3_000, pauseMs });
    const told = once(flood, "message") as Promise<[{ refusedMs: number[]; ends: [string, number][] }]>;
    await delay(2_000);
    const beside = await timesOf(measured, roundMs);
    const [{ refusedMs, ends }] = await told;
    const overMs = performance.now();
    const limitMs = 2 * p95(alone["small read"]?.times ?? []);
    let inARow = 0;
    while (inARow < 5) inARow = (await read().catch(() => Infinity)) <= limitMs ? inARow + 1 : 0;
    const recoveryMs = performance.now() - overMs;
    for (const [name, { times, failed }] of Object.entries(beside)) {
      const before = alone[name]?.times ?? [];
      table.add([
        `wait ${pauseMs} ms`,
        ends.map(([end, count]) => `${count} × ${end}`).join(", "),
        median(refusedMs),
        p95(refusedMs),
        name,
        median(before),
        p95(before),
        median(times),
        p95(times),
        `${failed} of ${failed + times.length}`,
        p95(times) / p95(before),
        name === "small read" ? `${Math.round(recoveryMs)} ms` : "",
      ]);
    }
  }
  agent.destroy();
  server.send("stop");
  await once(server, "exit");
}

interface Times {
  times: number[];
  failed: number;
}

/** Each of these one after the other, all of them at the same time. */
async function timesOf(
  measured: Record<string, () => Promise<number>>,
  ms: number,
): Promise<Record<string, Times>> {
  const untilMs = performance.now() + ms;
  const all = Object.entries(measured).map(async ([name, take]) => {
    const found: Times = { times: [], failed: 0 };
    while (performance.now() < untilMs) {
      await take().then(
        (took) => found.times.push(took),
        () => {
          found.failed += 1;
        },
      );
      await delay(50);
    }
    return [name, found] as const;
  });
  return Object.fromEntries(await Promise.all(all));
}
