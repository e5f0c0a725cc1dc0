import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { MemoryClient } from "../../../../test/support/memory.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const acme = new MemoryClient(server, await server.token({ kind: "memory" }));

describe("store_memory", () => {
  it("gives ids that people can read and that nobody else has", async () => {
    const title = "Ärger mit der Straße: größer & schöner";
    const ids = await Promise.all(Array.from({ length: 8 }, () => acme.store("x", { title })));
    expect(new Set(ids).size).toBe(8);
    for (const id of ids) expect(id).toMatch(/^memory_aerger_mit_strasse_groesser_schoener_\d{4}_\d{2}/);
    expect(await acme.store("東京は晴れ")).toMatch(/^memory_\d{4}_\d{2}/);
  });

  it("keeps what is hostile as it is", async () => {
    const content = "'; DROP TABLE memories; -- <script>alert(1)</script> \u{1F980} %_\\";
    await acme.store(content, { title: "Hostile crab", tags: ["a", "a", "'"] });
    expect((await acme.recall("hostile crab"))[0]?.content).toBe(content);
  });

  it("relates a text to what it mentions, also to what comes later, and to no e-mail address", async () => {
    const atlas = await acme.store("A project.", { title: "Atlas" });
    const note = await acme.store(
      "Met @atlas and [[Anna Berg|Anna]]; write to x@atlas.example. [[Never there]]",
    );
    const anna = await acme.store("A person.", { title: "Anna Berg" });
    const { outgoing } = await acme.call("list_relations", { memory_id: note });
    expect(
      outgoing.map(({ rel_type, to }: { rel_type: string; to: string }) => [rel_type, to]).toSorted(),
    ).toEqual([atlas, anna].map((to) => ["REFERENCES_ENTITY", to]).toSorted());
    const { incoming } = await acme.call("list_relations", { memory_id: atlas });
    expect(incoming).toMatchObject([{ rel_type: "REFERENCES_ENTITY", from: note }]);
    await server.app.identity.workspaces.create({ slug: "other" });
    const other = new MemoryClient(server, await server.token({ kind: "memory", workspace: "other" }));
    const theirs = await other.store("Met @atlas.");
    expect(await other.call("list_relations", { memory_id: theirs })).toEqual({ outgoing: [], incoming: [] });
  });

  it("tells on /mcp what says nearly the same, and does nothing about it", async () => {
    const token = await server.token();
    const store = async (content: string) => {
      const { result } = await callTool(server, token, "store_memory", { content });
      return result?.structuredContent as {
        memory_id: string;
        similar?: { memory_id: string; finding: string }[];
      };
    };
    const { memory_id, similar } = await store("The warranty of the pump runs for 24 months.");
    expect(similar).toBeUndefined();
    const findings: [string, string][] = [
      ["The warranty of the pump runs for 24 months!", "duplicate"],
      ["The warranty of the pump runs for 36 months.", "update"],
      ["The warranty of the pump does not run for 24 months.", "contradiction"],
      [
        "I was told this: the warranty of the pump runs for 24 months. So there is no need to buy a new one now.",
        "contained",
      ],
    ];
    for (const [content, finding] of findings) {
      const told = (await store(content)).similar ?? [];
      expect(told.find((one) => one.memory_id === memory_id)).toMatchObject({ finding });
    }
    expect(
      await acme.call("store_memory", { content: "The warranty of the pump runs for 24 months." }),
    ).toEqual({
      memory_id: expect.any(String),
      created_at: expect.any(String),
    });
    expect(await store("Whales sing at night.")).not.toHaveProperty("similar");
  });

  it("recognises what comes from a recall, and counts recalls", async () => {
    const token = await server.token();
    const of = async (tool: string, args: Record<string, unknown>) =>
      (await callTool(server, token, tool, args)).result?.structuredContent as Record<string, unknown>;
    const memory_id = await acme.store("The lighthouse keeper has seven cats.");
    const content = "The lighthouse keeper has seven cats!";
    expect((await of("store_memory", { content })).similar).toMatchObject([
      { memory_id, why: expect.not.stringContaining("recalled") },
    ]);
    for (let i = 0; i < 3; i += 1) await acme.recall("lighthouse keeper cats");
    expect((await of("store_memory", { content: `${content} ` })).similar).toContainEqual(
      expect.objectContaining({ memory_id, why: expect.stringContaining("was recalled a short while ago") }),
    );
    expect(await of("get_memory", { memory_id })).toMatchObject({
      recalls: 3,
      last_recalled_at: expect.stringMatching(/^2\d{3}-/),
    });
  });

  it("has room for 100 KB", async () => {
    await acme.store(`Walrus ${"x".repeat(102_400 - 7)}`);
    expect(await acme.recall("walrus")).toHaveLength(1);
  });

  it.each([
    ["The archive is on the second floor.", "The archive is on the third floor.", "contradiction"],
    ["Das Archiv liegt im zweiten Stock.", "Das Archiv liegt im dritten Stock.", "contradiction"],
    ["Der Mietvertrag läuft drei Jahre lang.", "Der Mietvertrag läuft fünf Jahre lang.", "contradiction"],
    ["The rent is due before the delivery.", "The rent is due after the delivery.", "contradiction"],
    ["Das Lager ist montags geschlossen.", "Das Lager ist freitags geschlossen.", "contradiction"],
    ["Das Tor ist nachts offen.", "Das Tor ist nachts nicht offen.", "contradiction"],
    ["The audit is on 3 May 2026 at noon.", "The audit is on 4 May 2026 at noon.", "update"],
    ["The key is with Anna in the hall.", "The key is with Tomasz in the hall.", "update"],
    ["The old lift has one mirror on its wall.", "The old lift had one mirror on its wall.", "duplicate"],
    ["Der Aufzug hat einen Spiegel an der Wand.", "Der Aufzug hatte einen Spiegel an der Wand!", "duplicate"],
  ])("tells another fact from the same one: %s %s", async (known, fresh, finding) => {
    const token = await server.token();
    const memory_id = await acme.store(known);
    const { result } = await callTool(server, token, "store_memory", { content: fresh });
    const { similar = [] } = (result?.structuredContent ?? {}) as { similar?: { memory_id: string }[] };
    expect(similar.find((one) => one.memory_id === memory_id)).toMatchObject({ finding });
  });
});
