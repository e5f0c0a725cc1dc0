import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { QueryRequest, QueryResult } from "../index.ts";
import { openTestAnalytics, type TestAnalytics } from "../test-analytics.ts";

/** What a query was promised, and what its process needs beside that. */
const PROMISED_MB = 256;
const MEMORY_MB = 1_024;
/** Node, copies of relations, and what can be taken between two looks. */
const BESIDE_MB = 256 + MEMORY_MB / 8 + 384;

const DEADLY = "SELECT json_structure(repeat('[', 300000 + i) || repeat(']', 300000)) FROM range(1) r(i)";
/** Does not stop when it is told to. */
const ENDLESS =
  "SELECT count(*) FROM range(2) r(i) WHERE repeat('a', 20000 + i) GLOB (repeat('*a', 30 + i) || 'b')";

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

function query(sql: string, extra: Partial<QueryRequest> = {}): Promise<QueryResult> {
  const engine = { threads: 2, memoryMb: PROMISED_MB, spillMb: 64 };
  return analytics.query({ scope: "w", relations: [], sql, engine, limits: { ms: 60_000 }, ...extra });
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes(analytics.home));
}

function samplePeaks(): void {
  for (const pid of processes()) {
    const [, kb = "0"] = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
    peaks.set(pid, Math.max(peaks.get(pid) ?? 0, Number(kb) / 1_024));
  }
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
      const bomb = query(`${ENDLESS} -- ${n}`, { signal });
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
  it("runs once, and alone when it comes again", { timeout: 120_000 }, async () => {
    await query("SELECT 1");
    peaks.clear();
    const before = new Set(processes());
    const deadly = { code: "unavailable", message: expect.stringContaining("It was not run again") };
    await expect(query(DEADLY)).rejects.toMatchObject(deadly);
    const gone = [...before].filter((pid) => !processes().includes(pid));
    expect(gone).toHaveLength(1);
    // The same text has a process of its own from now on: those that others use live on.
    await query("SELECT 1");
    const shared = processes();
    await expect(query(DEADLY)).rejects.toMatchObject(deadly);
    expect(processes()).toEqual(expect.arrayContaining(shared));
  });

  it("leaves those beside it their answer", { timeout: 120_000 }, async () => {
    const text = DEADLY.replaceAll("300000", "300001");
    const [deadly, ...others] = await Promise.allSettled([
      query(text),
      ...[1, 2].map((n) => query(`SELECT ${n}, count(*) FROM range(20000000) r(i) WHERE hash(i) % 3 = 1`)),
    ]);
    expect(deadly).toMatchObject({ status: "rejected", reason: { code: "unavailable" } });
    expect(others.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  });

  const runsAlone = () => analytics.logged.filter(({ message }) => message.includes("runs alone")).length;

  it("is told from those that were only there: once they have run alone, they run with others again", {
    timeout: 120_000,
  }, async () => {
    const sql = "SELECT count(*) FROM range($1::BIGINT) r(i) WHERE hash(i) % 3 < 3";
    const asked = query(sql, { params: [60_000_000] });
    await expect(query(DEADLY.replaceAll("300000", "300002"))).rejects.toMatchObject({ code: "unavailable" });
    expect(await asked).toMatchObject({ rows: [[60_000_000]] });
    const before = runsAlone();
    expect(await query(sql, { params: [3] })).toMatchObject({ rows: [[3]] });
    expect(runsAlone()).toBe(before);
  });

  it("runs alone as a stream too", { timeout: 120_000 }, async () => {
    const read = async (sql: string): Promise<number> => {
      let rows = 0;
      const stream = analytics.queryStream({ scope: "w", relations: [], sql });
      for await (const batch of stream) rows += batch.rows.length;
      return rows;
    };
    const text = DEADLY.replaceAll("300000", "300003");
    const deadly = { code: "unavailable", message: expect.stringContaining("It was not run again") };
    const before = runsAlone();
    await expect(read(text)).rejects.toMatchObject(deadly);
    expect(runsAlone()).toBe(before);
    await expect(read(text)).rejects.toMatchObject(deadly);
    await expect(query(text)).rejects.toMatchObject(deadly);
    expect(runsAlone()).toBe(before + 2);
    expect(await read("SELECT i FROM range(30000) r(i)")).toBe(30_000);
  });
});
