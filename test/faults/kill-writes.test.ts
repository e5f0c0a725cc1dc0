import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { processesOn } from "../support/processes.ts";
import { KilledServer, type Writer } from "./killed-server.ts";
import { DocumentsWriter } from "./writers/documents.ts";
import { MemoriesWriter } from "./writers/memories.ts";
import { RowsWriter } from "./writers/rows.ts";

/** Rows, documents and memories survive kill -9 of the server, and rows that of its engines. */

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 20 : 2;

let server: KilledServer;
let rows: RowsWriter;
let memories: MemoriesWriter;

beforeAll(async () => {
  server = await KilledServer.make({ RATE_LIMIT_ENABLED: "false" });
  rows = new RowsWriter(server);
  memories = new MemoriesWriter(server);
  await server.start();
}, 300_000);
afterAll(() => server.remove());

describe(`kill -9 under writes of all kinds, ${ROUNDS} rounds`, () => {
  it("of the server: what was acknowledged is there once, and nothing is there by half", async () => {
    const writers: Writer[] = [rows, memories, new DocumentsWriter(server)];
    for (let round = 0; round < ROUNDS; round += 1) {
      const stop = new AbortController();
      const before = memories.links;
      const writing = Promise.all(writers.map((writer) => writer.write(stop.signal)));
      // From the start of the engines to the middle of the work.
      await expect.poll(() => memories.links, { timeout: 60_000 }).toBeGreaterThan(before);
      await sleep(300 + Math.random() * 3_000);
      stop.abort();
      await server.kill();
      await writing.catch(() => undefined);
      for (const writer of writers) await writer.autopsy?.();
      await server.start();
      for (const writer of writers) await writer.verify(round === ROUNDS - 1);
    }
    for (const writer of writers) console.log(`kill -9, ${ROUNDS} rounds: ${writer.report()}`);
  }, 1_800_000);

  it("of its engines: the same for rows, and the server goes on", async () => {
    const folder = join(server.kenning.dataFolder, "engine");
    for (let round = 0; round < ROUNDS; round += 1) {
      const stop = new AbortController();
      const writing = rows.write(stop.signal);
      const end = performance.now() + 3_000;
      let killed = 0;
      while (server.isRunning && (performance.now() < end || killed === 0)) {
        await sleep(100 + Math.random() * 1_400);
        const engines = processesOn(folder).filter((one) => one.folder.startsWith(folder));
        for (const { pid } of engines) if (Math.random() < 0.7) killed += kill(pid);
      }
      stop.abort();
      await writing;
      expect(server.isRunning).toBe(true);
      expect(rows.unanswered).toBe(0);
      await rows.verify();
    }
    console.log(`kill -9 of the engines, ${ROUNDS} rounds: ${rows.report()}`);
  }, 600_000);
});

/** One, or none when it has ended since we looked. */
function kill(pid: number): number {
  try {
    return Number(process.kill(pid, "SIGKILL"));
  } catch {
    return 0;
  }
}
