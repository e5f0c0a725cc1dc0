import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { idsOf, MemoryClient } from "../../../../test/support/memory.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const acme = new MemoryClient(server, await server.token({ kind: "memory" }));

describe("recall", () => {
  it("[memory.recall.hops] brings what is related with the hit, as far as hops says, or two hops", async () => {
    const anna = await acme.store("Anna leads the onboarding.", { tags: ["person"] });
    const tomasz = await acme.store("Tomasz has the keys.", { tags: ["person"] });
    const vault = await acme.store("A room below the ground.");
    const gold = await acme.store("Heavy and yellow.");
    await acme.call("link", { from_id: anna, to_id: tomasz, rel_type: "KNOWS" });
    await acme.call("link", { from_id: tomasz, to_id: vault, rel_type: "OWNS" });
    await acme.call("link", { from_id: gold, to_id: vault, rel_type: "LOCATED_IN" });
    const [bare, ...none] = await acme.recall("onboarding", { hops: 0 });
    expect([bare?.memory_id, bare?.related, none]).toEqual([anna, undefined, []]);
    const one = {
      memory_id: tomasz,
      title: "Tomasz has the keys.",
      content: "Tomasz has the keys.",
      rel_type: "KNOWS",
      direction: "outgoing",
      related_to: anna,
      distance: 1,
    };
    const two = { memory_id: vault, rel_type: "OWNS", related_to: tomasz, distance: 2 };
    const three = { memory_id: gold, rel_type: "LOCATED_IN", direction: "incoming", related_to: vault };
    expect(await acme.recall("onboarding", { hops: 1, k: 1 })).toMatchObject([
      { memory_id: anna, related: [one] },
    ]);
    expect((await acme.recall("onboarding"))[0]?.related).toMatchObject([one, two]);
    expect((await acme.recall("onboarding", { hops: 3 }))[0]?.related).toMatchObject([one, two, three]);
  });

  it("[memory.recall.companions] counts hits by k and brings companions beside them, with the best hits first", async () => {
    const crane = await acme.store("The harbour crane lifts 40 tons.");
    const strangers = await Promise.all(
      ["repair", "paint", "noise", "light"].map((what) => acme.store(`The harbour crane's ${what} is due.`)),
    );
    const permit = await acme.store("Permit 7 of the port authority.");
    await acme.call("link", { from_id: crane, to_id: permit, rel_type: "DEPENDS_ON" });
    const query = "How many tons does the harbour crane lift?";
    const hits = await acme.recall(query, { k: 4 });
    expect(hits).toHaveLength(4);
    expect(hits[0]).toMatchObject({
      memory_id: crane,
      related: [{ memory_id: permit, rel_type: "DEPENDS_ON", direction: "outgoing", distance: 1 }],
    });
    expect(idsOf(hits)).not.toContain(permit);
    const [from_id, to_id] = [strangers[0], crane];
    await acme.call("link", { from_id, to_id, rel_type: "ABOUT" });
    const [first] = await acme.recall(query);
    const both = first?.related?.find(({ memory_id }) => memory_id === from_id);
    expect(both).toMatchObject({ rel_type: "ABOUT", direction: "incoming", related_to: crane });
    expect(both).not.toHaveProperty("content");
    const token = await server.token();
    await callTool(server, token, "retract_memory", { memory_id: permit });
    const still = (await acme.recall(query)).flatMap(({ related = [] }) => idsOf(related));
    expect(still).not.toContain(permit);
  });

  it("[memory.recall.companions] bounds them: five of a hit, ten of a recall, 2,000 characters of each", async () => {
    const hubs = await Promise.all(
      ["north", "south", "east"].map((where) => acme.store(`The turbine hall in the ${where}.`)),
    );
    for (const from_id of hubs)
      for (let i = 0; i < 7; i += 1) {
        const to_id = await acme.store(`${"long ".repeat(1_000)}${i}`);
        await acme.call("link", { from_id, to_id, rel_type: "RELATED_TO" });
      }
    const hits = await acme.recall("turbine hall", { k: 3 });
    expect(new Set(idsOf(hits))).toEqual(new Set(hubs));
    const each = hits.map(({ related }) => related ?? []);
    expect(Math.max(...each.map(({ length }) => length))).toBe(5);
    expect(each.flat()).toHaveLength(10);
    for (const { content } of each.flat()) expect(content?.length).toBe(2_001);
  });

  it("brings a document that is related, and not all sections of a document with one", async () => {
    const text = ["Boiler", "Valves", "Pumps"].map((name) => `# ${name}\n\nAll about ${name}.\n`).join("\n");
    const { document_id } = await acme.call("upload_document", { title: "Heating manual", content: text });
    const plant = await acme.store("The district plant at Lake Road.");
    await acme.call("link", { from_id: plant, to_id: document_id, rel_type: "REFERENCES" });
    const [hit] = await acme.recall("district plant Lake Road", { k: 1 });
    expect(hit?.related).toMatchObject([
      { memory_id: document_id, title: "Heating manual", rel_type: "REFERENCES", distance: 1 },
    ]);
    const [section] = await acme.recall("valves", { k: 1 });
    expect(section?.related).toMatchObject([
      { memory_id: document_id, rel_type: "HAS_CHUNK", direction: "incoming", distance: 1 },
      { memory_id: plant, rel_type: "REFERENCES", direction: "incoming", distance: 2 },
    ]);
  });

  it("[memory.recall.hybrid] finds by meaning what has no word of the question, and says why on /mcp", async () => {
    const id = await acme.store("The customer paid the invoice.");
    await acme.store("It will rain in the mountains tomorrow.");
    const query = "Who settled the bill?";
    await expect
      .poll(async () => idsOf(await acme.recall(query, { hops: 0 }))[0], { timeout: 60_000 })
      .toBe(id);
    const { result } = await callTool(server, await server.token(), "recall", { query, hops: 0, why: true });
    const { hits } = (result?.structuredContent ?? { hits: [] }) as {
      hits: { why: Record<string, number> }[];
    };
    expect(hits[0]?.why.meaning).toBeGreaterThan(0.4);
    expect(hits[0]?.why.words ?? 0).toBeLessThan(0.1);
  });

  it("prefers what the named person says to what others say, and answers to questions", async () => {
    const source = "session 1, 1:10 pm on 27 March, 2023";
    const asked = await acme.store("Maria: Did you buy the piano, Jon?", { source });
    const said = await acme.store("Jon: Yes, the piano is a dream.", { source });
    const ids = idsOf(await acme.recall("What does Jon say of the piano?", { k: 2 }));
    expect(ids[0]).toBe(said);
    expect(ids).toContain(asked);
  });

  it("[memory.recall.german] finds German words by their stems, and titles where there is no text in common", async () => {
    const id = await acme.store("Er zahlt jährlich.", { title: "Mitgliedsbeiträge des Vereins" });
    expect(idsOf(await acme.recall("Mitgliedsbeitrag", { hops: 0 }))).toEqual([id]);
    const [hit] = await acme.recall("Mitgliedsbeitrag");
    expect(hit?.source).toBeNull();
    const training = await acme.store("Alle Mitarbeiterinnen besuchen jedes Jahr eine Sicherheitsschulung.");
    expect(idsOf(await acme.recall("Wann sind Schulungen zur Sicherheit?", { hops: 0 }))[0]).toBe(training);
  });
});
