import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ProcessCall, WorkerPool } from "./index.ts";
import type { WorkerPoolOptions } from "./worker-pool.ts";

let tempFolder: string;
const open: TestPool[] = [];

beforeEach(async () => {
  tempFolder = await mkdtemp(join(tmpdir(), "kenning-pool-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((pool) => pool.close()));
  await rm(tempFolder, { recursive: true, force: true });
});

class TestPool extends WorkerPool<ProcessCall, unknown> {
  call(scope: string, method: string, params: unknown): Promise<unknown> {
    return this.ask(scope, undefined, () => ({ value: { method, params } }));
  }
}

function make(options: Partial<WorkerPoolOptions> = {}): TestPool {
  const pool = new TestPool({
    module: join(import.meta.dirname, "../sandbox/test-worker.ts"),
    sandbox: { name: "test", osUser: "documents", tempFolder, log: { warn: () => undefined } },
    noun: "PDF",
    nouns: "PDFs",
    hint: "Export less.",
    workers: 1,
    waiting: 16,
    memoryMb: 256,
    timeoutMs: 20_000,
    idleMs: 60_000,
    ...options,
  });
  open.push(pool);
  return pool;
}

it("keeps a process for the next call, whoever asks", async () => {
  const pool = make();
  const first = await pool.call("1", "pid", null);
  expect(await pool.call("2", "pid", null)).toBe(first);
});

it.each([
  ["crash", "internal", "The PDF could not be made: it ended the process that made it."],
  ["hogBuffers", "too_large", "The PDF could not be made within 256 MB of memory."],
])(
  "what ends its process by %s fails alone, and as something not to be repeated",
  async (method, code, message) => {
    const pool = make();
    const before = await pool.call("1", "pid", null);
    const hint = "Export less.";
    await expect(pool.call("1", method, null)).rejects.toMatchObject({ code, message, hint });
    const after = await pool.call("1", "pid", null);
    expect(after).not.toBe(before);
  },
);

it("what takes too long is told so, and the next one has a process", async () => {
  const pool = make({ timeoutMs: 3_000 });
  await pool.call("1", "pid", null);
  await expect(pool.call("1", "loop", null)).rejects.toMatchObject({
    code: "timeout",
    message: "Making the PDF took longer than 3 s.",
  });
  // The process that hangs is killed a little later than its caller is answered.
  await vi.waitFor(async () => expect(await pool.call("1", "echo", "again")).toBe("again"), 30_000);
});

it("does not keep a process that has taken much of its memory", async () => {
  // A process of Node's takes some 60 MB for itself.
  const pool = make({ memoryMb: 100 });
  const first = await pool.call("1", "pid", null);
  expect(await pool.call("1", "pid", null)).not.toBe(first);
});

it("ends processes without work, and starts them again", async () => {
  const pool = make({ idleMs: 50 });
  const first = (await pool.call("1", "pid", null)) as number;
  await vi.waitFor(() => expect(() => process.kill(first, 0)).toThrow(), 30_000);
  expect(await pool.call("1", "pid", null)).not.toBe(first);
});
