import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { idsOf, MemoryClient } from "../../../../test/support/memory.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let acme: MemoryClient;

beforeAll(async () => {
  server = await startTestServer();
  acme = new MemoryClient(server, await server.token({ kind: "memory" }));
});
afterAll(() => server.stop());

describe("recall", () => {
  it("[memory.recall.hops] brings what is related, as far as hops says, or two hops", async () => {
    const anna = await acme.store("Anna leads the onboarding.", { tags: ["person"] });
    const tomasz = await acme.store("Tomasz has the keys.", { tags: ["person"] });
    const vault = await acme.store("A room below the ground.");
    const gold = await acme.store("Heavy and yellow.");
    await acme.call("link", { from_id: anna, to_id: tomasz, rel_type: "KNOWS" });
    await acme.call("link", { from_id: tomasz, to_id: vault, rel_type: "OWNS" });
    await acme.call("link", { from_id: vault, to_id: gold, rel_type: "RELATED_TO" });
    expect(idsOf(await acme.recall("onboarding", { hops: 0 }))).toEqual([anna]);
    expect(idsOf(await acme.recall("onboarding", { hops: 1 }))).toEqual([anna, tomasz]);
    const hits = await acme.recall("onboarding");
    expect(new Set(idsOf(hits))).toEqual(new Set([anna, tomasz, vault]));
    expect(hits[0]?.memory_id).toBe(anna);
    expect(idsOf(await acme.recall("onboarding", { hops: 3 }))).toContain(gold);
    expect(hits.every(({ score }, i) => score <= (hits[i - 1]?.score ?? 1))).toBe(true);
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
