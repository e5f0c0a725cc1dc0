import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { randomText } from "../../src/kernel/text.ts";
import type { SharedState } from "../../src/platform/state/shared-state.ts";

/** What every implementation of shared state must do. Keys are random, so that a server can be shared. */
export function describeSharedState(name: string, makeState: () => Promise<SharedState>): void {
  describe(`shared state: ${name}`, () => {
    let state: SharedState;
    let space: string;
    beforeEach(async () => {
      state = await makeState();
      space = `test-${randomText(8)}`;
    });
    afterEach(() => state.close());

    describeRecords(() => ({ state, space }));
    describeLimiters(() => ({ state, space }));

    it("answers a ping", async () => {
      await expect(state.ping()).resolves.toBeUndefined();
    });
  });
}

type Here = () => { state: SharedState; space: string };

function describeRecords(here: Here): void {
  it("keeps, replaces and deletes a record", async () => {
    const { state, space } = here();
    await state.kv.set(`${space}:a`, { n: 1, list: ["ä"] }, 60_000);
    expect(await state.kv.get(`${space}:a`)).toEqual({ n: 1, list: ["ä"] });
    await state.kv.set(`${space}:a`, "other", 60_000);
    expect(await state.kv.get(`${space}:a`)).toBe("other");
    expect(await state.kv.delete(`${space}:a`)).toBe(true);
    expect(await state.kv.delete(`${space}:a`)).toBe(false);
    expect(await state.kv.get(`${space}:a`)).toBeUndefined();
  });

  it("hands out copies", async () => {
    const { state, space } = here();
    const value = { n: 1 };
    await state.kv.set(`${space}:a`, value, 60_000);
    value.n = 2;
    const read = (await state.kv.get(`${space}:a`)) as { n: number };
    read.n = 3;
    expect(await state.kv.get(`${space}:a`)).toEqual({ n: 1 });
  });

  it("forgets a record when its time is over, and touching prolongs it", async () => {
    const { state, space } = here();
    await state.kv.set(`${space}:short`, 1, 120);
    await state.kv.set(`${space}:touched`, 1, 120);
    expect(await state.kv.touch(`${space}:touched`, 60_000)).toBe(true);
    await delay(200);
    expect(await state.kv.get(`${space}:short`)).toBeUndefined();
    expect(await state.kv.touch(`${space}:short`, 60_000)).toBe(false);
    expect(await state.kv.delete(`${space}:short`)).toBe(false);
    expect(await state.kv.get(`${space}:touched`)).toBe(1);
    expect(await state.kv.count(`${space}:`)).toBe(1);
  });

  it("gives a record to exactly one taker", async () => {
    const { state, space } = here();
    await state.kv.set(`${space}:code`, "once", 60_000);
    const taken = await Promise.all(Array.from({ length: 10 }, () => state.kv.take(`${space}:code`)));
    expect(taken.filter((value) => value === "once")).toHaveLength(1);
    expect(taken.filter((value) => value === undefined)).toHaveLength(9);
  });

  it("lists and counts by whole parts of the key", async () => {
    const { state, space } = here();
    for (const key of ["s:agent:1:x", "s:agent:1:y", "s:agent:12:z", "s:bi:1:x", "other"]) {
      await state.kv.set(`${space}:${key}`, key, 60_000);
    }
    const listed = await state.kv.list(`${space}:s:agent:1:`);
    expect(listed.map((record) => record.value).sort()).toEqual(["s:agent:1:x", "s:agent:1:y"]);
    expect(listed[0]!.key.startsWith(`${space}:s:agent:1:`)).toBe(true);
    expect(listed[0]!.expiresInMs).toBeGreaterThan(50_000);
    expect(listed[0]!.expiresInMs).toBeLessThanOrEqual(60_000);
    expect(await state.kv.count(`${space}:s:agent:`)).toBe(3);
    expect(await state.kv.count(`${space}:s:`)).toBe(4);
    expect(await state.kv.count(`${space}:`)).toBe(5);
    expect(await state.kv.count(`${space}:nothing:`)).toBe(0);
  });

  it("refuses what is too large, and keys that are none", async () => {
    const { state, space } = here();
    await expect(state.kv.set(`${space}:big`, "x".repeat(1_000_000), 60_000)).rejects.toMatchObject({
      code: "too_large",
    });
    await expect(state.kv.set("", 1, 60_000)).rejects.toThrow(TypeError);
    await expect(state.kv.set("a:", 1, 60_000)).rejects.toThrow(TypeError);
    await expect(state.kv.list("no-colon")).rejects.toThrow(TypeError);
  });
}

function describeLimiters(here: Here): void {
  it("lets as many through as allowed, each key by itself", async () => {
    const { state, space } = here();
    const limiter = state.limiter(space, { points: 3, windowMs: 60_000 });
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => limiter.consume("anna")));
    expect(verdicts.filter((verdict) => verdict.allowed)).toHaveLength(3);
    const refused = verdicts.find((verdict) => !verdict.allowed)!;
    expect(refused.retryAfterMs).toBeGreaterThan(50_000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(60_000);
    const others = [
      await limiter.consume("bert", 2),
      await limiter.consume("bert"),
      await limiter.consume("bert"),
    ];
    expect(others.map(({ allowed }) => allowed)).toEqual([true, true, false]);
    expect(others[0]).toMatchObject({ retryAfterMs: 0 });
  });

  it("starts anew with the next window", async () => {
    const { state, space } = here();
    const limiter = state.limiter(space, { points: 1, windowMs: 1_000 });
    expect((await limiter.consume("anna")).allowed).toBe(true);
    const refused = await limiter.consume("anna");
    expect(refused.allowed).toBe(false);
    await delay(refused.retryAfterMs + 50);
    expect((await limiter.consume("anna")).allowed).toBe(true);
  });

  it("shares counts by name and refuses two rules for one name", async () => {
    const { state, space } = here();
    const rule = { points: 1, windowMs: 60_000 };
    await state.limiter(space, rule).consume("anna");
    expect((await state.limiter(space, { ...rule }).consume("anna")).allowed).toBe(false);
    expect((await state.limiter(`${space}-2`, rule).consume("anna")).allowed).toBe(true);
    expect(() => state.limiter(space, { points: 2, windowMs: 60_000 })).toThrow(TypeError);
  });
}
