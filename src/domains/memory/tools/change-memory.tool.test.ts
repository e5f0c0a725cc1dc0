import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { server, acme, call, stop } = await startMemory();
afterAll(stop);

describe("change_memory", () => {
  it("pins, lets expire and marks as outdated, with a history that is kept", async () => {
    const memory_id = await acme.store("The lighthouse keeper is called Odile.");
    const other = await acme.store("A lighthouse keeper needs oil for the lighthouse.");
    const first = async () =>
      (await acme.recall("lighthouse keeper", { hops: 0 })).map((hit) => hit.memory_id);
    const before = await first();
    await call("change_memory", { memory_id: before[1], action: "pin" });
    const { hits } = await call("recall", { query: "lighthouse keeper", hops: 0, why: true });
    expect(hits.find((hit: { memory_id: string }) => hit.memory_id === before[1]).why.pinned).toBe(true);
    expect((await call("list_memories", { state: "pinned" })).total).toBe(1);
    await call("change_memory", { memory_id: before[1], action: "unpin" });
    expect((await call("list_memories", { state: "pinned" })).total).toBe(0);

    const outdated = await call("change_memory", {
      memory_id,
      action: "mark_outdated",
      reason: "She has left",
    });
    expect(outdated.valid_to).toMatch(/^\d{4}-/);
    expect(await first()).toEqual([other]);
    expect((await call("list_memories", { state: "ended" })).memories).toMatchObject([{ memory_id }]);
    const { versions } = await call("get_memory", { memory_id });
    expect(versions[0].ends).toMatchObject([{ way: "outdated", reason: "She has left" }]);

    await call("change_memory", { memory_id, action: "expire", valid_to: null });
    expect(await first()).toContain(memory_id);
    await call("change_memory", { memory_id, action: "expire", valid_to: "2999-01-01" });
    expect(await first()).toContain(memory_id);
  });

  it("refuses what makes no sense, and who may not", async () => {
    const memory_id = await acme.store("A buoy.");
    const refused: [Record<string, unknown>, RegExp][] = [
      [{ memory_id, action: "expire" }, /needs valid_to/],
      [{ memory_id, action: "pin", valid_to: "2030-01-01" }, /belongs to expire/],
      [{ memory_id, action: "expire", valid_to: "1999-01-01" }, /before valid_from/],
      [{ memory_id: "memory_none", action: "pin" }, /There is no memory/],
      [{ memory_id, action: "explode" }, /action/],
    ];
    for (const [args, reason] of refused) expect((await call("change_memory", args)).error).toMatch(reason);
    const viewer = await server.token({ role: "viewer" });
    expect((await call("change_memory", { memory_id, action: "pin" }, viewer)).error).toBeDefined();
  });
});
