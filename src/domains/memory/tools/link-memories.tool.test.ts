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
    expect([...seen.outgoing, ...seen.incoming]).toHaveLength(1);
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
});
