import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { idsOf, MemoryClient } from "../../../../test/support/memory.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

let server: TestServer;
let acme: MemoryClient;

beforeAll(async () => {
  server = await startTestServer();
  acme = new MemoryClient(server, await server.token({ kind: "memory" }));
});
afterAll(() => server.stop());

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
});
