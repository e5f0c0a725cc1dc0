import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { processesOn } from "../support/processes.ts";
import type { ToolResult } from "../support/rpc.ts";
import { tempEntries } from "../support/temp-entries.ts";

/**
 * Rows survive kill -9 of the server and of its engines: what was acknowledged is there exactly once, what was
 * refused is not there, and a request that was never answered was done as a whole or not at all.
 */

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 20 : 2;
const PUSHERS = 4;
const PUSHED_ROWS = 200;
const IMPORTED_ROWS = 5_000;

type Outcome = "acknowledged" | "refused" | "unanswered";

/** All requests so far of one sort, by the number that each of their rows carries. */
type Attempts = Map<number, Outcome>;

let kenning: CommandLine;
let database: TestDatabase;
let env: Record<string, string>;
let token: string;
let server: Awaited<ReturnType<CommandLine["serve"]>>;
const pushes: Attempts = new Map();
const imports: Attempts = new Map();
/** Of the requests that were refused: why. */
const refusals = new Map<string, number>();
let lastNumber = 0;
/** Files and folders that killed servers left behind. */
let leftBehind = 0;

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  // A database of its own, so that what the catalog knows can be compared with what lies in the folders.
  env = { DATABASE_URL: database.url };
  const who = ["--workspace", "acme"];
  await kenning.run(["workspace", "create", "acme"], { env });
  await kenning.run(["user", "create", "w@example.com", ...who, "--role", "contributor"], { env });
  const made = await kenning.run(["token", "create", "--user", "w@example.com", ...who, "--kind", "api"], {
    env,
  });
  token = made.out.trim();
  server = await kenning.serve(env);
}, 300_000);
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.stopped;
  await database.drop();
  kenning.remove();
});

async function call(name: string, args: object): Promise<ToolResult> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result, error } = (await response.json()) as { result?: ToolResult; error?: { message: string } };
  if (result === undefined) throw new Error(`no result: ${response.status} ${error?.message}`);
  return result;
}

/** What a tool gave; fails with the text of its error. */
async function resultOf<T>(name: string, args: object): Promise<T> {
  const result = await call(name, args);
  if (result.isError) throw new Error(result.content[0]?.text);
  return result.structuredContent as T;
}

/** Asks without pause, each time with a new number, until told to stop or until the server is gone. */
async function write(
  attempts: Attempts,
  ask: (number: number) => Promise<ToolResult>,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    lastNumber += 1;
    const number = lastNumber;
    attempts.set(number, "unanswered");
    try {
      const { isError, content } = await ask(number);
      attempts.set(number, isError ? "refused" : "acknowledged");
      const reason = content[0]?.text ?? "";
      if (isError) refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
    } catch {
      return;
    }
  }
}

function writeAll(stop: AbortSignal): Promise<unknown> {
  const push = (number: number) => {
    const rows = Array.from({ length: PUSHED_ROWS }, (_, n) => ({ request: number, n: n + 1 }));
    return call("push_data", { dataset_name: "Pushes", rows });
  };
  const take = (number: number) => {
    const lines = Array.from({ length: IMPORTED_ROWS }, (_, n) => `${number},${n + 1},text ${n % 97}`);
    const content = `request,n,note\n${lines.join("\n")}\n`;
    return call("import_file", { dataset_name: "Imports", content });
  };
  const pushers = Array.from({ length: PUSHERS }, () => write(pushes, push, stop));
  return Promise.all([...pushers, write(imports, take, stop)]);
}

interface Found {
  request: number;
  rows: number;
  total: number;
}

/** How many rows there are of each request, and the sum of what they are numbered with. */
async function found(dataset: string): Promise<Found[]> {
  const { datasets } = await resultOf<{ datasets: { id: number; rows: number }[] }>("list_datasets", {
    query: dataset,
  });
  if (datasets[0] === undefined) return [];
  const c9ql = "select request, count(*) as rows, sum(n) as total group by request";
  const { rows } = await resultOf<{ rows: Found[] }>("get_data", {
    dataset_id: datasets[0].id,
    c9ql,
    limit: 10_000,
  });
  // What the catalog says is what the files hold.
  expect(rows.reduce((sum, group) => sum + group.rows, 0)).toBe(datasets[0].rows);
  return rows;
}

const whole = (request: number, rows: number): Found => ({ request, rows, total: (rows * (rows + 1)) / 2 });

async function verifyPushes(): Promise<void> {
  const groups = (await found("Pushes")).toSorted((a, b) => a.request - b.request);
  const there = new Set(groups.map(({ request }) => request));
  // Settled here for good: what was found to be kept once must stay, and what is not there must not come back.
  for (const [number, outcome] of pushes)
    if (outcome === "unanswered") pushes.set(number, there.has(number) ? "acknowledged" : "refused");
  const kept = [...pushes].filter(([, outcome]) => outcome === "acknowledged").map(([number]) => number);
  expect(groups).toEqual(kept.toSorted((a, b) => a - b).map((number) => whole(number, PUSHED_ROWS)));
}

/** Each import replaces the one before, so exactly one is there: the last that was kept. */
async function verifyImports(): Promise<void> {
  const groups = await found("Imports");
  const there = groups[0]?.request;
  for (const [number, outcome] of imports)
    if (outcome === "unanswered") imports.set(number, number === there ? "acknowledged" : "refused");
  const kept = [...imports].filter(([, outcome]) => outcome === "acknowledged").map(([number]) => number);
  expect(groups).toEqual(kept.slice(-1).map((number) => whole(number, IMPORTED_ROWS)));
}

/** Files and folders that belong to no dataset and to no living server. */
async function strayFiles(): Promise<string[]> {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query<{ blob_key: string }>("SELECT blob_key FROM dataset_parts");
  await client.end();
  const known = new Set(rows.map(({ blob_key }) => blob_key));
  // A server that is killed early has not made all of them yet.
  const place = (name: string) => join(kenning.dataFolder, name);
  const parts = (existsSync(place("blobs/parts")) ? readdirSync(place("blobs/parts")) : []).map(
    (name) => `parts/${name}`,
  );
  expect([...known].filter((key) => !parts.includes(key))).toEqual([]);
  const folders = ["blobs/.tmp", "imports", "engine"].filter((name) => existsSync(place(name)));
  // The server that runs now has one folder in each; in `engine` its processes are at work, elsewhere nobody is.
  // A server that is killed while it makes its folder leaves an empty draft, which goes after an hour.
  const named = (name: string) => readdirSync(place(name)).filter((owner) => !owner.endsWith(".new"));
  const owners = folders.flatMap((name) => named(name).slice(isRunning() ? 1 : 0));
  const atRest = folders.filter((name) => name !== "engine" || !isRunning());
  return [
    ...parts.filter((key) => !known.has(key)),
    ...owners,
    ...atRest.flatMap((name) => tempEntries(place(name))),
  ];
}

function isRunning(): boolean {
  return server.child.exitCode === null && server.child.signalCode === null;
}

async function killServer(): Promise<void> {
  server.child.kill("SIGKILL");
  await server.stopped;
  await expect.poll(() => processesOn(kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
}

/** One, or none when it has ended since we looked. */
function kill(pid: number): number {
  try {
    return Number(process.kill(pid, "SIGKILL"));
  } catch {
    return 0;
  }
}

function report(what: string): void {
  const count = (attempts: Attempts, outcome: Outcome) =>
    [...attempts.values()].filter((each) => each === outcome).length;
  const line = (attempts: Attempts) =>
    `${count(attempts, "acknowledged")} kept, ${count(attempts, "refused")} not`;
  console.log(`${what}, ${ROUNDS} rounds: pushes ${line(pushes)}; imports ${line(imports)}`, refusals);
}

describe(`kill -9 under pushes and imports, ${ROUNDS} rounds`, () => {
  it("of the server: every request is kept once as a whole, or not at all", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const stop = new AbortController();
      const writing = writeAll(stop.signal);
      // From the start of the engines to the middle of the work.
      await sleep(300 + Math.random() * 3_000);
      stop.abort();
      await killServer();
      await writing;
      leftBehind += (await strayFiles()).length;
      server = await kenning.serve(env);
      await verifyPushes();
      await verifyImports();
      expect(await strayFiles()).toEqual([]);
    }
    report("kill -9 of the server");
    console.log(`${leftBehind} files and folders were left behind, and swept`);
  }, 600_000);

  it("of its engines: the same, and the server goes on", async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const stop = new AbortController();
      const writing = writeAll(stop.signal);
      const end = performance.now() + 3_000;
      let killed = 0;
      while (isRunning() && (performance.now() < end || killed === 0)) {
        await sleep(100 + Math.random() * 1_400);
        const engines = processesOn(join(kenning.dataFolder, "engine")).filter(({ folder }) =>
          folder.startsWith(join(kenning.dataFolder, "engine")),
        );
        for (const { pid } of engines) if (Math.random() < 0.7) killed += kill(pid);
      }
      stop.abort();
      await writing;
      expect(isRunning()).toBe(true);
      expect([...pushes.values(), ...imports.values()]).not.toContain("unanswered");
      await verifyPushes();
      await verifyImports();
      expect(await strayFiles()).toEqual([]);
    }
    report("kill -9 of the engines");
  }, 600_000);
});
