import { afterAll, describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { idsOf, startMemory } from "../../../../test/support/memory.ts";

const { server, acme, stop } = await startMemory();
afterAll(stop);

/** What /mcp takes beyond the contract. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at whatever there is.
async function onMcp(tool: string, args: Record<string, unknown>): Promise<any> {
  return (await callTool(server, await server.token(), tool, args)).result?.structuredContent;
}

describe("link_memories", () => {
  it("[memory.link.result] makes one relation of many at once, from whichever end", async () => {
    const a = await acme.store("left");
    const b = await acme.store("right");
    const links = Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0
        ? acme.call("link", { from_id: a, to_id: b, rel_type: "PART_OF" })
        : acme.call("link", { from_id: b, to_id: a, rel_type: "HAS_PART" }),
    );
    await Promise.all(links);
    expect((await acme.call("stats")).edges).toBe(2);
    const seen = await acme.call("list_relations", { memory_id: a });
    expect([...seen.outgoing, ...seen.incoming]).toHaveLength(2);
  });

  it("of those who link and unlink the same at once, each is told what happened", async () => {
    const ends = {
      from_id: await acme.store("one"),
      to_id: await acme.store("other"),
      rel_type: "RELATED_TO",
    };
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => acme.error(i % 2 === 0 ? "link" : "unlink", ends)),
    );
    expect(answers.filter((error) => error !== undefined && error.code !== 404)).toEqual([]);
    await acme.call("link", ends);
    expect((await acme.call("list_relations", { memory_id: ends.to_id })).incoming).toHaveLength(1);
  });

  it("[memory.link.supersedes] SUPERSEDES, from either end, makes the old one former and unlinking brings it back", async () => {
    const query = "Which plan is Kranich AG on?";
    const old = await acme.store("Kranich AG is on the plan Business.");
    const before = new Date().toISOString();
    await expect.poll(() => new Date().toISOString() > before).toBe(true);
    const newer = await acme.store("Kranich AG is on the plan Enterprise.");
    for (const link of [
      { from_id: newer, to_id: old, rel_type: "SUPERSEDES" },
      { from_id: old, to_id: newer, rel_type: "SUPERSEDED_BY" },
    ]) {
      const edges = await acme.call("link", link);
      expect(await acme.call("link", link)).toEqual(edges);
      const now = idsOf(await acme.recall(query));
      expect([now[0], now.includes(old)]).toEqual([newer, false]);
      expect(idsOf((await acme.call("recall_at_time", { query })).hits)).not.toContain(old);
      expect(idsOf(await acme.at(query, before))).toContain(old);
      expect(idsOf((await onMcp("recall", { query, superseded: true })).hits)).toContain(old);
      const update = { target_id: old, new_title: "Plan", new_content: "Kranich AG is on the plan Free." };
      expect(await acme.error("update_fact", update)).toMatchObject({
        code: 409,
        message: expect.stringContaining(newer),
      });
      await acme.call("unlink", link);
      expect(idsOf(await acme.recall(query))).toContain(old);
    }
    const { versions } = await onMcp("get_memory", { memory_id: old });
    const ways = ["superseded", "reinstated", "superseded", "reinstated"].map((way) => ({ way }));
    expect(versions).toMatchObject([{ ends: ways }]);
  });

  it("[memory.link.supersedes] ends a document with its sections, and what begins later only then", async () => {
    const upload = async (name: string) =>
      (await acme.call("upload_document", { title: name, content: `# Walrus\n\nWalrus rules, ${name}.` }))
        .document_id;
    const [first, second] = [await upload("first edition"), await upload("second edition")];
    expect(await acme.recall("walrus rules edition")).toHaveLength(2);
    await acme.call("link", { from_id: second, to_id: first, rel_type: "SUPERSEDES" });
    expect((await acme.recall("walrus rules edition")).map(({ content }) => content)).toEqual([
      expect.stringContaining("second edition"),
    ]);
    const old = await acme.store("The canteen closes at two.");
    const later = { content: "The canteen closes at three.", valid_from: "2999-01-01" };
    const { memory_id: from_id } = await onMcp("store_memory", later);
    await acme.call("link", { from_id, to_id: old, rel_type: "SUPERSEDES" });
    expect(idsOf(await acme.recall("canteen closes"))).toContain(old);
    expect(idsOf(await acme.at("canteen closes", "2998-12-31"))).toEqual([old]);
    expect(idsOf(await acme.at("canteen closes", "2999-01-02"))).toEqual([from_id]);
  });

  it.each(["SUPERSEDES", "SUPERSEDED_BY", "PART_OF", "PRECEDES", "REPORTS_TO"])(
    "[memory.link.acyclic] refuses a circle of %s, however long, also of two at once",
    async (rel_type) => {
      const [a = "", b = "", c = ""] = await Promise.all(
        ["one", "two", "three"].map((name) => acme.store(`${rel_type} ${name}`)),
      );
      await acme.call("link", { from_id: a, to_id: b, rel_type });
      await acme.call("link", { from_id: b, to_id: c, rel_type });
      for (const from_id of [b, c])
        expect(await acme.error("link", { from_id, to_id: a, rel_type })).toMatchObject({
          code: 400,
          message: expect.stringMatching(/circle/),
        });
      expect((await acme.call("list_relations", { memory_id: a })).outgoing).toHaveLength(1);
      const [d, e] = [await acme.store(`${rel_type} four`), await acme.store(`${rel_type} five`)];
      const errors = await Promise.all([
        acme.error("link", { from_id: d, to_id: e, rel_type }),
        acme.error("link", { from_id: e, to_id: d, rel_type }),
      ]);
      expect(errors.filter((error) => error !== undefined)).toMatchObject([{ code: 400 }]);
    },
  );
});
