import { setTimeout as sleep } from "node:timers/promises";
import { asc } from "drizzle-orm";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openTestCatalog, silentLog } from "../../../test/support/database.ts";
import { type DeliveredEvent, Events, type EventsOptions, publishEvent } from "./index.ts";
import { outboxEvents } from "./outbox.tables.ts";

const catalog = await openTestCatalog();
afterAll(() => catalog.close());

const opened: Events[] = [];
beforeEach(() => catalog.db.delete(outboxEvents));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((events) => events.stop()));
});

function openEvents(options: Partial<EventsOptions> = {}): Events {
  const events = new Events(catalog, silentLog, { firstBackoffMs: 10, ...options });
  opened.push(events);
  return events;
}

function publish(key: string, payload: unknown, topic = "test"): Promise<void> {
  return catalog.transaction((tx) => publishEvent(tx, { topic, key, payload }));
}

function rows() {
  return catalog.db.select().from(outboxEvents).orderBy(asc(outboxEvents.id));
}

async function untilStates(...states: string[]): Promise<void> {
  await vi.waitFor(async () => expect((await rows()).map((row) => row.state)).toEqual(states), {
    timeout: 30_000,
  });
}

describe("publishing", () => {
  it("happens if and only if the transaction commits", async () => {
    const events = openEvents();
    const seen: unknown[] = [];
    events.subscribe("test", async ({ payload }) => void seen.push(payload));
    await events.start();
    const undone = catalog.transaction(async (tx) => {
      await publishEvent(tx, { topic: "test", key: "a", payload: 1 });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    await publish("a", { n: 2 });
    await untilStates("delivered");
    expect(seen).toEqual([{ n: 2 }]);
  });

  it("refuses a payload without measure", async () => {
    await expect(publish("a", "x".repeat(300_000))).rejects.toMatchObject({
      code: "too_large",
    });
  });
});

describe("delivery", () => {
  it("follows a notification at once", async () => {
    // A poll comes after the test was given up.
    const events = openEvents({ pollMs: 3_600_000 });
    const { promise, resolve } = Promise.withResolvers<DeliveredEvent>();
    events.subscribe("test", async (event) => resolve(event));
    await events.start();
    await sleep(50);
    await publish("a", 1);
    expect(await promise).toMatchObject({ topic: "test", key: "a", payload: 1, attempt: 1 });
  });

  it("finds what was published while nobody listened", async () => {
    const events = openEvents();
    await publish("a", 1);
    events.subscribe("test", async () => {});
    await events.start();
    await untilStates("delivered");
  });

  it("reaches every handler of a topic, and leaves other topics waiting", async () => {
    const events = openEvents();
    const seen: string[] = [];
    events.subscribe("test", async () => void seen.push("first"));
    events.subscribe("test", async () => void seen.push("second"));
    await events.start();
    await publish("a", 1);
    await publish("a", 1, "unheard");
    await untilStates("delivered", "waiting");
    expect(seen).toEqual(["first", "second"]);
  });

  it("keeps the order of a key across failures and several processes, while other keys go on", async () => {
    const processes = [openEvents(), openEvents(), openEvents()];
    const seen = new Map<string, number[]>();
    for (const events of processes) {
      events.subscribe("test", async ({ key, payload, attempt }) => {
        await sleep(Math.random() * 5);
        if (attempt === 1 && (payload as number) % 7 === 0) throw new Error("once more");
        seen.set(key, [...(seen.get(key) ?? []), payload as number]);
      });
      await events.start();
    }
    const numbers = Array.from({ length: 20 }, (_, n) => n);
    for (const n of numbers) for (const key of ["a", "b", "c"]) await publish(key, n);
    await vi.waitFor(
      async () => expect((await rows()).every((row) => row.state === "delivered")).toBe(true),
      { timeout: 60_000 },
    );
    expect(Object.fromEntries(seen)).toEqual({ a: numbers, b: numbers, c: numbers });
  });

  it("gives up after its tries and lets the next of the key pass", async () => {
    const events = openEvents({ attempts: 3 });
    const attempts: number[] = [];
    events.subscribe("test", async ({ payload, attempt }) => {
      if (payload !== "bad") return;
      attempts.push(attempt);
      throw new Error("no luck");
    });
    await events.start();
    await publish("a", "bad");
    await publish("a", "good");
    await untilStates("failed", "delivered");
    expect(attempts).toEqual([1, 2, 3]);
    expect((await rows())[0]).toMatchObject({ attempts: 3, lastError: "no luck" });
  });

  it("does not wait for a handler that never ends", async () => {
    const events = openEvents({ handlerTimeoutMs: 50, attempts: 1 });
    events.subscribe("test", () => new Promise(() => {}));
    await events.start();
    await publish("a", 1);
    await untilStates("failed");
  });

  it("takes over an event whose process died, and counts that try", async () => {
    const events = openEvents({ attempts: 2, pollMs: 50 });
    await publish("a", 1);
    await publish("b", 2);
    await catalog.db.update(outboxEvents).set({ attempts: 1, dueAt: new Date(Date.now() + 300) });
    await catalog.pool.query("UPDATE outbox_events SET attempts = 2 WHERE key = 'b'");
    const seen: DeliveredEvent[] = [];
    events.subscribe("test", async (event) => void seen.push(event));
    await events.start();
    await untilStates("delivered", "failed");
    expect(seen).toMatchObject([{ key: "a", attempt: 2 }]);
  });

  it("goes on after its connections were lost", async () => {
    const events = openEvents({ pollMs: 60_000 });
    const seen: unknown[] = [];
    events.subscribe("test", async ({ payload }) => void seen.push(payload));
    await events.start();
    await publish("a", 1);
    await untilStates("delivered");
    await catalog.pool.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await publish("a", 2);
    await untilStates("delivered", "delivered");
    expect(seen).toEqual([1, 2]);
  });
});

it("removes delivered events, and gives up those that nobody ever took", async () => {
  const events = openEvents();
  await publish("a", 1);
  await publish("b", 2);
  await publish("c", 3);
  const longAgo = new Date(Date.now() - 40 * 86_400_000);
  await catalog.pool.query("UPDATE outbox_events SET state = 'delivered', settled_at = $1 WHERE key = 'a'", [
    longAgo,
  ]);
  await catalog.pool.query("UPDATE outbox_events SET created_at = $1 WHERE key = 'b'", [longAgo]);
  await events.start();
  await untilStates("failed", "waiting");
});

it("waits for handlers at work when it stops", async () => {
  const events = openEvents();
  let hasEnded = false;
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  events.subscribe("test", async () => {
    begin();
    await sleep(200);
    hasEnded = true;
  });
  await events.start();
  await publish("a", 1);
  await begun;
  await events.stop();
  expect(hasEnded).toBe(true);
  expect((await rows()).map((row) => row.state)).toEqual(["delivered"]);
});
