import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { LIMITS } from "./limits.ts";
import { Turns } from "./turns.ts";

/** Takes longer than the steps of one turn of the event loop may. */
function work(ms = 6): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

function walk(turns: Turns, lines: readonly string[]): { order: string[]; all: Promise<unknown> } {
  const order: string[] = [];
  const all = Promise.all(
    lines.map(async (line) => {
      await turns.take(line);
      work();
      order.push(line);
    }),
  );
  return { order, all };
}

it("gives lines their turns one after the other, however long each of them is", async () => {
  const turns = new Turns();
  await turns.take("a");
  work();
  const { order, all } = walk(turns, ["a", "a", "a", "b", "b", "c"]);
  await all;
  expect(order).toEqual(["a", "b", "c", "a", "b", "a"]);
});

it("lets the event loop go round between long steps", async () => {
  const turns = new Turns();
  await turns.take("a");
  work();
  const { order, all } = walk(turns, Array<string>(20).fill("a"));
  const seen: number[] = [];
  while (order.length < 20) {
    await nextTurn();
    seen.push(order.length);
  }
  await all;
  // Whoever waits for the outside is served after each of them.
  expect(new Set(seen).size).toBe(20);
});

it("does not wait when there is nobody before", async () => {
  const turns = new Turns();
  let turned = 0;
  const turning = nextTurn().then(() => {
    turned += 1;
  });
  await turns.take("a");
  expect(turned).toBe(0);
  await turning;
});

it("refuses requests of a line that is too long, and nobody else's", async () => {
  const turns = new Turns();
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
