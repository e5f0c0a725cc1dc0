import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics } from "../../../../test/support/analytics.ts";
import type { QueryRequest, QueryResult } from "../index.ts";

/** What a query was promised, and what its process needs beside that. */
const PROMISED_MB = 256;
const MEMORY_MB = 1_024;
/** Node, copies of views, and what can be taken between two looks. */
const BESIDE_MB = 256 + MEMORY_MB / 8 + 384;

const DEADLY = "SELECT json_structure(repeat('[', 300000 + i) || repeat(']', 300000)) FROM range(1) r(i)";
/** Does not stop when it is told to. */
const ENDLESS =
  "SELECT count(*) FROM range(2) r(i) WHERE repeat('a', 20000 + i) GLOB (repeat('*a', 30 + i) || 'b')";

/** What the log says of each process that only one workspace uses. */
const OWN = "a workspace gets a query process of its own";

let analytics: TestAnalytics;
const peaks = new Map<number, number>();
let sampler: NodeJS.Timeout;
beforeAll(async () => {
  analytics = await openTestAnalytics({ threads: 2, workers: 1, queryMemoryMb: MEMORY_MB });
  sampler = setInterval(samplePeaks, 10);
});
afterAll(async () => {
  clearInterval(sampler);
  await analytics.remove();
});

function query(
  sql: string,
  extra: Partial<QueryRequest> = {},
  on: TestAnalytics = analytics,
): Promise<QueryResult> {
  const engine = { threads: 2, memoryMb: PROMISED_MB, spillMb: 64 };
  return on.query({ scope: "w", tableViews: [], sql, engine, limits: { ms: 60_000 }, ...extra });
}

function processes({ home }: TestAnalytics = analytics): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(home));
}

function samplePeaks(): void {
  for (const pid of processes()) {
    const [, kb = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
    peaks.set(pid, Math.max(peaks.get(pid) ?? 0, Number(kb) / 1_024));
  }
}

function account(pid: number): string {
  return /^Uid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? "";
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

const killed = () =>
  analytics.logged.filter(({ message }) => message === "a sandbox needed too much memory").length;

/** First: it counts the processes that there are. */
describe("a statement that does not stop", () => {
  it("has a process to itself, and others go on in their own", { timeout: 120_000 }, async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ends: string[] = [];
    const bombs: Promise<void>[] = [];
    for (const n of [1, 2, 3]) {
      const bomb = query(`${ENDLESS} -- ${n}`, { scope: `w${n}`, signal });
      bombs.push(bomb.then(noted("answered"), (error: { code: string }) => noted(error.code)()));
      // As soon as it counts as a long one, there is another process for those who come next.
      await expect.poll(() => processes().length, { timeout: 60_000 }).toBe(n + 1);
    }
    function noted(end: string): () => void {
      return () => void ends.push(end);
    }
    for (let n = 0; n < 5; n += 1) {
      expect(await query(`SELECT ${n}`)).toMatchObject({ rows: [[n]] });
      expect(await query(`SELECT ${n}`, { scope: "other" })).toMatchObject({ rows: [[n]] });
    }
    // They were answered while the others still ran, and nothing was ended for their sake.
    expect([ends, killed()]).toEqual([[], 0]);
    const all = processes();
    expect(all).toHaveLength(4);
    controller.abort();
    await Promise.all(bombs);
    expect(ends).toEqual(["cancelled", "cancelled", "cancelled"]);
    const left = () => processes().filter((pid) => all.includes(pid)).length;
    await expect.poll(left, { timeout: 60_000 }).toBe(1);
  });
});

describe("many long statements of one workspace", () => {
  const LONG = "SELECT count(*) FROM range(1000000000) a(x), range(1000000000) b(y) WHERE (x * y) % 7 = 3";

  it("leave its other statements and those of others their turn, and wait for each other", {
    timeout: 120_000,
  }, async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ends: string[] = [];
    // Of its own, so that a second try does not meet what is known of the first.
    const scope = `many-${Date.now()}`;
    const begin = (sql: string): Promise<void> =>
      query(sql, { scope, signal }).then(
        () => void ends.push("answered"),
        (error: { code: string }) => void ends.push(error.code),
      );
    const ownProcesses = () => analytics.logged.filter(({ message }) => message === OWN).length;
    const before = ownProcesses();
    const bombs = Array.from({ length: 20 }, (_, n) => begin(`${LONG} -- ${n}`));
    await expect.poll(() => ownProcesses() - before, { timeout: 60_000 }).toBeGreaterThanOrEqual(1);
    // One that nobody has seen before, and that is a long one too, holds up nothing either.
    bombs.push(begin("SELECT sum(hash(x + y)) FROM range(1000000000) a(x), range(1000000000) b(y)"));
    // On a busy machine a light one may count as long once, and is then told to come again.
    const answered = (sql: string, of: string) =>
      expect.poll(() => query(sql, { scope: of }).catch(() => undefined), { timeout: 60_000 });
    for (let n = 0; n < 5; n += 1) {
      await answered(`SELECT ${n}`, scope).toMatchObject({ rows: [[n]] });
      await answered(`SELECT ${n}`, "other").toMatchObject({ rows: [[n]] });
    }
    controller.abort();
    await Promise.all(bombs);
    expect(ends).toHaveLength(bombs.length);
    expect(ends).not.toContain("answered");
  });
});

describe("a statement that takes more memory than the engine counts", () => {
  it.each([
    ["widths", "SELECT length(printf('%' || 1500000000 || 'd', i::INT)) FROM range(4) r(i)"],
    ["a list that is too long to begin with", "SELECT list_sum(range(2000000000 + i)) FROM range(1) r(i)"],
    ["a list", "SELECT len(list_transform(range(100000000 + i), lambda x: hash(x))) FROM range(1) r(i)"],
  ])("ends with a clear error, near its limit: %s", { timeout: 120_000 }, async (_, sql) => {
    peaks.clear();
    const error = await query(sql, { limits: { ms: 100_000 } }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "too_large", message: expect.stringContaining("more memory than") });
    samplePeaks();
    expect(Math.max(...peaks.values())).toBeLessThan(PROMISED_MB + BESIDE_MB);
  });
});

describe("a statement that ends its process", () => {
  const deadly = { code: "unavailable", message: expect.stringContaining("It was not run again") };
  const named = (name: string) => DEADLY.replace(" FROM", ` AS ${name} FROM`);

  it("runs once, and its workspace shares no process from then on", { timeout: 120_000 }, async () => {
    const fresh = await openTestAnalytics({ threads: 2, workers: 2, queryMemoryMb: MEMORY_MB });
    try {
      // Engines of two workspaces are spread over both processes.
      await expect
        .poll(
          async () => {
            const scopes = Array.from({ length: 6 }, (_, i) => `light ${i}`);
            await Promise.all(scopes.map((scope) => query("SELECT 1", { scope }, fresh)));
            return processes(fresh).length;
          },
          { timeout: 30_000 },
        )
        .toBeGreaterThanOrEqual(2);
      const shared = new Map(processes(fresh).map((pid) => [pid, account(pid)]));
      const die = (name: string) =>
        expect(query(named(name), { scope: "crash" }, fresh)).rejects.toMatchObject(deadly);
      await die("first");
      const survivors = [...shared.keys()].filter((pid) => processes(fresh).includes(pid));
      expect(survivors).toHaveLength(shared.size - 1);
      const lost: string[] = [];
      for (const name of ["second", "third"]) {
        const before = new Map(processes(fresh).map((pid) => [pid, account(pid)]));
        await die(name);
        for (const scope of ["crash", "other"]) {
          expect(await query("SELECT 1", { scope }, fresh)).toMatchObject({ rows: [[1]] });
        }
        const present = processes(fresh);
        for (const [pid, of] of before) if (!present.includes(pid)) lost.push(of);
      }
      expect(lost).toHaveLength(2);
      expect(processes(fresh)).toEqual(expect.arrayContaining(survivors));
      // Each process has an account of its own, as far as it can have one.
      if (process.geteuid?.() === 0) {
        expect(lost.filter((of) => [...shared.values()].includes(of))).toEqual([]);
      }
    } finally {
      await fresh.remove();
    }
  });

  it("leaves those beside it their answer", { timeout: 120_000 }, async () => {
    const heavy = "SELECT $1::INT, count(*) FROM range(20000000) r(i) WHERE hash(i) % 3 = 1";
    const [dead, ...others] = await Promise.allSettled([
      query(named("beside"), { scope: "beside" }),
      ...[1, 2].map((n) => query(heavy, { scope: `innocent ${n}`, params: [n] })),
    ]);
    expect(dead).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    expect(others.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });

  it("does so as a stream too", { timeout: 120_000 }, async () => {
    const scope = "stream";
    const count = async (sql: string): Promise<number> => {
      let rows = 0;
      const stream = analytics.queryStream({ scope, tableViews: [], sql });
      for await (const batch of stream) rows += batch.rows.length;
      return rows;
    };
    await expect(count(named("streamed"))).rejects.toMatchObject(deadly);
    await query("SELECT 1", { scope: "other" });
    const shared = processes();
    const own = analytics.logged.filter((entry) => entry.message === OWN && "scope" in entry).length;
    await expect(count(named("streamed"))).rejects.toMatchObject(deadly);
    expect(await count("SELECT i FROM range(30000) r(i)")).toBe(30_000);
    expect(own).toBeGreaterThan(0);
    expect(processes().filter((pid) => shared.includes(pid)).length).toBeGreaterThan(0);
  });
});
