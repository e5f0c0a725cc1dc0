import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../src/domains/data/limits.ts";
import { LIMITS as KERNEL } from "../../src/kernel/limits.ts";
import { callTool } from "../support/mcp.ts";
import type { Sending, Sent } from "../support/sender-thread.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

const isLong = process.env.KENNING_TEST_LONG === "1";
/** Processor time, which other programs do not lengthen: some 30 ms are usual, and seconds when a body is just parsed. */
const TURN_CPU_MS = 100;
/** A neighbour waited for 20 s and longer. */
const NEIGHBOUR_MS = 5_000;

let server: TestServer;
let token: string;
let neighbour: string;
let sender: Worker;
/** Answers nothing before it is told to. */
let slowWeb: Server;
const unanswered: ServerResponse[] = [];
const waiting = new Map<number, (sent: Sent) => void>();
let lastId = 0;

beforeAll(async () => {
  slowWeb = createServer((_request, response) => unanswered.push(response)).listen(0, "127.0.0.1");
  await once(slowWeb, "listening");
  server = await startTestServer({
    env: { RATE_LIMIT_ENABLED: "false", KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" },
  });
  await server.app.identity.workspaces.create({ slug: "other" });
  token = await server.token();
  neighbour = await server.token({ workspace: "other" });
  sender = new Worker(join(import.meta.dirname, "../support/sender-thread.ts"));
  sender.on("message", (sent: Sent) => waiting.get(sent.id)?.(sent));
  // The thread that reads rows starts once.
  await send(pushed("warm", [{ a: LONG_ROW }]));
});
afterAll(async () => {
  await sender.terminate();
  await server.stop();
  slowWeb.close();
});

/** Bytes are handed over and gone; a text takes a while, which is not the server's. */
function send(
  text: string | Uint8Array<ArrayBuffer>,
  options: Partial<Omit<Sending, "body">> & { path?: string } = {},
) {
  const { path = "/mcp", ...more } = options;
  const { promise, resolve } = Promise.withResolvers<Sent>();
  lastId += 1;
  waiting.set(lastId, resolve);
  const body = typeof text === "string" ? encode(text) : text;
  const sending: Sending = { id: lastId, url: `${server.url}${path}`, token, body, ...more };
  sender.postMessage(sending, [body.buffer]);
  return promise;
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

function pushed(name: string, rows: object[]): Uint8Array<ArrayBuffer> {
  return encode(call(JSON.stringify({ name: "push_data", arguments: { dataset_name: name, rows } })));
}

/** The longest turn of the event loop, and the longest wait of somebody else, while something is done. */
async function watched<T>(work: () => Promise<T>): Promise<{ done: T; turnMs: number; waitMs: number }> {
  let turnMs = 0;
  let waitMs = 0;
  let isOver = false;
  let before = process.threadCpuUsage();
  const tick = (): void => {
    const used = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    turnMs = Math.max(turnMs, (used.user + used.system) / 1_000);
    if (!isOver) setTimeout(tick, 1);
  };
  tick();
  const pings = (async () => {
    while (!isOver) {
      const { status, ms } = await send(PING, { token: neighbour });
      expect(status).toBe(200);
      waitMs = Math.max(waitMs, ms);
      await sleep(10);
    }
  })();
  const done = await work();
  isOver = true;
  await pings;
  return { done, turnMs, waitMs };
}

const fill = (unit: string, bytes: number = KERNEL.request.bodyBytes - 300) =>
  unit.repeat(Math.floor(bytes / unit.length));
const members = (n: number) => Array.from({ length: n }, (_, i) => `"k${i}":1`).join(",");
const MANY = members(1_100_000);
const LONG_ROW = "x".repeat(KERNEL.request.largeRowsBytes);

describe("a body that would hold up everybody", () => {
  const inBatch = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{${members(20_000)}}}}`;
  const inRows = (rows: string) => call(`{"name":"push_data","arguments":{"rows":[${rows}]}}`);
  const endless = (rows: string) => inRows(rows).slice(0, -"]}}}".length);
  const smallRows = Array.from({ length: 1_100_000 }, (_, i) => `{"k${i}":1}`).join(",");
  type Bomb = [what: string, body: string, status: number, words: string, path?: string];
  const bombs: Bomb[] = [
    ["fields of _meta", call(`{"name":"whoami","_meta":{${MANY}}}`), 413, "2,000 fields"],
    ["fields by REST", `{"name":"knowi_get_data",${MANY}}`, 413, "2,000 fields", "/api/2.0/mcp/tools/call"],
    ["fields of a batch", `[${`${inBatch},`.repeat(40)}${inBatch}]`, 413, "2,000 fields"],
    ["fields of a row", inRows(`{${MANY}}`), 413, "100,000 fields"],
    ["lists in lists", fill("["), 400, "100 levels"],
    ["numbers", `[${fill("1,")}1]`, 413, "25,000 values"],
    ["rows of numbers", inRows(`${fill("1,")}1`), 413, "3,000,000 values"],
    ["rows without an end", endless(smallRows), 400, "not valid JSON"],
    [
      "rows without an end after others",
      endless(`"${LONG_ROW}"],"rows":[${smallRows}`),
      400,
      "not valid JSON",
    ],
    ["a long name", call(`{"name":"whoami","arguments":{"${fill("x")}":1}}`), 413, "2,097,152 bytes"],
  ];
  const likeThem: Bomb[] = [
    ["fields of params", call(`{"name":"whoami",${MANY}}`), 413, "2,000 fields"],
    ["fields of arguments", call(`{"name":"whoami","arguments":{${MANY}}}`), 413, "2,000 fields"],
    ["fields of a message", `{"jsonrpc":"2.0","id":1,"method":"ping",${MANY}}`, 413, "2,000 fields"],
    ["objects in objects", fill('{"a":'), 400, "100 levels"],
    ["empty objects", call(`{"arguments":{"x":[${fill("{},")}{}]}}`), 413, "25,000 values"],
  ];

  it.each(isLong ? [...bombs, ...likeThem] : bombs)(
    "[all.http.values] is refused before it is parsed: %s",
    async (_what, body, status, words, path) => {
      const bytes = encode(body);
      const { done, turnMs, waitMs } = await watched(() => send(bytes, path === undefined ? {} : { path }));
      expect(done).toMatchObject({ status, text: expect.stringContaining(words) });
      expect(turnMs).toBeLessThan(TURN_CPU_MS);
      expect(waitMs).toBeLessThan(NEIGHBOUR_MS);
    },
  );
});

interface Read {
  totalRows: number;
  rows: Record<string, unknown>[];
}

async function lastRow(dataset_id: unknown, offset: number): Promise<Read> {
  const { result } = await callTool(server, token, "get_data", { dataset_id, offset, limit: 1 });
  return result?.structuredContent as unknown as Read;
}

function resultOf({ text }: Sent): Record<string, unknown> {
  const { result } = JSON.parse(text) as { result: { structuredContent?: Record<string, unknown> } };
  expect(result, text.slice(0, 500)).not.toMatchObject({ isError: true });
  return result.structuredContent ?? {};
}

describe("a large body that is as it should be", () => {
  it("[all.http.values] pushes many rows, and holds up nobody", async () => {
    const length = isLong ? LIMITS.data.pushRows : LIMITS.data.pushRows / 4;
    const rows = Array.from({ length }, (_, i) => {
      return {
        i,
        s: `v${i}\u0001`,
        a: i / 3,
        b: i * 7,
        c: null,
        d: "2024-02-29",
        e: [i],
        f: { g: i },
        h: true,
      };
    });
    const body = pushed("Large", rows);
    const { done, turnMs, waitMs } = await watched(() => send(body));
    const { dataset_id, rows_pushed } = resultOf(done);
    expect(rows_pushed).toBe(length);
    const i = length - 1;
    expect(await lastRow(dataset_id, i)).toMatchObject({
      totalRows: length,
      rows: [{ i, s: `v${i}`, b: i * 7, c: null, d: "2024-02-29", e: [i], f: { g: i }, h: true }],
    });
    expect(turnMs).toBeLessThan(TURN_CPU_MS);
    expect(waitMs).toBeLessThan(NEIGHBOUR_MS);
  });

  it("[all.http.values] says the same of large rows as of small ones", async () => {
    const list = (items: string) =>
      call(`{"name":"push_data","arguments":{"dataset_name":"Bad","rows":[${items}]}}`);
    const refusals: [string, string][] = [
      [`{"a":"${LONG_ROW}"},1`, "rows.1 must be an object"],
      [`{"a":"${LONG_ROW}","A":1}`, "which name the same column"],
      [`{"a":"${LONG_ROW}"`, "not valid JSON"],
      [`{"a":"${LONG_ROW}",}`, "not valid JSON"],
      [`${fill("{},", 3 * LIMITS.data.pushRows)}{},{}`, "more than 100,000 rows"],
    ];
    for (const [items, words] of refusals) {
      expect((await send(list(items))).text).toContain(words);
    }
    const other = await send(call(`{"name":"whoami","arguments":{"rows":["${LONG_ROW}"]}}`));
    expect(other.text).toContain("rows holds more than this tool takes");
  });

  it.each([
    ["as text", isLong ? 13_000_000 : 4_000_000, (text: string) => text],
    ["as base64", 11_500_000, (text: string) => Buffer.from(text).toString("base64")],
  ])("[all.http.values] imports a large file %s, and holds up nobody", async (how, bytes, written) => {
    const line = `7,"${"ä \\u ".repeat(30)}"\n`;
    const lines = Math.floor(bytes / Buffer.byteLength(line));
    const content = written(`n,s\n${line.repeat(lines)}`);
    const params = JSON.stringify({ name: "import_file", arguments: { dataset_name: how, content } });
    const body = encode(call(params));
    const { done, turnMs, waitMs } = await watched(() => send(body));
    expect(resultOf(done)).toMatchObject({ rows_read: lines, rows_rejected: 0 });
    expect(turnMs).toBeLessThan(TURN_CPU_MS);
    expect(waitMs).toBeLessThan(NEIGHBOUR_MS);
  });
});

describe("many requests of one token that are just small enough", () => {
  const ask = (method: string, id: number) => ({ jsonrpc: "2.0", id, method });
  const batch = Array.from({ length: KERNEL.request.batchMessages }, (_, id) => ask("tools/list", id));

  it("[all.http.turns] wait for each other, and nobody else for all of them", async () => {
    const body = JSON.stringify(batch);
    let answered = 0;
    const flood = Array.from({ length: 60 }, async () => {
      const { status } = await send(body);
      answered += 1;
      return status;
    });
    const before: number[] = [];
    for (const who of [neighbour, token]) {
      expect((await send(call('{"name":"whoami","arguments":{}}'), { token: who })).status).toBe(200);
      before.push(answered);
    }
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]));
    // Both were sent after all the others, and answered before most of them.
    expect(Math.max(...before)).toBeLessThan(50);
  });
});

describe("many large bodies at once", () => {
  const large = call('{"name":"whoami","arguments":{}}').padEnd(KERNEL.request.bodyBytes - 1_000);

  /** What is answered while three bodies lie there unfinished; once more if it came before all of them. */
  async function besideStalled(work: () => Promise<Sent>): Promise<Sent> {
    for (let waitMs = 300; ; waitMs *= 2) {
      const held = Array.from({ length: 3 }, () => send(large, { isStalled: true }));
      await sleep(waitMs);
      const answer = await work();
      if (answer.status !== 200 || waitMs > 10_000) return answer;
      sender.postMessage("hang up");
      await Promise.all(held);
    }
  }

  const isFree = () => vi.waitUntil(async () => (await send(large)).status === 200, { timeout: 30_000 });

  it("[all.http.in-flight] are bounded for a token; what was given up is given back", async () => {
    const refused = await besideStalled(() => send(large));
    expect(refused).toMatchObject({
      status: 429,
      retryAfter: "2",
      text: expect.stringContaining("48 MB at once"),
    });
    expect((await send(PING)).status).toBe(200);
    expect((await send(large, { token: neighbour })).status).toBe(200);
    sender.postMessage("hang up");
    await isFree();
  });

  it("[all.http.in-flight] of a flood some are answered, the others told to come again", async () => {
    const length = isLong ? 12 : 6;
    const bodies = Array.from({ length }, () => encode(large));
    const { done, turnMs, waitMs } = await watched(() => Promise.all(bodies.map((body) => send(body))));
    expect(done.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(
      done.every(({ status, retryAfter }) => status === 200 || (status === 429 && retryAfter === "2")),
    ).toBe(true);
    expect(turnMs).toBeLessThan(TURN_CPU_MS);
    expect(waitMs).toBeLessThan(NEIGHBOUR_MS);
  });

  it("[all.http.in-flight] end with 408 when they stall, and give back what they hold", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const stalled = Array.from({ length: 3 }, () => send(large, { isStalled: true }));
      await vi.waitUntil(() => vi.getTimerCount() === 3);
      await sleep(300);
      vi.advanceTimersByTime(2 * KERNEL.request.paceMs);
      for (const { status, text } of await Promise.all(stalled)) {
        expect(status).toBe(408);
        expect(text).toContain("more slowly than 64 KB in 15 s");
      }
    } finally {
      vi.useRealTimers();
    }
    await isFree();
  });

  it("[all.http.in-flight] are counted until their calls have ended, though their clients have left", async () => {
    const greeting = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: greeting };
    const { headers } = await server.request("/mcp", { token, json: initialize });
    const session = { "mcp-session-id": headers.get("mcp-session-id")! };
    const file_url = `http://127.0.0.1:${(slowWeb.address() as AddressInfo).port}/a.csv`;
    const [json, stream] = ["application/json", "application/json, text/event-stream"] as const;
    for (const [id, accept] of [json, stream, json].entries()) {
      const params = { name: "import_file", arguments: { dataset_name: `Left ${id}`, file_url } };
      const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params });
      const padded = body.padEnd(KERNEL.request.bodyBytes - 1_000);
      // Who leaves before all of it was read has sent nothing, and leaves once more.
      for (let tries = 0; unanswered.length === id && tries < 40; tries += 1) {
        await send(padded, { isGone: true, headers: { ...session, accept } });
        await vi.waitUntil(() => unanswered.length > id, { timeout: 1_000 }).catch(() => undefined);
      }
      expect(unanswered).toHaveLength(id + 1);
    }
    expect((await send(large)).status).toBe(429);
    for (const response of unanswered) response.end("a\n1\n");
    await isFree();
  });
});
