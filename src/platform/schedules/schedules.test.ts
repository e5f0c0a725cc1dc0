import { sql } from "drizzle-orm";
import { afterAll, describe, expect, it, vi } from "vitest";
import { openTestCatalog, silentLog } from "../../../test/support/database.ts";
import type { CatalogTx } from "../catalog/index.ts";
import { type Due, Schedules } from "./index.ts";

const catalog = await openTestCatalog();
afterAll(() => catalog.close());

const DAILY = { unit: "days", every: 1, time: "08:00", zone: "Europe/Berlin" } as const;

/** Another server on the same database. */
function openSchedules(
  kind: string,
  handle: (tx: CatalogTx, due: readonly Due[]) => Promise<void>,
): Schedules {
  const schedules = new Schedules(catalog, silentLog);
  schedules.define(kind, { prepare: async () => {}, handle });
  return schedules;
}

const set = (schedules: Schedules, kind: string, subject: number) =>
  catalog.transaction((tx) => schedules.set(tx, kind, subject, DAILY));
const shift = (kind: string, days: number) =>
  catalog.pool.query(
    `UPDATE schedules SET next_at = next_at - $2 * interval '1 day', anchor = anchor - interval '60 days' WHERE kind = $1`,
    [kind, days],
  );

describe("schedules", () => {
  it("fire each occurrence once, whatever the number of servers", async () => {
    const fired: number[] = [];
    const handle = async (_: CatalogTx, due: readonly Due[]) =>
      void fired.push(...due.map(({ subject }) => subject));
    const servers = [1, 2, 3].map(() => openSchedules("many", handle));
    const [first] = servers as [Schedules, ...Schedules[]];
    for (let subject = 1; subject <= 40; subject += 1) await set(first, "many", subject);
    await shift("many", 1);
    const taken = await Promise.all([...servers, ...servers].map((server) => server.fireDue()));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(fired.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(await first.fireDue()).toBe(0);
  });

  it("are taken together where their owner wants that, a batch at a time", async () => {
    const batches: number[][] = [];
    const schedules = new Schedules(catalog, silentLog);
    schedules.define("grouped", {
      prepare: async () => {},
      handle: async (_, due) => void batches.push(due.map(({ subject }) => subject)),
      together: sql`schedules.subject % 3`,
    });
    for (const subject of [1, 2, 3]) await set(schedules, "grouped", subject);
    await catalog.pool.query(
      `INSERT INTO schedules (kind, subject, unit, every, time, zone, anchor, next_at, zone_rules)
       SELECT kind, n, unit, every, time, zone, anchor, next_at, zone_rules FROM schedules, generate_series(4, 1200) AS n
       WHERE kind = 'grouped' AND subject = 1`,
    );
    await shift("grouped", 1);
    expect(await schedules.fireDue()).toBe(1_200);
    expect(batches.map((batch) => new Set(batch.map((subject) => subject % 3)).size)).toEqual([2, 2, 1]);
  });

  it("catch up once on what was missed, and say how much that was", async () => {
    const seen: Due[] = [];
    const schedules = openSchedules("late", async (_, due) => void seen.push(...due));
    const next = await set(schedules, "late", 1);
    await shift("late", 10);
    await schedules.fireDue();
    expect(seen).toHaveLength(1);
    expect(seen[0]?.missed).toBe(9);
    expect((await schedules.nextOf("late", [1])).get(1)).toEqual(next);
  });

  it("come again when the transaction that took them fails", async () => {
    let isBroken = true;
    const seen: number[] = [];
    const schedules = openSchedules("broken", async (tx, due) => {
      await tx.execute(sql`CREATE TABLE IF NOT EXISTS half_done (n int)`);
      if (isBroken) throw new Error("no luck");
      seen.push(...due.map(({ subject }) => subject));
    });
    await set(schedules, "broken", 1);
    await shift("broken", 1);
    await expect(schedules.fireDue()).rejects.toThrow("no luck");
    expect((await catalog.pool.query("SELECT to_regclass('half_done') AS it")).rows).toEqual([{ it: null }]);
    isBroken = false;
    expect(await schedules.fireDue()).toBe(1);
    expect(seen).toEqual([1]);
  });

  it("are computed again when the rules of time zones have changed, and wake a server that rests", async () => {
    const seen: number[] = [];
    const schedules = openSchedules(
      "awake",
      async (_, due) => void seen.push(...due.map(({ subject }) => subject)),
    );
    const next = await set(schedules, "awake", 1);
    await catalog.pool.query(
      "UPDATE schedules SET zone_rules = 'older', next_at = next_at + interval '1 hour' WHERE kind = 'awake'",
    );
    await schedules.start();
    await vi.waitFor(async () => expect((await schedules.nextOf("awake", [1])).get(1)).toEqual(next), 30_000);
    await shift("awake", 1);
    await catalog.pool.query("SELECT pg_notify('kenning_schedules', '')");
    await vi.waitFor(() => expect(seen).toEqual([1]), 30_000);
    await schedules.stop();
  });

  it("can be changed and removed", async () => {
    const schedules = openSchedules("changing", async () => {});
    await set(schedules, "changing", 1);
    // Counted from the beginning of the day, so that it is at most an hour at any time of day.
    const hourly = { ...DAILY, unit: "hours", time: "00:00" } as const;
    const next = await catalog.transaction((tx) => schedules.set(tx, "changing", 1, hourly));
    expect(next.getTime() - Date.now()).toBeLessThanOrEqual(3_600_000);
    await catalog.transaction((tx) => schedules.remove(tx, "changing", 1));
    expect(await schedules.nextOf("changing", [1])).toEqual(new Map());
    const wrong = { ...DAILY, time: "8 o'clock" };
    await expect(catalog.transaction((tx) => schedules.set(tx, "changing", 1, wrong))).rejects.toThrow(
      /08:00/,
    );
  });
});
