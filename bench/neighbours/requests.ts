import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { LIMITS } from "../../src/kernel/limits.ts";
import { median, p95, Table } from "../guard/measure.ts";
import { post } from "./http.ts";

const AT_ONCE = 60;
const { batchMessages, fields, values } = LIMITS.request;
const call = (params: object, id = 0) => ({ jsonrpc: "2.0", id, method: "tools/call", params });
const many = <T>(length: number, make: (n: number) => T): T[] => Array.from({ length }, (_, n) => make(n));
const SMALL = JSON.stringify(call({ name: "whoami", arguments: {} }));
const fieldsOf = (count: number) => Object.fromEntries(many(count, (n) => [`k${n}`, 1]));

/** Each just inside the bounds of one request. */
const FLOODS: readonly { name: string; body: unknown }[] = [
  { name: "fields of arguments", body: call({ name: "whoami", arguments: fieldsOf(fields - 20) }) },
  { name: "fields of _meta", body: call({ name: "whoami", arguments: {}, _meta: fieldsOf(fields - 20) }) },
  {
    name: "values",
    body: call({ name: "whoami", arguments: { x: Array<object>(values - 20).fill({}) } }),
  },
  { name: "texts", body: call({ name: "whoami", arguments: { x: many(9, () => "ä".repeat(100_000)) } }) },
  {
    name: "batches of calls",
    body: many(batchMessages, (n) => call({ name: "whoami", arguments: {} }, n)),
  },
  {
    name: "batches of tools/list",
    body: many(batchMessages, (id) => ({ jsonrpc: "2.0", id, method: "tools/list" })),
  },
];

/** A small call of another token while one token sends 60 large requests at once, of its own and of another workspace. */
export async function measureRequests(): Promise<void> {
  const server = fork(new URL("server.ts", import.meta.url), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ url, tokens }] = (await once(server, "message")) as [{ url: string; tokens: string[] }];
  const [flooding = "", ours = "", theirs = ""] = tokens;
  const agent = new Agent({ keepAlive: true });
  const send = (token: string, body: string) => post(agent, url, token, body);
  const timesUntil = async (token: string, isOver: () => boolean): Promise<number[]> => {
    const times: number[] = [];
    while (!isOver()) {
      times.push((await send(token, SMALL)).ms);
      await delay(10);
    }
    return times;
  };
  const table = new Table(`A small call while another token sends ${AT_ONCE} requests at once, ms`, [
    "requests",
    "how they ended",
    "all of them took",
    "ours alone: p50",
    "p95",
    "beside them: p50",
    "p95",
    "longest",
    "theirs alone: p50",
    "p95",
    "beside them: p50",
    "p95",
    "longest",
  ]);
  // The first calls of a process open connections and run code that is not yet compiled.
  await Promise.all(many(AT_ONCE, () => send(flooding, JSON.stringify(FLOODS[0]?.body))));
  for (const { name, body } of FLOODS) {
    const text = JSON.stringify(body);
    for (const token of tokens) await send(token, SMALL);
    const quietMs = performance.now() + 2_000;
    const alone = await Promise.all(
      [ours, theirs].map((token) => timesUntil(token, () => performance.now() > quietMs)),
    );
    let isOver = false;
    const startedMs = performance.now();
    const flood = Promise.all(many(AT_ONCE, () => send(flooding, text)));
    const beside = Promise.all([ours, theirs].map((token) => timesUntil(token, () => isOver)));
    const ends = new Map<number, number>();
    for (const { status } of await flood) ends.set(status, (ends.get(status) ?? 0) + 1);
    const allMs = performance.now() - startedMs;
    isOver = true;
    const cells = (await beside).flatMap((times, n) => {
      const before = alone[n] ?? [];
      return [median(before), p95(before), median(times), p95(times), Math.max(...times)];
    });
    table.add([name, [...ends].map(([status, count]) => `${count} × ${status}`).join(", "), allMs, ...cells]);
  }
  agent.destroy();
  server.send("stop");
  await once(server, "exit");
}
