import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CommandLine } from "../support/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { processesOn } from "../support/processes.ts";

/**
 * Memories survive kill -9 of the server: what was acknowledged is there and can be recalled, versions follow each other
 * without a gap, and no relation is there by half.
 */

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 20 : 2;
const WRITERS = 3;

let kenning: CommandLine;
let database: TestDatabase;
let env: Record<string, string>;
let token: string;
let server: Awaited<ReturnType<CommandLine["serve"]>>;
/** What the server has said yes to. */
const acknowledged = { contents: new Map<string, string>(), links: new Set<string>() };
let last = 0;

beforeAll(async () => {
  kenning = await CommandLine.open();
  database = await createTestDatabase();
  env = { DATABASE_URL: database.url };
  const who = ["--workspace", "acme"];
  await kenning.call(["workspace", "create", "acme"], { env });
  await kenning.call(["user", "create", "w@example.com", ...who, "--role", "contributor"], { env });
  const words = ["token", "create", "--user", "w@example.com", ...who, "--kind", "api"];
  token = (await kenning.call(words, { env })).out.trim();
  server = await kenning.serve(env);
}, 300_000);
afterAll(async () => {
  server.child.kill("SIGKILL");
  await server.stopped;
  await database.drop();
  kenning.remove();
});

async function call<T>(name: string, args: object): Promise<T> {
  const response = await fetch(`${kenning.url}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const { result } = (await response.json()) as { result?: { isError?: boolean; structuredContent: T } };
  if (result === undefined || result.isError === true)
    throw new Error(`${name} failed: ${JSON.stringify(result)}`);
  return result.structuredContent;
}

/** Stores, updates and links without pause until the server is gone. */
async function write(): Promise<void> {
  let former: string | undefined;
  try {
    for (;;) {
      const word = `kestrel${++last}`;
      const { memory_id } = await call<{ memory_id: string }>("store_memory", {
        content: `The ${word} nests.`,
      });
      acknowledged.contents.set(memory_id, word);
      const update = { target_id: memory_id, new_title: word, new_content: `The ${word} has left.` };
      const { new_memory_id } = await call<{ new_memory_id: string }>("update_fact", update);
      acknowledged.contents.set(new_memory_id, word);
      if (former !== undefined) {
        await call("link_memories", { from_id: new_memory_id, to_id: former, rel_type: "DEPENDS_ON" });
        acknowledged.links.add(`${new_memory_id} ${former}`);
      }
      former = new_memory_id;
    }
  } catch {
    // It was killed.
  }
}

async function verify(): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    const said = await client.query<{ key: string }>("select key from memory_versions");
    const keys = new Set(said.rows.map(({ key }) => key));
    expect([...acknowledged.contents.keys()].filter((key) => !keys.has(key))).toEqual([]);
    const gaps = await client.query(`
      select memory_id from memory_versions group by memory_id
      having count(*) <> max(version) or count(*) filter (where superseded_at is null) <> 1`);
    expect(gaps.rows).toEqual([]);
    const halves = await client.query(`
      select one.id from memory_relations one where not exists (
        select from memory_relations other where other.from_id = one.to_id and other.to_id = one.from_id
          and other.is_inverse <> one.is_inverse and (other.ended_at is null) = (one.ended_at is null))`);
    expect(halves.rows).toEqual([]);
    const links = await client.query<{ link: string }>(`
      select a.key || ' ' || b.key as link from memory_relations r
      join memory_versions a on a.memory_id = r.from_id join memory_versions b on b.memory_id = r.to_id
      where r.type = 'DEPENDS_ON' and a.superseded_at is null and b.superseded_at is null`);
    const there = new Set(links.rows.map(({ link }) => link));
    expect([...acknowledged.links].filter((link) => !there.has(link))).toEqual([]);
  } finally {
    await client.end();
  }
  for (const [key, word] of [...acknowledged.contents].slice(-6)) {
    const ask = { query: word, k: 3, hops: 0, superseded: true };
    const { hits } = await call<{ hits: { memory_id: string }[] }>("recall", ask);
    expect(hits.map(({ memory_id }) => memory_id)).toContain(key);
  }
}

it(`kill -9 under stores, updates and links, ${ROUNDS} rounds: nothing acknowledged is lost`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const writing = Promise.all(Array.from({ length: WRITERS }, write));
    const before = acknowledged.links.size;
    await expect.poll(() => acknowledged.links.size, { timeout: 60_000 }).toBeGreaterThan(before);
    await sleep(Math.random() * 2_000);
    server.child.kill("SIGKILL");
    await server.stopped;
    await expect.poll(() => processesOn(kenning.dataFolder), { timeout: 60_000 }).toEqual([]);
    await writing;
    server = await kenning.serve(env);
    await verify();
  }
  console.log(`${acknowledged.contents.size} versions and ${acknowledged.links.size} relations were kept`);
}, 900_000);
