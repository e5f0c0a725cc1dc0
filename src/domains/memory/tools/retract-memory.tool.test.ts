import { afterAll, describe, expect, it } from "vitest";
import { idsOf, startMemory } from "../../../../test/support/memory.ts";

const { acme, call, stop } = await startMemory();
afterAll(stop);

describe("retract_memory", () => {
  it("[memory.update.history] takes it out of every recall, and keeps what was known before", async () => {
    const memory_id = await acme.store("The ferry leaves at noon.");
    const pier = await acme.store("The pier.");
    await acme.call("link", { from_id: memory_id, to_id: pier, rel_type: "LOCATED_IN" });
    const known_at = new Date().toISOString();
    await expect.poll(() => new Date().toISOString() > known_at).toBe(true);
    const { retracted_at } = await call("retract_memory", { memory_id, reason: "It never did" });
    expect((await call("retract_memory", { memory_id })).retracted_at).toBe(retracted_at);
    expect(idsOf(await acme.recall("ferry noon", { hops: 0 }))).not.toContain(memory_id);
    expect(idsOf(await acme.at("ferry noon", known_at))).not.toContain(memory_id);
    const asked = { query: "ferry noon", as_of: known_at, known_at };
    expect((await call("recall_at_time", asked)).hits[0]).toMatchObject({ memory_id });
    expect(await acme.call("list_relations", { memory_id: pier })).toEqual({ outgoing: [], incoming: [] });
    expect((await call("list_relations", { memory_id: pier, known_at })).incoming).toHaveLength(1);
    const update = { target_id: memory_id, new_title: "t", new_content: "c" };
    expect(await acme.error("update_fact", update)).toMatchObject({ code: 404 });
    expect(await call("get_memory", { memory_id })).toMatchObject({
      retracted_at,
      retraction_reason: "It never did",
    });
    expect((await call("list_memories", { state: "retracted" })).memories).toMatchObject([{ memory_id }]);
  });

  it("takes a document with its sections, and no section by itself", async () => {
    const { document_id } = await acme.call("upload_document", { content: "# Gulls\n\nGulls eat chips." });
    const [{ to }] = (await acme.call("list_relations", { memory_id: document_id })).outgoing;
    expect((await call("retract_memory", { memory_id: to })).error).toMatch(/belongs to its document/);
    const before = await acme.call("stats");
    await call("retract_memory", { memory_id: document_id });
    expect(idsOf(await acme.recall("gulls chips"))).not.toContain(to);
    const after = await acme.call("stats");
    expect(after).toEqual({
      memories: before.memories - 1,
      edges: before.edges - 2,
      chunks: before.chunks - 1,
    });
  });
});
