import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { server, acme, call, stop } = await startMemory();
afterAll(stop);

describe("get_memory", () => {
  it("tells who recorded what, when and why, by the id of any version", async () => {
    const target_id = await acme.store("Tea is at four.", {
      title: "Tea",
      tags: ["custom"],
      source: "house rules",
    });
    const update = {
      target_id,
      new_title: "Tea",
      new_content: "Tea is at five.",
      update_reason: "Summer time",
    };
    const { new_memory_id } = await acme.call("update_fact", update);
    await acme.recall("tea");
    for (const memory_id of [target_id, new_memory_id])
      expect(await call("get_memory", { memory_id })).toMatchObject({
        memory_id: new_memory_id,
        content: "Tea is at five.",
        tags: ["custom"],
        source: "house rules",
        created_by: expect.stringContaining("@"),
        versions: [
          {
            memory_id: target_id,
            content: "Tea is at four.",
            ends: [{ way: "superseded", reason: "Summer time" }],
          },
          { memory_id: new_memory_id, valid_to: null, update_reason: "Summer time" },
        ],
      });
    expect((await call("get_memory", { memory_id: "memory_none" })).error).toMatch(/There is no memory/);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    expect((await call("get_memory", { memory_id: target_id }, stranger)).error).toMatch(
      /There is no memory/,
    );
  });
});
