import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { idsOf, MemoryClient, type MemoryHit } from "../../../../test/support/memory.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const server = await serverOfFile();
const acme = new MemoryClient(server, await server.token({ kind: "memory" }));

describe("recall_at_time", () => {
  it("[memory.at-time.period] begins with the first moment, and ends before the last", async () => {
    const token = await server.token();
    const stored = await callTool(server, token, "store_memory", {
      content: "The kiosk opens at nine.",
      valid_from: "2026-02-01",
      valid_to: "2026-04-01T00:00:00+02:00",
    });
    const { memory_id } = (stored.result?.structuredContent ?? {}) as { memory_id?: string };
    const at = async (time: string) => idsOf(await acme.at("kiosk", time));
    expect(await at("2026-01-31T23:59:59.999Z")).toEqual([]);
    expect(await at("2026-02-01T00:00:00Z")).toEqual([memory_id]);
    expect(await at("2026-03-31T21:59:59Z")).toEqual([memory_id]);
    expect(await at("2026-03-31T22:00:00Z")).toEqual([]);
    expect(idsOf(await acme.recall("kiosk"))).toEqual([]);
    const wrong = { content: "x", valid_from: "2026-02-01", valid_to: "2026-01-01" };
    expect((await callTool(server, token, "store_memory", wrong)).result?.isError).toBe(true);
  });

  it("tells on /mcp what was believed at a time", async () => {
    const token = await server.token();
    const target_id = await acme.store("The mast is ten metres high.");
    const believed = new Date().toISOString();
    await expect.poll(() => new Date().toISOString() > believed).toBe(true);
    const args = { target_id, new_title: "Mast", new_content: "The mast is twelve metres high." };
    const { new_memory_id } = await acme.call("update_fact", args);
    const later = new Date(Date.now() + 60_000).toISOString();
    const ask = async (known_at: string) => {
      const wish = { query: "mast metres", as_of: later, known_at };
      const { result } = await callTool(server, token, "recall_at_time", wish);
      return idsOf(((result?.structuredContent ?? { hits: [] }) as { hits: MemoryHit[] }).hits);
    };
    expect(await ask(believed)).toEqual([target_id]);
    expect(await ask(later)).toEqual([new_memory_id]);
    for (const long of ["2001-01-01", "2001-01", "20010101", "20010101T000000Z", "20010101T120000+0200"])
      expect(await ask(long), long).toEqual([]);
    const compact = later.replace(/[-:]|\.\d+/g, "");
    expect(await ask(compact), compact).toEqual([new_memory_id]);
  });
});
