import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { acme, stop } = await startMemory();
afterAll(stop);

describe("unlink_memories", () => {
  it("[memory.unlink.result] takes both directions, by either name, and can be linked anew", async () => {
    const from_id = await acme.store("left");
    const to_id = await acme.store("right");
    await acme.call("link", { from_id, to_id, rel_type: "DEPENDS_ON" });
    expect(await acme.error("unlink", { from_id, to_id, rel_type: "PART_OF" })).toMatchObject({ code: 404 });
    expect(await acme.error("unlink", { from_id, to_id, rel_type: "NEVER_HEARD" })).toMatchObject({
      code: 404,
    });
    const inverse = { from_id: to_id, to_id: from_id, rel_type: "REQUIRED_BY" };
    expect(await acme.call("unlink", inverse)).toEqual({ deleted: true });
    expect(await acme.call("stats")).toMatchObject({ edges: 0 });
    await acme.call("link", { from_id, to_id, rel_type: "DEPENDS_ON" });
    expect((await acme.call("list_relations", { memory_id: from_id })).outgoing).toHaveLength(1);
  });
});
