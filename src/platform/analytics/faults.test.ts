import { existsSync, readdirSync, readFileSync } from "node:fs";
import { appendFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestAnalytics, type TestAnalytics, tableViewOf } from "../../../test/support/analytics.ts";
import type { AnalyticsOptions, QueryRequest, QueryResult, TableView } from "./index.ts";
import { LIMITS } from "./limits.ts";

const ENDLESS = "SELECT count(*) FROM range(1000000000) a(x), range(1000000000) b(y) WHERE (x * y) % 7 = 3";

let analytics: TestAnalytics;
let tableView: TableView;
async function open(options: Partial<AnalyticsOptions> = {}): Promise<void> {
  analytics = await openTestAnalytics({ threads: 2, ...options });
  tableView = await analytics.tableView("t", [{ a: 1 }]);
}

/** One for all tests of a block. */
function openOnce(options: Partial<AnalyticsOptions> = {}): void {
  beforeAll(() => open(options));
  afterAll(() => analytics.remove());
}

function query(sql: string, extra: Partial<QueryRequest> = {}): Promise<QueryResult> {
  return analytics.query({ scope: "w", tableViews: [tableView], sql, ...extra });
}

const one = { rows: [[1]] };

/** Our sandboxed processes, by the folder that they work in. */
function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(analytics.home);
      } catch {
        return false;
      }
    });
}

describe("a query that goes wrong", () => {
  openOnce({ workers: 1, queryMemoryMb: 1_024 });

  it("is stopped when its caller goes, and its process lives on", async () => {
    await query("SELECT 1");
    const [pid] = processes();
    const controller = new AbortController();
    const running = query(ENDLESS, { signal: controller.signal });
    await delay(200);
    controller.abort();
    await expect(running).rejects.toMatchObject({ code: "cancelled" });
    expect(await query("SELECT a FROM t")).toMatchObject(one);
    expect(processes()).toContain(pid);
  });

  it("is stopped at its time limit", async () => {
    await expect(query(ENDLESS, { limits: { ms: 300 } })).rejects.toMatchObject({
      code: "timeout",
      message: "This took longer than 0.3 s.",
    });
    expect(await query("SELECT a FROM t")).toMatchObject(one);
  });

  it("stops a stream in the middle", async () => {
    const controller = new AbortController();
    const read = async (): Promise<void> => {
      const stream = analytics.queryStream({
        scope: "w",
        tableViews: [tableView],
        sql: "SELECT i, repeat('x', 100) FROM range(1000000000) r(i)",
        signal: controller.signal,
      });
      let batches = 0;
      for await (const _ of stream) if (++batches === 3) controller.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: "cancelled" });
    expect(await query("SELECT a FROM t")).toMatchObject(one);
  });

  it("does not begin when it was cancelled before", async () => {
    await expect(query("SELECT 1", { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
  });

  it("that wants too much memory is told so, and disturbs nobody", async () => {
    const hogs = [
      "SELECT list(i) OVER (ORDER BY i) FROM range(1000000) r(i)",
      "SELECT string_agg(repeat('x', 1000), '') FROM range(10000000)",
      "SELECT repeat('x', 2000000000)",
    ];
    for (const sql of hogs) {
      const [hog, innocent] = await Promise.allSettled([
        query(sql, { engine: { memoryMb: 128 } }),
        query("SELECT a FROM t"),
      ]);
      expect(hog, sql).toMatchObject({ status: "rejected", reason: { name: "AppError" } });
      expect(innocent, sql).toMatchObject({ status: "fulfilled", value: one });
    }
  });

  it("that takes its process along takes nobody else along", async () => {
    // Each row is small enough for the engine, which does not count what became of the rows before it.
    const hog = query("SELECT repeat('x', 50000000) FROM range(1000)");
    const innocents = Array.from({ length: 2 }, (_, n) =>
      query(`SELECT ${n} AS n, count(*) FROM range(15000000) r(i) WHERE hash(i) % 7 = ${n}`),
    );
    const [blamed, ...others] = await Promise.allSettled([hog, ...innocents]);
    expect(blamed).toMatchObject({
      status: "rejected",
      reason: { code: "too_large", data: { reason: "memory" } },
    });
    for (const [n, each] of others.entries())
      expect(each).toMatchObject({ status: "fulfilled", value: { rows: [[n, expect.any(Number)]] } });
  });

  it("spills to disk what does not fit, and cleans up", async () => {
    const sql =
      "SELECT count(*) FROM (SELECT i, hash(i) AS h, repeat('x', 50) AS t FROM range(1000000) r(i) ORDER BY h)";
    const engine = { memoryMb: 64 };
    expect(await query(sql, { engine, limits: { ms: 120_000 } })).toMatchObject({ rows: [[1_000_000]] });
    await expect.poll(() => leftovers()).toEqual([]);
  });
});

describe("a process that dies", () => {
  afterEach(() => analytics.remove());

  it("takes only its own queries with it; the next ones work", async () => {
    await open({ workers: 2 });
    const loader = processes();
    const tableViews = ["a", "b"].map((version) => ({ ...tableView, version }));
    // Each is of another workspace, and they are spread over the processes.
    const theirs = (each: TableView) => ({ scope: each.version, tableViews: [each] });
    await Promise.all(tableViews.map((each) => query("SELECT a FROM t", theirs(each))));
    const workers = processes().filter((pid) => !loader.includes(pid));
    const running = tableViews.map((each) =>
      query(ENDLESS, { ...theirs(each), limits: { ms: 60_000 } }).catch(
        (error: { code: string }) => error.code,
      ),
    );
    const busy = async () => (await busyProcesses()).filter((pid) => workers.includes(pid)).length;
    await expect.poll(busy).toBeGreaterThanOrEqual(2);
    // On a slow machine there may be a third one, which waits for work.
    for (const pid of workers) {
      process.kill(pid, "SIGKILL");
      // Whoever ended a process is answered when the next one is there.
      if ((await Promise.race([...running, delay(8_000, "running")])) === "unavailable") break;
    }
    expect(await Promise.race(running)).toBe("unavailable");
    for (const each of tableViews) expect(await query("SELECT a FROM t", theirs(each))).toMatchObject(one);
    const states = await Promise.all(running.map((each) => Promise.race([each, delay(0, "running")])));
    expect(states.sort()).toEqual(["running", "unavailable"]);
    await analytics.close();
    await Promise.all(running);
  });

  it("in the middle of a stream ends the stream with an error", async () => {
    await open({ workers: 1 });
    const read = async (): Promise<void> => {
      let batches = 0;
      for await (const _ of analytics.queryStream({
        scope: "w",
        tableViews: [tableView],
        sql: "SELECT i FROM range(100000000) r(i)",
      })) {
        batches += 1;
        if (batches === 2) for (const pid of processes()) process.kill(pid, "SIGKILL");
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "unavailable" });
    // Another one starts before somebody needs it.
    await expect.poll(() => processes().length).toBeGreaterThan(0);
    expect(await query("SELECT a FROM t")).toMatchObject(one);
  });

  it("under a push is replaced without anybody noticing", async () => {
    await open({ workers: 1 });
    const pushes = Array.from({ length: 30 }, (_, n) =>
      analytics.rowsToPart({ rows: [{ n }], key: analytics.key() }),
    );
    await delay(15);
    for (const pid of processes()) process.kill(pid, "SIGKILL");
    const parts = await Promise.all(pushes);
    expect(parts.map(({ rows }) => rows)).toEqual(parts.map(() => 1));
  });
});

describe("an import", () => {
  openOnce({ workers: 1 });

  it("reports progress, can be cancelled, and leaves nothing", async () => {
    const source = { path: await largeFile() };
    const controller = new AbortController();
    const key = analytics.key();
    const fractions: number[] = [];
    const onProgress = ({ fraction }: { fraction: number }): void => {
      fractions.push(fraction);
      if (fractions.length === 2) controller.abort();
    };
    const importing = analytics.convert({
      source,
      format: "csv",
      key,
      signal: controller.signal,
      onProgress,
    });
    await expect(importing).rejects.toMatchObject({ code: "cancelled" });
    expect(await analytics.blobs.stat(key)).toBeUndefined();
    expect(fractions.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true);
    await expect.poll(() => inputs()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });

  it("whose process dies leaves nothing, takes no other import with it, and can be had again", async () => {
    const source = { path: await largeFile() };
    const key = analytics.key();
    let neighbour: Promise<{ rows: number }> | undefined;
    const onProgress = (): void => {
      if (neighbour !== undefined) return;
      const own = processes();
      neighbour = importSmall("other");
      for (const pid of own) process.kill(pid, "SIGSEGV");
    };
    await expect(analytics.convert({ source, format: "csv", key, onProgress })).rejects.toMatchObject({
      code: "unavailable",
      message: "The process that read this file ended unexpectedly.",
      hint: expect.stringContaining("another format"),
    });
    expect(await neighbour).toMatchObject({ rows: 1 });
    expect(await analytics.blobs.stat(key)).toBeUndefined();
    const again = await analytics.convert({ source, format: "csv", key });
    expect(again.rows).toBe(LARGE_ROWS);
    expect(
      await query("SELECT count(*) FROM big", { tableViews: [tableViewOf("big", again.part)] }),
    ).toMatchObject({ rows: [[LARGE_ROWS]] });
  });

  it("that was cancelled and does not stop keeps its process and its place until it is killed", async () => {
    await Promise.all([importSmall("a"), importSmall("b")]);
    const stopped = processes();
    for (const pid of stopped) process.kill(pid, "SIGSTOP");
    const controller = new AbortController();
    const stuck = ["a", "b"].map((scope) =>
      importSmall(scope, controller.signal).catch((error: { code: string }) => error.code),
    );
    await expect.poll(() => inputs()).toBe(2);
    await delay(200);
    controller.abort();
    expect(await Promise.all(stuck)).toEqual(["cancelled", "cancelled"]);
    // Neither is run beside those, nor lost with them.
    expect(await importSmall("c")).toMatchObject({ rows: 1 });
    await expect.poll(() => inputs()).toBe(0);
    const left = processes().filter((pid) => stopped.includes(pid));
    expect(left).toHaveLength(stopped.length - 2);
    for (const pid of left) process.kill(pid, "SIGCONT");
  });

  it("hands a file over, or leaves it as it was", async () => {
    const path = join(analytics.home, "mine.csv");
    await writeFile(path, "a,b\n1,2\n", { mode: 0o600 });
    await analytics.convert({ source: { path }, format: "csv", key: analytics.key() });
    const { mode, uid, nlink } = await stat(path);
    expect({ mode: mode & 0o777, uid, nlink }).toEqual({ mode: 0o600, uid: process.getuid?.(), nlink: 1 });
    await analytics.convert({ source: { path, handOver: true }, format: "csv", key: analytics.key() });
    await expect(stat(path)).rejects.toThrow("ENOENT");
  });
});

async function importSmall(scope: string, signal?: AbortSignal): Promise<{ rows: number }> {
  const source = { bytes: Buffer.from("a,b\n1,2\n") };
  return analytics.convert({ source, format: "csv", key: analytics.key(), scope, signal });
}

/** Files that lie there to be imported, by their names without an extension. */
async function inputs(): Promise<number> {
  const names = await readdir(join(analytics.home, "tmp"), { recursive: true });
  return names.filter((name) => /^[^/]+\/[^/]+\/[\w-]{16}$/.test(name)).length;
}

const LARGE_ROWS = 2_500_000;

/** Takes a second or two. */
async function largeFile(): Promise<string> {
  const path = join(analytics.home, "large.csv");
  if (existsSync(path)) return path;
  const rows = Array.from(
    { length: 10_000 },
    (_, n) => `${n},${(n * 7_919) % 10_007}.25,2024-01-${(n % 28) + 10},text ${n}\n`,
  );
  const block = rows.join("").replaceAll(/2024-01-(?:29|3\d)/g, "2024-01-28");
  await writeFile(path, "id,amount,day,text\n");
  for (let written = 0; written < LARGE_ROWS; written += rows.length) await appendFile(path, block);
  return path;
}

async function leftovers(): Promise<string[]> {
  const temp = join(analytics.home, "tmp");
  const names = await readdir(temp, { recursive: true });
  return names.filter((name) => /\/(?:made|work)\/.+/.test(name));
}

async function busyProcesses(): Promise<number[]> {
  const before = new Map(processes().map((pid) => [pid, cpuOf(pid)]));
  await delay(500);
  return processes().filter((pid) => cpuOf(pid) - (before.get(pid) ?? 0) > 0);
}

function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

describe("many queries", () => {
  openOnce();

  it("over many views keep only some engines ready", async () => {
    for (let version = 0; version < 80; version += 1) {
      expect(
        await query("SELECT a FROM t", { tableViews: [{ ...tableView, version: String(version) }] }),
      ).toMatchObject(one);
    }
    const shelves = (await readdir(join(analytics.home, "tmp"), { recursive: true })).filter((name) =>
      name.endsWith("0-0.parquet"),
    );
    // On a slow machine a query may count as a long one, and the next ones run elsewhere. One process is the loader's.
    const most = LIMITS.analytics.enginesPerWorker * (processes().length - 1) + 2;
    expect(shelves.length).toBeLessThanOrEqual(most);
  });

  it("let go of parts that were deleted, when they are told, and after the last one has finished", async () => {
    const links = async (): Promise<number> =>
      (await readdir(join(analytics.home, "tmp"), { recursive: true })).filter((name) =>
        name.endsWith("0-0.parquet"),
      ).length;
    const controller = new AbortController();
    await query("SELECT a FROM t");
    const running = query(ENDLESS, { signal: controller.signal }).catch(
      (error: { code: string }) => error.code,
    );
    await delay(200);
    analytics.forget(tableView.parts);
    expect(await query("SELECT a FROM t")).toMatchObject(one);
    await expect.poll(links).toBe(2);
    analytics.forget(tableView.parts);
    controller.abort();
    expect(await running).toBe("cancelled");
    await expect.poll(links).toBe(0);
  });

  it("of one scope share ten places, and keep neither others nor its own light ones waiting for ever", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const slow = Array.from({ length: 11 }, () =>
      query(ENDLESS, { signal, limits: { ms: 20_000 } }).catch((error: { code: string }) => error.code),
    );
    await delay(300);
    const mine = query("SELECT a FROM t").then(() => "answered");
    expect(await query("SELECT a FROM t", { scope: "other" })).toMatchObject(one);
    controller.abort();
    expect(await Promise.all(slow)).toEqual(slow.map(() => "cancelled"));
    expect(await mine).toBe("answered");
  });

  it("beyond what may wait are turned away", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const all = Array.from({ length: 115 }, () =>
      query(ENDLESS, { signal, limits: { ms: 20_000 } }).catch((error: { code: string }) => error.code),
    );
    await delay(300);
    controller.abort();
    const codes = await Promise.all(all);
    // Ten run and a hundred wait; those that turned out to be long wait in a line of their own.
    const away = codes.filter((code) => code === "rate_limited").length;
    expect(away).toBeGreaterThanOrEqual(5);
    expect(away).toBeLessThan(115);
    expect(codes.filter((code) => code === "cancelled")).toHaveLength(115 - away);
  });
});
