import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { openTestCatalog, silentLog } from "../../../test/support/database.ts";
import { Jobs } from "./index.ts";

const catalog = await openTestCatalog();
afterAll(() => catalog.close());

const opened: Jobs[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((jobs) => jobs.stop()));
});

function openJobs(): Jobs {
  const jobs = new Jobs(catalog, silentLog);
  opened.push(jobs);
  return jobs;
}

const number = z.strictObject({ n: z.number() });

async function settled(jobs: Jobs, id: string) {
  return vi.waitFor(
    async () => {
      const status = await jobs.status(id);
      expect(["done", "failed", "cancelled"]).toContain(status.state);
      return status;
    },
    { timeout: 20_000, interval: 20 },
  );
}

describe("a job", () => {
  it("runs and leaves its result", async () => {
    const jobs = openJobs();
    jobs.define("double", number, async ({ n }) => ({ twice: n * 2 }));
    await jobs.start();
    const id = await jobs.enqueue("double", { n: 21 });
    expect(await settled(jobs, id)).toMatchObject({ state: "done", attempt: 1, result: { twice: 42 } });
  });

  it("is refused with wrong data, an unknown name or an unknown id", async () => {
    const jobs = openJobs();
    jobs.define("strict", number, async () => {});
    await expect(jobs.enqueue("strict", { n: "1" })).rejects.toThrow();
    await expect(jobs.enqueue("unheard", {})).rejects.toMatchObject({ code: "not_found" });
    await expect(jobs.status("strict:nonsense")).rejects.toMatchObject({ code: "not_found" });
    const absent = "strict:00000000-0000-4000-8000-000000000000";
    await jobs.enqueue("strict", { n: 1 });
    await expect(jobs.status(absent)).rejects.toMatchObject({ code: "not_found" });
  });

  it("exists only if the transaction that enqueued it commits", async () => {
    const jobs = openJobs();
    const seen: number[] = [];
    jobs.define("transactional", number, async ({ n }) => void seen.push(n));
    await jobs.start();
    const undone = catalog.transaction(async (tx) => {
      await jobs.enqueue("transactional", { n: 1 }, { tx });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    const id = await catalog.transaction((tx) => jobs.enqueue("transactional", { n: 2 }, { tx }));
    await settled(jobs, id);
    expect(seen).toEqual([2]);
  });

  it("is tried again, and given up after its retries", async () => {
    const jobs = openJobs();
    const attempts: number[] = [];
    const options = { retries: 1, retryDelaySeconds: 1 };
    jobs.define(
      "faulty",
      number,
      async (_, { attempt }) => {
        attempts.push(attempt);
        throw new Error("no luck");
      },
      options,
    );
    await jobs.start();
    const id = await jobs.enqueue("faulty", { n: 1 });
    expect(await settled(jobs, id)).toMatchObject({ state: "failed", attempt: 2, error: "no luck" });
    expect(attempts).toEqual([1, 2]);
  });

  it("shows its progress while it runs", async () => {
    const jobs = openJobs();
    const { promise: enough, resolve: finish } = Promise.withResolvers<void>();
    jobs.define("slow", number, async (_, { progress }) => {
      progress(0.5, "half way");
      await enough;
    });
    await jobs.start();
    const id = await jobs.enqueue("slow", { n: 1 });
    await vi.waitFor(
      async () => {
        const { state, progress } = await jobs.status(id);
        expect({ state, progress }).toEqual({
          state: "running",
          progress: { fraction: 0.5, note: "half way" },
        });
      },
      { timeout: 10_000, interval: 20 },
    );
    finish();
    expect(await settled(jobs, id)).toMatchObject({ state: "done", progress: undefined });
    const { rows } = await catalog.db.execute(sql`SELECT * FROM job_progress`);
    expect(rows).toEqual([]);
  });

  it.each(["the process that runs it", "another process"])("can be cancelled by %s", async (who) => {
    const jobs = openJobs();
    const name = `endless-${who.length}`;
    const { promise: aborted, resolve } = Promise.withResolvers<unknown>();
    const endless = async (_: unknown, { signal }: { signal: AbortSignal }) => {
      await sleep(60_000, undefined, { signal }).catch(() => resolve(signal.reason));
    };
    jobs.define(name, number, endless);
    await jobs.start();
    const id = await jobs.enqueue(name, { n: 1 });
    await vi.waitFor(async () => expect((await jobs.status(id)).state).toBe("running"), { timeout: 10_000 });
    const other = openJobs();
    other.define(name, number, endless);
    await (who === "another process" ? other : jobs).cancel(id);
    expect(await aborted).toMatchObject({ code: "cancelled" });
    expect(await settled(jobs, id)).toMatchObject({ state: "cancelled" });
  });
});

describe("a queue", () => {
  it("drains a backlog at once, with bounded concurrency", async () => {
    const jobs = openJobs();
    let atWork = 0;
    let most = 0;
    const work = async () => {
      atWork += 1;
      most = Math.max(most, atWork);
      await sleep(20);
      atWork -= 1;
    };
    jobs.define("many", number, work, { concurrency: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await jobs.enqueue("many", { n }));
    await jobs.start();
    await Promise.all(ids.map((id) => settled(jobs, id)));
    expect(most).toBe(3);
  });

  it("keeps one waiting job a key", async () => {
    const jobs = openJobs();
    const seen: number[] = [];
    jobs.define("keyed", number, async ({ n }) => void seen.push(n));
    const first = await jobs.enqueue("keyed", { n: 1 }, { singletonKey: "a" });
    expect(await jobs.enqueue("keyed", { n: 2 }, { singletonKey: "a" })).toBe(first);
    const other = await jobs.enqueue("keyed", { n: 3 }, { singletonKey: "b" });
    expect(other).not.toBe(first);
    await jobs.start();
    await Promise.all([first, other].map((id) => settled(jobs, id)));
    expect(seen.sort()).toEqual([1, 3]);
  });

  it("holds a job back until its time", async () => {
    const jobs = openJobs();
    jobs.define("later", number, async () => {});
    await jobs.start();
    const id = await jobs.enqueue("later", { n: 1 }, { startAfter: new Date(Date.now() + 3_600_000) });
    await sleep(300);
    expect(await jobs.status(id)).toMatchObject({ state: "waiting" });
  });

  it("waits for the job at work when it stops", async () => {
    const jobs = openJobs();
    let hasEnded = false;
    jobs.define("unhurried", number, async () => {
      await sleep(600);
      hasEnded = true;
    });
    await jobs.start();
    const id = await jobs.enqueue("unhurried", { n: 1 });
    await vi.waitFor(async () => expect((await jobs.status(id)).state).toBe("running"), { timeout: 10_000 });
    await jobs.stop();
    expect(hasEnded).toBe(true);
  });

  it("goes on after its connections were lost", async () => {
    const jobs = openJobs();
    jobs.define("surviving", number, async () => {});
    await jobs.start();
    await catalog.pool.query(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    const id = await jobs.enqueue("surviving", { n: 1 });
    expect(await settled(jobs, id)).toMatchObject({ state: "done" });
  });
});

it("asks nothing of the database as long as there are no jobs", async () => {
  const untouched = await openTestCatalog();
  const jobs = new Jobs(untouched, silentLog);
  await jobs.start();
  await jobs.stop();
  const { rows } = await untouched.pool.query("SELECT to_regnamespace('pgboss') AS schema");
  expect(rows).toEqual([{ schema: null }]);
  await untouched.close();
});
