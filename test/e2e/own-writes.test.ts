import { expect, it } from "vitest";
import { MemoryClient } from "../support/memory.ts";
import { serverOfFile } from "../support/server.ts";

const server = await serverOfFile({ env: { RATE_LIMIT_ENABLED: "false" } });

/** What is acknowledged is found by the next search, whoever else stores and searches meanwhile. */
it("finds each memory right after it was stored, beside others who do the same", async () => {
  const acme = new MemoryClient(server, await server.token({ kind: "memory" }));
  await acme.recall("anything");
  const missed: string[] = [];
  const work = async (hall: number) => {
    for (let i = 0; i < 12; i += 1) {
      const content = `Locker ${hall}x${i} opens with the code ${hall * 100 + i}.`;
      const id = await acme.store(content);
      const hits = await acme.recall(`locker ${hall}x${i} code`, { k: 25 });
      if (!hits.some(({ memory_id }) => memory_id === id)) missed.push(content);
    }
  };
  await Promise.all(Array.from({ length: 8 }, (_, hall) => work(hall)));
  expect(missed).toEqual([]);
});
