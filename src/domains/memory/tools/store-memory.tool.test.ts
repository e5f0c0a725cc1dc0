import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MemoryClient } from "../../../../test/support/memory.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let acme: MemoryClient;

beforeAll(async () => {
  server = await startTestServer();
  acme = new MemoryClient(server, await server.token({ kind: "memory" }));
});
afterAll(() => server.stop());

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

  it("has room for 100 KB", async () => {
    await acme.store(`Walrus ${"x".repeat(102_400 - 7)}`);
    expect(await acme.recall("walrus")).toHaveLength(1);
  });
});
