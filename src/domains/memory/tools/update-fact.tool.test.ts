import { afterAll, describe, expect, it } from "vitest";
import { idsOf, startMemory } from "../../../../test/support/memory.ts";

const { acme, stop } = await startMemory();
afterAll(stop);

describe("update_fact", () => {
  it("[memory.update.history] keeps every version, each with its own id", async () => {
    let target_id = await acme.store("Version 1 of the anchor.", { title: "anchor" });
    const ids = [target_id];
    for (const n of [2, 3, 4]) {
      const args = { target_id, new_title: "anchor", new_content: `Version ${n} of the anchor.` };
      ({ new_memory_id: target_id } = await acme.call("update_fact", args));
      ids.push(target_id);
    }
    expect(ids.map((id) => id.replace(ids[0] as string, ""))).toEqual(["", "_v2", "_v3", "_v4"]);
    expect(idsOf(await acme.recall("anchor"))).toEqual([target_id]);
    const stale = await acme.error("update_fact", { target_id: ids[1], new_title: "t", new_content: "c" });
    expect(stale).toMatchObject({ code: 409, data: { current_id: target_id } });
    expect(
      await acme.error("unlink", { from_id: ids[1], to_id: ids[0], rel_type: "SUPERSEDES" }),
    ).toMatchObject({
      code: 400,
    });
  });

  it("ends the relations to what the new text no longer mentions, and keeps the others", async () => {
    for (const title of ["Mast", "Keel", "Rudder"]) await acme.store(`A part: ${title}.`, { title });
    const rope = await acme.store("A rope.", { title: "Rope" });
    const note = await acme.store("See [[Mast]], @keel and [[Rope]].", { title: "Parts" });
    await acme.call("link", { from_id: note, to_id: rope, rel_type: "SUPPORTS" });
    const update = {
      target_id: note,
      new_title: "Parts",
      new_content: `See [[KEEL]], @rudder; no longer it.`,
    };
    const { new_memory_id: memory_id } = await acme.call("update_fact", update);
    const { outgoing } = await acme.call("list_relations", { memory_id });
    const found = outgoing.map(({ rel_type, to }: { rel_type: string; to: string }) => [
      rel_type,
      to.split("_")[1],
    ]);
    expect(found.filter(([type]: string[]) => type !== "SUPERSEDES").toSorted()).toEqual([
      ["REFERENCES_ENTITY", "keel"],
      ["REFERENCES_ENTITY", "rudder"],
      ["SUPPORTS", "rope"],
    ]);
    expect(await acme.call("list_relations", { memory_id: rope })).toMatchObject({
      incoming: [{ rel_type: "SUPPORTS" }],
    });
  });
});
