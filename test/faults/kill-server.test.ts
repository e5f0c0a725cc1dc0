import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { processesOn } from "../support/processes.ts";

/** An acknowledged write survives kill -9: here each write is a bearer token that the server has handed out. */

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 10 : 2;
/** One login client may sign in 120 times a minute, and the writers are quicker than that. */
const WRITERS = 12;

let kenning: CommandLine;
let clients: { clientId: string; clientSecret: string }[];

beforeAll(async () => {
  kenning = await CommandLine.open();
  await kenning.call(["workspace", "create", "acme"]);
  await kenning.call(["user", "create", "w@example.com", "--workspace", "acme", "--role", "viewer"]);
  const command = ["client", "create", "--user", "w@example.com", "--workspace", "acme", "--json"];
  clients = [];
  for (let i = 0; i < WRITERS; i += 1) clients.push(JSON.parse((await kenning.call(command)).out));
}, 300_000);
afterAll(() => kenning.remove());

/** Signs in without pause until the server is gone, and takes down every token that was acknowledged. */
async function writeUntilKilled(
  client: (typeof clients)[number],
  acknowledged: string[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const response = await fetch(`${kenning.url}/api/2.0/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(client),
        signal,
      });
      if (response.status === 429) break;
      acknowledged.push(((await response.json()) as { token: string }).token);
    } catch {
      // The server was killed under this request: it was never acknowledged.
      break;
    }
  }
}

async function isGood(token: string): Promise<boolean> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "whoami", arguments: {} },
    }),
  });
  return response.status === 200;
}

describe(`kill -9 of the server under steady writes, ${ROUNDS} rounds`, () => {
  it("loses no acknowledged write, starts clean again and leaves no process behind", async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { child, stopped } = await kenning.serve();
      const controller = new AbortController();
      const written: string[] = [];
      const writing = clients.map((client) => writeUntilKilled(client, written, controller.signal));
      await expect.poll(() => written.length).toBeGreaterThan(0);
      await sleep(200 + Math.random() * 800);
      child.kill("SIGKILL");
      await stopped;
      controller.abort();
      await Promise.all(writing);
      acknowledged.push(...written);
    }
    const { child, stopped, welcome } = await kenning.serve();
    expect(welcome).toContain("Sign in as before");
    const lost: string[] = [];
    for (const token of acknowledged) if (!(await isGood(token))) lost.push(token);
    expect(lost).toEqual([]);
    child.kill("SIGTERM");
    expect((await stopped).code).toBe(0);
    await expect.poll(() => processesOn(kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
    console.log(`kill -9: ${acknowledged.length} acknowledged writes in ${ROUNDS} rounds, all found again`);
  }, 300_000);
});

describe("kill -9 with no next start", () => {
  it("lets the embedded database end by itself", async () => {
    const { child, stopped } = await kenning.serve();
    child.kill("SIGKILL");
    await stopped;
    await expect.poll(() => processesOn(kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
  });
});
