import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { lazily, mapBounded, RoundRobin } from "./concurrency.ts";
import { LIMITS } from "./limits.ts";

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

it("opens once for all who ask, and again after a failure", async () => {
  let opened = 0;
  const open = lazily(async () => {
    opened += 1;
    if (opened === 1) throw new Error("no room");
    return opened;
  });
  expect(opened).toBe(0);
  const [first, second] = [open(), open()];
  await expect(first).rejects.toThrow("no room");
  await expect(second).rejects.toThrow("no room");
  expect(await Promise.all([open(), open()])).toEqual([2, 2]);
  expect(await open()).toBe(2);
});

/** Takes longer than the steps of one turn of the event loop may. */
function work(ms = 6): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function walk(
  turns: RoundRobin,
  lines: readonly string[],
  stepMs?: number,
): { order: string[]; all: Promise<unknown> } {
  const order: string[] = [];
  const all = Promise.all(
    lines.map(async (line) => {
      await turns.take(line);
      work(stepMs);
      order.push(line);
    }),
  );
  return { order, all };
}

it("gives lines their turns one after the other, however long each of them is", async () => {
  const turns = new RoundRobin();
  await turns.take("a");
  work();
  const { order, all } = walk(turns, ["a", "a", "a", "b", "b", "c"]);
  await all;
  expect(order).toEqual(["a", "b", "c", "a", "b", "a"]);
});

it.each([
  { sliceMs: undefined, stepMs: 6 },
  { sliceMs: 1, stepMs: 2 },
])(
  "lets the event loop go round between steps that are longer than a slice: $stepMs ms",
  async ({ sliceMs, stepMs }) => {
    const turns = new RoundRobin(sliceMs);
    await turns.take("a");
    work(stepMs);
    const { order, all } = walk(turns, Array<string>(20).fill("a"), stepMs);
    const seen: number[] = [];
    while (order.length < 20) {
      await nextTurn();
      seen.push(order.length);
    }
    await all;
    // Whoever waits for the outside is served after each of them.
    expect(new Set(seen).size).toBe(20);
  },
);

it("does not wait when there is nobody before", async () => {
  const turns = new RoundRobin();
  let turned = 0;
  const turning = nextTurn().then(() => {
    turned += 1;
  });
  await turns.take("a");
  expect(turned).toBe(0);
  await turning;
});

it("refuses requests of a line that is too long, and nobody else's", async () => {
  const turns = new RoundRobin();
  await turns.take("a");
  work();
  const waiting = Array.from({ length: LIMITS.request.waitingPerToken }, () => turns.take("a"));
  expect(() => turns.assertRoom("a")).toThrow(
    expect.objectContaining({ code: "rate_limited", data: { retryAfterMs: 2_000 } }),
  );
  expect(() => turns.assertRoom("b")).not.toThrow();
  await Promise.all(waiting);
  expect(() => turns.assertRoom("a")).not.toThrow();
});
