import { expect, it } from "vitest";
import { FairQueue } from "./fair-queue.ts";

const options = {
  what: "tasks",
  places: 2,
  placesPerScope: 2,
  waiting: 100,
  waitingPerScope: 50,
  waitMs: 1_000,
};

it("gives places to scopes in turn, however much each of them wants", async () => {
  const queue = new FairQueue({ ...options, places: 1 });
  const order: string[] = [];
  const leaveFirst = await queue.enter("a");
  const waiting = ["a", "a", "a", "b", "b", "c"].map(async (scope) => {
    const leave = await queue.enter(scope);
    order.push(scope);
    leave();
  });
  leaveFirst();
  await Promise.all(waiting);
  expect(order).toEqual(["b", "c", "a", "b", "a", "a"]);
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});

it("keeps a scope to its share while others have room", async () => {
  const queue = new FairQueue({ ...options, places: 3 });
  const leaves = [await queue.enter("a"), await queue.enter("a")];
  const third = queue.enter("a");
  expect(queue.load).toEqual({ running: 2, waiting: 1 });
  (await queue.enter("b"))();
  leaves[0]!();
  (await third)();
  leaves[1]!();
  leaves[1]!();
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});

it("bounds who may wait, and for how long", async () => {
  const queue = new FairQueue({ ...options, places: 1, waitingPerScope: 1, waiting: 2, waitMs: 30 });
  const leave = await queue.enter("a");
  const waiting = queue.enter("a").catch((error: { code: string }) => error.code);
  await expect(queue.enter("a")).rejects.toMatchObject({ code: "rate_limited" });
  const other = queue.enter("b").catch((error: { code: string }) => error.code);
  await expect(queue.enter("c")).rejects.toMatchObject({ code: "unavailable" });
  expect(await waiting).toBe("unavailable");
  expect(await other).toBe("unavailable");
  leave();
  (await queue.enter("c"))();
});

it("forgets who does not want to wait any more", async () => {
  const queue = new FairQueue({ ...options, places: 1 });
  const leave = await queue.enter("a");
  const controller = new AbortController();
  const gone = queue.enter("b", controller.signal).catch((error: { code: string }) => error.code);
  const next = queue.enter("c");
  controller.abort();
  expect(await gone).toBe("cancelled");
  leave();
  (await next)();
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});

it("gives a place to whoever would not wait, but not before those who do", async () => {
  const queue = new FairQueue({ ...options, places: 1, placesPerScope: 1 });
  const leave = queue.tryEnter("a")!;
  expect(queue.tryEnter("b")).toBeUndefined();
  const waiting = queue.enter("a");
  leave();
  expect(queue.tryEnter("a")).toBeUndefined();
  (await waiting)();
  queue.tryEnter("a")!();
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});

it("tells those who waited too long whether their own scope or others have the places", async () => {
  const queue = new FairQueue({ ...options, places: 1, placesPerScope: 1, waitMs: 1, hint: "Ask for less." });
  const leave = await queue.enter("a");
  await expect(queue.enter("a")).rejects.toMatchObject({ code: "rate_limited", hint: "Ask for less." });
  await expect(queue.enter("b")).rejects.toMatchObject({ code: "unavailable" });
  leave();
});

it("gives places to the people of a workspace in turn, and leaves some to others", async () => {
  const queue = new FairQueue({ ...options, places: 2, placesPerUser: 1 });
  const order: string[] = [];
  const leaveFirst = await queue.enter("a/1");
  const waiting = ["a/1", "a/1", "a/1"].map(async (scope) => {
    const leave = await queue.enter(scope);
    order.push(scope);
    leave();
  });
  // Another person has a place at once, however many of the first one wait.
  const leaveOther = await queue.enter("a/2");
  const other = queue.enter("a/2").then((leave) => {
    order.push("a/2");
    leave();
  });
  leaveOther();
  await other;
  leaveFirst();
  await Promise.all(waiting);
  expect(order).toEqual(["a/2", "a/1", "a/1", "a/1"]);
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});

it("turns somebody away who has too many waiting, and nobody else in the workspace", async () => {
  const queue = new FairQueue({ ...options, places: 1, waitingPerScope: 4, waitingPerUser: 2 });
  const leave = await queue.enter("a/1");
  const waiting = [queue.enter("a/1"), queue.enter("a/1")];
  await expect(queue.enter("a/1")).rejects.toMatchObject({
    code: "rate_limited",
    message: "Too many tasks of yours are waiting.",
    data: { retryAfterMs: expect.any(Number) },
  });
  const other = queue.enter("a/2");
  leave();
  (await other)();
  for (const one of waiting) (await one)();
});

it("turns away at once who would wait too long", async () => {
  const queue = new FairQueue({ ...options, places: 1, waitMs: 20 });
  const slow = await queue.enter("a/1");
  await new Promise((resolve) => setTimeout(resolve, 150));
  const kept = queue.tryEnter("b");
  expect(kept).toBeUndefined();
  const second = queue.enter("a/1").catch(() => undefined);
  slow();
  const leave = (await second)!;
  // Places were held for 150 ms of late, and nobody waits longer than 20.
  await expect(queue.enter("a/1")).rejects.toMatchObject({ code: "rate_limited" });
  leave();
  expect(queue.load).toEqual({ running: 0, waiting: 0 });
});
