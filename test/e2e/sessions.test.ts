import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { toolsOf } from "../../src/registry/define-tool.ts";
import { LIMITS } from "../../src/surfaces/mcp/limits.ts";
import { serverOfFile } from "../support/server.ts";

/** Sessions under clients that are careless, busy or hostile. */

const seen: string[] = [];
const defineTool = toolsOf<{ seen: string[] }>();
const slow = defineTool({
  name: "slow",
  toolset: "system",
  wire: { agent: "slow", bi: "slow" },
  title: "Slow",
  description: "Works for as long as it is told, and notices when it is stopped.",
  permission: null,
  effect: "read",
  input: z.strictObject({ ms: z.int() }),
  output: z.object({ done: z.boolean() }),
  run: async ({ ms }, { signal, seen: notes }) => {
    notes.push("started");
    await sleep(ms, undefined, { signal }).catch(() => {
      notes.push("stopped");
      throw signal.reason;
    });
    return { done: true };
  },
});

const server = await serverOfFile({
  extend: (registry) => registry.add({ services: { seen }, tools: [slow] }),
});
const token = await server.token();

function rpc(path: string, session: string | null, id: number | string, method: string, params: object = {}) {
  const headers: Record<string, string> = session === null ? {} : { "mcp-session-id": session };
  return server.request(path, { token, headers, json: { jsonrpc: "2.0", id, method, params } });
}

const call = (path: string, session: string | null, id: number, ms: number) =>
  rpc(path, session, id, "tools/call", { name: "slow", arguments: { ms } });

const AGENT = "/api/data-agent/mcp";
const BI = "/api/2.0/mcp";

describe("a session", () => {
  it("refuses an id that is in use, and answers both requests", async () => {
    seen.length = 0;
    const first = call(AGENT, "twice", 1, 3_000);
    await expect.poll(() => seen).toContain("started");
    const second = await call(AGENT, "twice", 1, 0);
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({
      id: 1,
      error: { code: -32600, message: expect.stringContaining("in use") },
    });
    expect(await (await first).json()).toMatchObject({ id: 1, result: { isError: false } });
    expect(await (await call(AGENT, "twice", 1, 0)).json()).toMatchObject({ result: { isError: false } });
  });

  it("that is ended ends its calls, and tells their client so", async () => {
    seen.length = 0;
    const running = call(AGENT, "ended", 7, 10_000);
    await expect.poll(() => seen).toContain("started");
    await server.request(AGENT, { method: "DELETE", token, headers: { "mcp-session-id": "ended" } });
    expect(await (await running).json()).toMatchObject({
      error: { message: expect.stringContaining("session ended") },
    });
    await expect.poll(() => seen).toContain("stopped");
  });

  it("is not ended by a script that never sends a session id", async () => {
    const active = async () =>
      ((await (await server.request(`${BI}/health`)).json()) as { activeSessions: number }).activeSessions;
    const before = await active();
    const greeting = await rpc(BI, null, 0, "initialize");
    const session = greeting.headers.get("mcp-session-id");
    const running = call(BI, session, 1, 1_500);
    for (let i = 0; i < LIMITS.session.perUser + 20; i += 1) await (await rpc(BI, null, i, "ping")).text();
    expect(await (await running).json()).toMatchObject({ result: { isError: false } });
    expect(await active()).toBe(before + 1);
  });

  it("begins when an id that was issued is used", async () => {
    const issued = (await rpc(BI, null, 1, "ping")).headers.get("mcp-session-id");
    const used = await rpc(BI, issued, 2, "ping");
    expect(used.headers.get("mcp-session-id")).toBe(issued);
  });

  it("is not begun by a greeting that is malformed or too long", async () => {
    const malformed = await rpc("/mcp", null, 1, "initialize", { clientInfo: 7 });
    expect(malformed.headers.get("mcp-session-id")).toBeNull();
    const capabilities = { experimental: { x: { y: "z".repeat(20_000) } } };
    const long = await rpc("/mcp", null, 1, "initialize", { capabilities });
    expect(long.status).toBe(413);
  });
});

describe("a batch", () => {
  it("counts each of its messages against the limit of requests", async () => {
    const memory = await server.token({ kind: "memory" });
    const messages = Array.from({ length: 50 }, (_, id) => ({ jsonrpc: "2.0", id, method: "ping" }));
    const statuses: number[] = [];
    for (let i = 0; i < 13; i += 1) {
      statuses.push((await server.request("/api/mcp/v1", { token: memory, json: messages })).status);
    }
    expect(statuses.slice(0, 12)).toEqual(Array(12).fill(200));
    expect(statuses[12]).toBe(429);
  });
});

describe("a giant name", () => {
  it("costs nothing and does not come back whole", async () => {
    const name = "x".repeat(5_000_000);
    const started = performance.now();
    const response = await rpc("/mcp", null, 1, "tools/call", { name, arguments: {} });
    const text = await response.text();
    expect(text.length).toBeLessThan(1_000);
    const unknown = await rpc("/mcp", null, 1, "tools/call", { name: "whoami", arguments: { [name]: 1 } });
    expect((await unknown.text()).length).toBeLessThan(1_000);
    // Not a benchmark: what it guards against took a minute.
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
