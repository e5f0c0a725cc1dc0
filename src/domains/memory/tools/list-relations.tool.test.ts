import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { acme, stop } = await startMemory();
afterAll(stop);

describe("list_relations", () => {
  it("[memory.update.history] goes on with the new version of what it is about, by any of its ids", async () => {
    const book = await acme.store("The handbook.");
    const page = await acme.store("A page.");
    await acme.call("link", { from_id: book, to_id: page, rel_type: "REFERENCES" });
    const args = { target_id: page, new_title: "Page", new_content: "A better page." };
    const { new_memory_id } = await acme.call("update_fact", args);
    expect((await acme.call("list_relations", { memory_id: book })).outgoing).toMatchObject([
      { rel_type: "REFERENCES", to: new_memory_id },
    ]);
    for (const memory_id of [page, new_memory_id])
      expect((await acme.call("list_relations", { memory_id })).incoming).toContainEqual(
        expect.objectContaining({ rel_type: "REFERENCES", from: book }),
      );
  });
});
