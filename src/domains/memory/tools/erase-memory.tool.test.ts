import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { server, acme, call, stop } = await startMemory();
afterAll(stop);

describe("erase_memory", () => {
  it("leaves nothing of it, in no table and in no file of the index", async () => {
    const secret = "Zugzwangkrokodil";
    const memory_id = await acme.store(`The ${secret} is in room 12 with [[The mole]].`, { title: secret });
    await acme.store("A mole.", { title: "The mole" });
    await acme.recall(secret);
    await acme.call("update_fact", {
      target_id: memory_id,
      new_title: secret,
      new_content: `No ${secret} more.`,
    });
    expect(await call("erase_memory", { memory_id })).toEqual({ memory_id, versions: 2, relations: 2 });
    expect((await acme.recall(secret)).filter(({ content }) => content.includes(secret))).toEqual([]);
    const client = new pg.Client(server.databaseUrl);
    await client.connect();
    const counts = await client.query(
      `select
      (select count(*) from memories)::int as memories, (select count(*) from memory_versions)::int as versions,
      (select count(*) from memory_relations)::int as relations, (select count(*) from memory_mentions)::int as mentions,
      (select count(*) from memory_vectors v left join memory_versions m on m.id = v.version_id where m.id is null)::int as vectors,
      (select count(*) from outbox_events where payload::text ilike $1)::int as events`,
      [`%${secret}%`],
    );
    await client.end();
    expect(counts.rows).toEqual([
      { memories: 1, versions: 1, relations: 0, mentions: 0, vectors: 0, events: 0 },
    ]);
    const folder = join(server.home, "retrieval");
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name), "latin1").toLowerCase()).not.toContain(secret.toLowerCase());
    expect((await call("get_memory", { memory_id })).error).toMatch(/There is no memory/);
  });

  it("is for admins alone", async () => {
    const memory_id = await acme.store("A crab.");
    const contributor = await server.token({ role: "contributor" });
    expect((await call("erase_memory", { memory_id }, contributor)).error).toBeDefined();
    expect(await acme.recall("crab")).toHaveLength(1);
  });
});
