import { describe, expect, it } from "vitest";
import { AsyncLruCache } from "./async-lru-cache.ts";

describe("kept promises", () => {
  it("does the same work once, and anew when it has failed", async () => {
    const kept = new AsyncLruCache(10);
    let calls = 0;
    const work = async () => {
      calls += 1;
      if (calls === 1) throw new Error("busy");
      return calls;
    };
    const [one, two] = await Promise.allSettled([kept.get("a", work), kept.get("a", work)]);
    expect([one.status, two.status, calls]).toEqual(["rejected", "rejected", 1]);
    expect([await kept.get("a", work), await kept.get("a", work), calls]).toEqual([2, 2, 2]);
  });

  it("keeps those that were asked for last", async () => {
    const kept = new AsyncLruCache(2);
    const asked: string[] = [];
    const ask = (key: string) => kept.get(key, async () => asked.push(key));
    for (const key of ["a", "b", "a", "c", "a", "b"]) await ask(key);
    expect(asked).toEqual(["a", "b", "c", "b"]);
  });

  it("does not take a newer answer away when an older one fails late", async () => {
    const kept = new AsyncLruCache(1);
    const { promise, reject } = Promise.withResolvers<number>();
    const early = kept.get("a", () => promise);
    await kept.get("b", async () => 0);
    await kept.get("a", async () => 2);
    reject(new Error("late"));
    await expect(early).rejects.toThrow("late");
    expect(await kept.get("a", async () => 3)).toBe(2);
  });

  it("keep no more than their memory has room for, the one that was asked for last the longest", async () => {
    const kept = new AsyncLruCache(100, 10_000);
    const made: string[] = [];
    const ask = (key: string, length: number) =>
      kept.get(key, async () => {
        made.push(key);
        return { text: "x".repeat(length) };
      });
    for (const key of ["a", "b", "c", "d"]) await ask(key, 2_400);
    for (const key of ["a", "b", "c", "d"]) await ask(key, 2_400);
    expect(made).toEqual(["a", "b", "c", "d"]);
    await ask("e", 2_400);
    for (const key of ["d", "c", "b"]) await ask(key, 2_400);
    expect(made).toEqual(["a", "b", "c", "d", "e"]);
    await ask("a", 2_400);
    expect(made.at(-1)).toBe("a");
  });

  it("do not keep what would push out most of the others", async () => {
    const kept = new AsyncLruCache(100, 10_000);
    let made = 0;
    const large = () => kept.get("large", async () => [++made, "x".repeat(5_000)]);
    await large();
    await large();
    expect(made).toBe(2);
  });
});
