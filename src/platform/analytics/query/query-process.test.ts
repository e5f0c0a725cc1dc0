import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { osUserOf } from "../../sandbox/index.ts";
import { QueryProcess } from "./query-process.ts";

let tempFolder: string;
let worker: QueryProcess;
beforeAll(async () => {
  tempFolder = await mkdtemp(join(tmpdir(), "kenning-query-process-"));
  worker = new QueryProcess({
    name: "query",
    tempFolder,
    memoryMb: 1_024,
    reader: osUserOf("engine", 1),
    log: { warn: () => undefined },
    onChange: () => undefined,
  });
});
afterAll(async () => {
  await worker.sandbox.close();
  await rm(tempFolder, { recursive: true, force: true });
});

it("is in use while it parses, though nobody has a place in it", async () => {
  worker.usedAt = 0;
  const parsing = worker.call("", "serialize", { sql: "SELECT 1" });
  expect([worker.running, worker.isIdle, worker.usedAt > 0]).toEqual([0, false, true]);
  worker.usedAt = 0;
  expect(String(await parsing)).toContain("SELECT_NODE");
  expect([worker.isIdle, worker.usedAt > 0]).toEqual([true, true]);
});
