import { expect, test } from "vitest";
import { GrantCache } from "./grants.store.ts";

function openCache(options: ConstructorParameters<typeof GrantCache<string>>[0] = {}) {
  const cache = new GrantCache<string>(options);
  cache.open();
  return cache;
}

test("an answer is remembered for its time", async () => {
  let nowMs = 0;
  let asked = 0;
  const cache = openCache({ ttlMs: 100, nowMs: () => nowMs });
  const ask = () => cache.get("a", async () => `answer ${++asked}`);
  expect(await ask()).toBe("answer 1");
  nowMs = 99;
  expect(await ask()).toBe("answer 1");
  nowMs = 100;
  expect(await ask()).toBe("answer 2");
});

test("nothing is remembered before changes are heard of, and nothing after", async () => {
  const cache = new GrantCache<string>();
  await cache.get("a", async () => "x");
  expect(cache.size).toBe(0);
  cache.open();
  await cache.get("a", async () => "x");
  expect(cache.peek("a")).toBe("x");
  cache.shut();
  expect(cache.peek("a")).toBeUndefined();
  cache.open();
  expect(cache.peek("a")).toBeUndefined();
});

test("an answer that was read before a change is not kept after it", async () => {
  const cache = openCache();
  const { promise, resolve } = Promise.withResolvers<string>();
  const asking = cache.get("a", () => promise);
  cache.forget(() => false);
  resolve("stale");
  expect(await asking).toBe("stale");
  expect(cache.peek("a")).toBeUndefined();
});

test("who asks after a change does not join a question from before", async () => {
  const cache = openCache();
  const { promise, resolve } = Promise.withResolvers<string>();
  const before = cache.get("a", () => promise);
  cache.forget(() => false);
  expect(await cache.get("a", async () => "fresh")).toBe("fresh");
  resolve("stale");
  expect(await before).toBe("stale");
  expect(cache.peek("a")).toBe("fresh");
});

test("equal questions asked at once go to the database once; a failure reaches all and is not kept", async () => {
  const cache = openCache();
  let asked = 0;
  const load = async () => {
    asked++;
    await new Promise(setImmediate);
    if (asked === 1) throw new Error("away");
    return "x";
  };
  const failed = await Promise.allSettled([cache.get("a", load), cache.get("a", load)]);
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(asked).toBe(1);
  expect(await Promise.all([cache.get("a", load), cache.get("a", load)])).toEqual(["x", "x"]);
  expect(asked).toBe(2);
});

test("what does not exist is not remembered, for it may come to exist", async () => {
  const cache = openCache();
  expect(await cache.get("a", async () => null)).toBeNull();
  expect(await cache.get("a", async () => "now")).toBe("now");
});

test("the oldest makes room", async () => {
  const cache = openCache({ entries: 3 });
  for (const key of ["a", "b", "c", "d"]) await cache.get(key, async () => key);
  expect(cache.size).toBe(3);
  expect(cache.peek("a")).toBeUndefined();
  expect(cache.peek("d")).toBe("d");
});

test("a change drops what it concerns and nothing else", async () => {
  const cache = openCache();
  for (const key of ["a", "b"]) await cache.get(key, async () => key);
  cache.forget((value) => value === "a");
  expect([cache.peek("a"), cache.peek("b")]).toEqual([undefined, "b"]);
});
