import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { acme, call, stop } = await startMemory();
afterAll(stop);

describe("list_memories", () => {
  it("filters by what memories are, page by page", async () => {
    for (let i = 0; i < 5; i += 1)
      await acme.store(`Sheep number ${i}.`, {
        tags: i % 2 ? ["odd", "sheep"] : ["sheep"],
        source: `pen ${i}`,
      });
    await acme.store("How to shear a sheep.", { memory_type: "procedural" });
    const ids = async (args: object) =>
      (await call("list_memories", args as Record<string, unknown>)).memories.map(
        (each: { excerpt: string }) => each.excerpt,
      );
    expect(await ids({ tags: ["odd", "sheep"] })).toEqual(["Sheep number 3.", "Sheep number 1."]);
    expect(await ids({ memory_type: "procedural" })).toEqual(["How to shear a sheep."]);
    expect(await ids({ source: "pen 2" })).toEqual(["Sheep number 2."]);
    expect(await ids({ text: "NUMBER 4" })).toEqual(["Sheep number 4."]);
    expect(await ids({ before: "2001-01-01" })).toEqual([]);
    expect(await ids({ since: "2001-01-01", limit: 2 })).toHaveLength(2);
    const seen: string[] = [];
    for (let cursor: number | null | undefined; cursor !== null; ) {
      const page = await call("list_memories", { limit: 4, ...(cursor !== undefined && { cursor }) });
      expect(page.total).toBe(6);
      seen.push(...page.memories.map((each: { memory_id: string }) => each.memory_id));
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(6);
  });

  it("narrows a recall down by the same", async () => {
    const contents = async (args: object) =>
      (await call("recall", { query: "sheep", hops: 0, k: 25, ...args })).hits.map(
        (hit: { content: string }) => hit.content,
      );
    expect((await contents({ tags: ["odd"] })).toSorted()).toEqual(["Sheep number 1.", "Sheep number 3."]);
    expect(await contents({ memory_type: "procedural" })).toEqual(["How to shear a sheep."]);
    expect(await contents({ source: "PEN 2" })).toEqual(["Sheep number 2."]);
    expect(await contents({ before: "2001-01-01" })).toEqual([]);
    expect(await contents({ since: "2001-01-01" })).toHaveLength(6);
  });
});
