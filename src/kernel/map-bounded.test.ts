import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { mapBounded } from "./map-bounded.ts";

describe("mapBounded", () => {
  it("gives all results in their order, with few at once", async () => {
    let running = 0;
    let most = 0;
    const items = Array.from({ length: 50 }, (_, n) => n);
    const results = await mapBounded(items, 4, async (n, index) => {
      running += 1;
      most = Math.max(most, running);
      await delay(n % 3);
      running -= 1;
      return n + index;
    });
    expect(results).toEqual(items.map((n) => 2 * n));
    expect(most).toBe(4);
    expect(await mapBounded([], 4, async () => 1)).toEqual([]);
  });

  it("begins nothing more after a failure", async () => {
    const begun: number[] = [];
    const work = async (n: number) => {
      begun.push(n);
      await delay(1);
      if (n === 1) throw new Error("no");
    };
    await expect(mapBounded([0, 1, 2, 3, 4, 5], 2, work)).rejects.toThrow("no");
    await delay(10);
    expect(begun.length).toBeLessThan(5);
  });
});
