import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { describeSharedState } from "../../../test/support/shared-state.ts";
import { createMemoryState, MemoryKv, MemoryLimiter } from "./memory-state.ts";
import type { SharedState } from "./shared-state.ts";

describeSharedState("memory", async () => createMemoryState());

describe("memory state", () => {
  let state: SharedState | undefined;
  afterEach(() => state?.close());

  it("makes room by forgetting the record that was longest unused", async () => {
    state = createMemoryState({ maxEntries: 3 });
    for (const key of ["a", "b", "c"]) await state.kv.set(`s:${key}`, key, 60_000);
    await state.kv.touch("s:a", 60_000);
    await state.kv.set("s:d", "d", 60_000);
    expect((await state.kv.list("s:")).map((record) => record.value).sort()).toEqual(["a", "c", "d"]);
  });

  it("bounds the bytes of all values together", async () => {
    const kv = new MemoryKv({ maxTotalBytes: 100_000 });
    for (let index = 0; index < 100; index += 1) await kv.set(`s:${index}`, "x".repeat(5_000), 60_000);
    expect(kv.size).toBe(9);
    expect(await kv.get("s:99")).toBeDefined();
  });

  it("sweeps expired records", async () => {
    const kv = new MemoryKv();
    await kv.set("s:a", 1, 20);
    await kv.set("s:b", 1, 60_000);
    await delay(40);
    kv.sweep();
    expect(kv.size).toBe(1);
  });

  it("bounds the keys of a limiter and forgets windows that are over", async () => {
    const limiter = new MemoryLimiter({ points: 1, windowMs: 60_000 }, 100);
    for (let index = 0; index < 1_000; index += 1) await limiter.consume(`address-${index}`);
    expect(limiter.size).toBe(100);
    expect((await limiter.consume("address-999")).allowed).toBe(false);
    expect((await limiter.consume("address-0")).allowed).toBe(true);

    const short = new MemoryLimiter({ points: 1, windowMs: 50 });
    await short.consume("a");
    await delay(80);
    await short.consume("b");
    short.sweep();
    expect(short.size).toBe(1);
  });

  it.each([
    { points: 0, windowMs: 1_000 },
    { points: 1, windowMs: 0 },
    { points: 1, windowMs: 2 ** 31 },
    { points: Number.NaN, windowMs: 1_000 },
  ])("refuses the rule %j", (rule) => {
    expect(() => new MemoryLimiter(rule)).toThrow(TypeError);
  });

  it("does not keep a process alive", () => {
    const script = `
      const { createMemoryState } = await import(${JSON.stringify(import.meta.resolve("./memory-state.ts"))});
      const state = createMemoryState();
      await state.kv.set("s:a", 1, 60_000);
      await state.limiter("l", { points: 1, windowMs: 60_000 }).consume("a");
    `;
    const ended = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      timeout: 20_000,
      encoding: "utf8",
    });
    expect(ended).toMatchObject({ status: 0, stderr: "" });
  });
});
