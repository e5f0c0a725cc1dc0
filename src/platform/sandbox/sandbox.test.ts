import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { tempEntries } from "../../../test/support/temp-entries.ts";
import {
  crashAttribution,
  createSandbox,
  isProcessLost,
  osUserOf,
  type Sandbox,
  type SandboxOptions,
} from "./index.ts";

let tempFolder: string;
let logged: { message: string; output?: string }[];
const open: Sandbox[] = [];

beforeEach(async () => {
  tempFolder = await mkdtemp(join(tmpdir(), "kenning-sandbox-"));
  logged = [];
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
  await rm(tempFolder, { recursive: true, force: true });
});

function make(options: Partial<SandboxOptions> = {}): Sandbox {
  const sandbox = createSandbox({
    name: "test",
    module: join(import.meta.dirname, "test-worker.ts"),
    tempFolder,
    memoryMb: 256,
    requestTimeoutMs: 20_000,
    user: osUserOf("databaseFile", 1),
    log: { warn: (fields, message) => logged.push({ message, ...fields }) },
    ...options,
  });
  open.push(sandbox);
  return sandbox;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("calls", () => {
  it("carries values as they are", async () => {
    const value = {
      text: "ä😀",
      bytes: Buffer.from([1, 2, 3]),
      big: 2n ** 70n,
      at: new Date(0),
      none: undefined,
      map: new Map([[1, 2]]),
    };
    expect(await make().call("echo", value)).toEqual(value);
  });

  it("works through many calls with one process", async () => {
    const sandbox = make({ concurrency: 8 });
    const pids = await Promise.all(Array.from({ length: 100 }, () => sandbox.call("pid", {})));
    expect(new Set(pids).size).toBe(1);
  });

  it("carries megabytes in both directions", async () => {
    const bytes = Buffer.alloc(20_000_000, 7);
    const echoed = (await make().call("echo", bytes)) as Uint8Array;
    expect(bytes.equals(echoed)).toBe(true);
  });

  it("passes on progress, and survives a listener that throws", async () => {
    const sandbox = make();
    const steps: unknown[] = [];
    await sandbox.call("count", 3, { onProgress: (value) => steps.push(value) });
    expect(steps).toEqual([{ step: 1 }, { step: 2 }, { step: 3 }]);
    const onProgress = (): void => {
      throw new Error("listener");
    };
    expect(await sandbox.call("count", 1, { onProgress })).toBe("counted");
  });

  it("passes on expected errors and tells them from bugs", async () => {
    const sandbox = make();
    await expect(sandbox.call("refuse", {})).rejects.toMatchObject({
      name: "AppError",
      code: "bad_request",
      message: "The file is broken.",
      hint: "Send another.",
      data: { line: 3 },
    });
    await expect(sandbox.call("bug", {})).rejects.toMatchObject({
      name: "Error",
      message: expect.stringContaining("x is not a function"),
    });
    await expect(sandbox.call("toString", {})).rejects.toThrow(/no method "toString"/);
  });
});

describe("when things go wrong", () => {
  it.each(["crash", "exit"])(
    "%s fails its own call and the next process serves the others",
    async (method) => {
      const sandbox = make();
      const before = await sandbox.call("pid", {});
      const results = await Promise.allSettled([
        sandbox.call(method, {}),
        sandbox.call("echo", 1),
        sandbox.call("pid", {}),
      ]);
      expect(results[0]).toMatchObject({
        status: "rejected",
        reason: { code: "unavailable", data: { reason: "crash" } },
      });
      expect(results[1]).toMatchObject({ status: "fulfilled", value: 1 });
      expect((results[2] as PromiseFulfilledResult<unknown>).value).not.toBe(before);
    },
  );

  it("a folder that somebody removed is nobody's attribution, and the next process has a new one", async () => {
    const sandbox = make({ concurrency: 2 });
    const before = await sandbox.call("pid", {});
    let ends = 0;
    const onEnd = (): void => {
      ends += 1;
    };
    const lost = sandbox.call("sleep", 60_000, { onEnd }).catch((error: unknown) => error);
    await rm(tempFolder, { recursive: true });
    expect(await sandbox.call("pid", {})).not.toBe(before);
    expect(await lost).toMatchObject({ code: "unavailable", data: { reason: "folder", wasAlone: true } });
    expect([isProcessLost(await lost), crashAttribution(await lost), ends]).toEqual([true, "none", 1]);
  });

  it("an unhandled rejection in there does not hurt anybody out here", async () => {
    const sandbox = make();
    await sandbox.call("rejectLater", {}).catch(() => undefined);
    await delay(100);
    expect(await sandbox.call("echo", 1)).toBe(1);
  });

  it("an endless loop is stopped at the time limit", async () => {
    const sandbox = make({ requestTimeoutMs: 60_000, cancelGraceMs: 100 });
    const pid = (await sandbox.call("pid", {})) as number;
    await expect(sandbox.call("loop", {}, { timeoutMs: 300 })).rejects.toMatchObject({
      code: "timeout",
      message: "This took longer than 0.3 s.",
    });
    expect(await sandbox.call("echo", 1)).toBe(1);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it("time also runs while a call waits, and that harms nobody else", async () => {
    const sandbox = make({ concurrency: 1 });
    const first = sandbox.call("sleep", 800);
    await expect(sandbox.call("echo", 1, { timeoutMs: 200 })).rejects.toMatchObject({ code: "timeout" });
    expect(await first).toBe("slept");
  });

  it.each(["hogBuffers", "hogHeap"])("%s is stopped at the memory limit", async (method) => {
    const sandbox = make({ memoryMb: 140 });
    const before = process.memoryUsage().rss;
    await expect(sandbox.call(method, {})).rejects.toMatchObject({ code: "unavailable" });
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    expect(await sandbox.call("echo", 1)).toBe(1);
  });

  it("an oversized result is refused in there, and the process lives on", async () => {
    const sandbox = make({ maxResultBytes: 1_000_000 });
    const pid = await sandbox.call("pid", {});
    await expect(sandbox.call("big", 2_000_000)).rejects.toMatchObject({ code: "too_large" });
    expect(await sandbox.call("big", 1_000_000)).toHaveLength(1_000_000);
    expect(await sandbox.call("pid", {})).toBe(pid);
  });

  it.each([
    ["announces four gigabytes", [255, 255, 255, 255]],
    ["sends what is no message", [4, 0, 0, 0, 1, 2, 3, 4]],
    ["sends a message that says nothing", [4, 0, 0, 0, 255, 15, 95, 48]],
  ])("a process that %s is killed", async (_, bytes) => {
    const sandbox = make({ concurrency: 2 });
    const innocent = sandbox.call("sleep", 5_000).catch((error: unknown) => error);
    await sandbox.call("cheat", bytes).catch(() => undefined);
    expect(await innocent).toMatchObject({ code: "unavailable", data: { reason: "protocol" } });
    expect(await sandbox.call("echo", 1)).toBe(1);
  });

  it("oversized parameters never leave", async () => {
    const sandbox = make({ maxParamsBytes: 1_000_000 });
    await expect(sandbox.call("echo", Buffer.alloc(2_000_000))).rejects.toMatchObject({ code: "too_large" });
  });

  it("bounds the calls that wait", async () => {
    const sandbox = make({ maxQueuedCalls: 2 });
    const calls = [1, 2, 3, 4].map(() => sandbox.call("sleep", 50));
    const results = await Promise.allSettled(calls);
    expect(results.map((result) => result.status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(results[2]).toMatchObject({ reason: { code: "unavailable" } });
  });

  it("bounds what gets into the log", async () => {
    const sandbox = make();
    await sandbox.call("flood", {});
    await expect.poll(() => logged.length).toBeGreaterThan(0);
    await delay(200);
    expect(logged.reduce((sum, entry) => sum + (entry.output?.length ?? 0), 0)).toBeLessThan(200_000);
  });

  it.each([
    ["a module that is not there", "no-such-module.ts"],
    ["a module that serves nothing", "protocol.ts"],
  ])("%s fails the calls instead of starting for ever", async (_, module) => {
    const sandbox = make({ module: join(import.meta.dirname, module) });
    const results = await Promise.allSettled([sandbox.call("echo", 1), sandbox.call("echo", 2)]);
    for (const result of results) {
      expect(result).toMatchObject({
        status: "rejected",
        reason: { code: "unavailable", data: { reason: "start" } },
      });
    }
    expect(logged.some((entry) => entry.output?.includes("cannot start"))).toBe(true);
  });
});

describe("cancelling", () => {
  it("stops a call that listens, and keeps the process", async () => {
    const sandbox = make();
    const pid = await sandbox.call("pid", {});
    const controller = new AbortController();
    const sleeping = sandbox.call("sleep", 60_000, { signal: controller.signal });
    await delay(50);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ code: "cancelled" });
    expect(await sandbox.call("pid", {})).toBe(pid);
  });

  it("kills the process under a call that does not listen", async () => {
    const sandbox = make({ cancelGraceMs: 100 });
    const pid = await sandbox.call("pid", {});
    const { promise: ended, resolve: onEnd } = Promise.withResolvers<void>();
    const stubborn = sandbox.call("stubborn", 60_000, { signal: AbortSignal.timeout(50), onEnd });
    await expect(stubborn).rejects.toMatchObject({ code: "timeout" });
    // Its caller has gone; the process is only done with it when it has gone too.
    await ended;
    expect(isAlive(Number(pid))).toBe(false);
    expect(await sandbox.call("pid", {})).not.toBe(pid);
  });

  it("lets a stubborn call finish within the grace time", async () => {
    const sandbox = make({ cancelGraceMs: 5_000 });
    const pid = await sandbox.call("pid", {});
    await expect(sandbox.call("stubborn", 200, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: "timeout",
    });
    expect(await sandbox.call("pid", {})).toBe(pid);
  });

  it("takes a waiting call out of the queue", async () => {
    const sandbox = make();
    const first = sandbox.call("sleep", 300);
    await expect(sandbox.call("crash", {}, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: "timeout",
    });
    expect(await first).toBe("slept");
    await expect(sandbox.call("echo", 1, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});

describe("the end", () => {
  it("closing ends the process, fails what is under way and removes the folder", async () => {
    const sandbox = make();
    const pid = (await sandbox.call("pid", {})) as number;
    expect(tempEntries(tempFolder)).toHaveLength(1);
    const calls = Promise.allSettled([sandbox.call("sleep", 60_000), sandbox.call("echo", 1)]);
    await sandbox.close();
    for (const result of await calls) expect(result).toMatchObject({ reason: { code: "unavailable" } });
    expect(isAlive(pid)).toBe(false);
    await expect.poll(() => tempEntries(tempFolder)).toEqual([]);
    await expect(sandbox.call("echo", 1)).rejects.toMatchObject({ code: "unavailable" });
  });

  it("closing while it starts leaves nothing behind", async () => {
    const sandbox = make();
    const call = sandbox.call("echo", 1).catch((error: unknown) => error);
    await sandbox.close();
    expect(await call).toMatchObject({ code: "unavailable" });
    await expect.poll(() => tempEntries(tempFolder)).toEqual([]);
  });
});
