import { existsSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { processesOn } from "../support/processes.ts";
import type { ToolResult } from "../support/rpc.ts";

/**
 * Documents survive kill -9 of the server while they are read, embedded and put into sealed segments: each one that was
 * acknowledged is found afterwards, and none is found twice.
 */

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 20 : 1;
const WRITERS = 3;
/** Each section is a passage: three documents are enough for an index to be sealed. */
const SECTIONS = 700;
const SEARCHED_AT_ONCE = 8;

type Outcome = "acknowledged" | "unanswered";

let kenning: CommandLine;
let database: TestDatabase;
let env: Record<string, string>;
let token: string;
let base: number;
let server: Awaited<ReturnType<CommandLine["serve"]>>;
const documents = new Map<number, Outcome>();
let lastNumber = 0;
let sealed = 0;

beforeAll(async () => {
  kenning = await CommandLine.open();
  // The model has been built already; a server that is killed meanwhile would begin again each time.
  mkdirSync(kenning.dataFolder);
  mkdirSync(inject("modelsFolder"), { recursive: true });
  symlinkSync(inject("modelsFolder"), join(kenning.dataFolder, "models"));
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url, RATE_LIMIT_ENABLED: "false" };
  const who = ["--workspace", "acme"];
  await kenning.call(["workspace", "create", "acme"], { env });
  await kenning.call(["user", "create", "w@example.com", ...who, "--role", "contributor"], { env });
  const words = ["token", "create", "--user", "w@example.com", ...who, "--kind", "api"];
  token = (await kenning.call(words, { env })).out.trim();
  server = await kenning.serve(env);
  base = (await resultOf<{ knowledge_base_id: number }>("create_knowledge_base", { name: "Files" }))
    .knowledge_base_id;
}, 300_000);
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.stopped;
  await database.drop();
  kenning.remove();
});

async function resultOf<T>(name: string, args: object): Promise<T> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result?: ToolResult };
  if (result === undefined || result.isError) throw new Error(result?.content[0]?.text ?? "no result");
  return result.structuredContent as T;
}

function textOf(number: number): string {
  const sections = Array.from(
    { length: SECTIONS },
    (_, n) => `## Part ${n}\n\nThe lamp ${n} of number ${number}.`,
  );
  sections[number % SECTIONS] += ` Its mark is ${mark(number)}.`;
  return sections.join("\n\n");
}

function mark(number: number): string {
  return `mark${number}end`;
}

async function write(stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    lastNumber += 1;
    const number = lastNumber;
    documents.set(number, "unanswered");
    const args = { knowledge_base_id: base, file_name: `number-${number}.md`, content: textOf(number) };
    try {
      await resultOf("add_document", args);
      documents.set(number, "acknowledged");
    } catch {
      return;
    }
  }
}

async function untilAllRead(): Promise<void> {
  const unread = async () => {
    const all = { limit: 200, knowledge_base_id: base };
    const { documents: listed } = await resultOf<{ documents: { index_status: string }[] }>(
      "list_documents",
      all,
    );
    return listed.filter(({ index_status }) => index_status !== "success").length;
  };
  await expect.poll(unread, { timeout: 180_000, interval: 500 }).toBe(0);
}

/** How often a document is found by its mark. */
async function timesFound(number: number): Promise<number> {
  const { records } = await resultOf<{ records: { content: string; title: string }[] }>("search_documents", {
    query: mark(number),
    max_results: 20,
  });
  return records.filter(({ content }) => content.includes(mark(number))).length;
}

async function verify(numbers: readonly number[]): Promise<void> {
  await untilAllRead();
  for (let at = 0; at < numbers.length; at += SEARCHED_AT_ONCE)
    await Promise.all(
      numbers.slice(at, at + SEARCHED_AT_ONCE).map(async (number) => {
        const found = await timesFound(number);
        if (documents.get(number) === "acknowledged") expect([number, found]).toEqual([number, 1]);
        else if (found === 0) documents.delete(number);
        else documents.set(number, "acknowledged");
      }),
    );
}

function segments(): string[] {
  const folder = join(kenning.dataFolder, "retrieval");
  return existsSync(folder) ? readdirSync(folder) : [];
}

it(`keeps what was acknowledged, once, through ${ROUNDS} rounds of kill -9`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const stop = new AbortController();
    const before = lastNumber;
    const writing = Promise.all(Array.from({ length: WRITERS }, () => write(stop.signal)));
    await sleep(500 + Math.random() * 5_000);
    stop.abort();
    server.child.kill("SIGKILL");
    await server.stopped;
    await writing;
    await expect.poll(() => processesOn(kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
    sealed += segments().filter((name) => name.endsWith(".index")).length;
    server = await kenning.serve(env);
    await verify([...documents.keys()].filter((number) => number > before));
  }
  await verify([...documents.keys()]);
  const kept = [...documents.values()].filter((outcome) => outcome === "acknowledged").length;
  console.log(
    `${ROUNDS} rounds: ${kept} documents found once each; a sealed segment was there ${sealed} times`,
  );
}, 1_800_000);
