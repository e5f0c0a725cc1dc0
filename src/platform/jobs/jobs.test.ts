import { setTimeout as sleep } from "node:timers/promises";
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
const OURS = { group: "ours" };

async function settled(jobs: Jobs, id: string) {
  return vi.waitFor(
    async () => {
      const status = await jobs.status(id);
      expect(["done", "failed", "cancelled"]).toContain(status.state);
      return status;
    },
    { timeout: 60_000, interval: 20 },
  );
}

describe("a job", () => {
  it("runs and leaves its result", async () => {
    const jobs = openJobs();
    jobs.define("double", number, async ({ n }) => ({ twice: n * 2 }));
    await jobs.start();
    const id = await jobs.enqueue("double", { n: 21 }, OURS);
    expect(await settled(jobs, id)).toMatchObject({ state: "done", attempt: 1, result: { twice: 42 } });
  });

  it("is refused with wrong data, an unknown name or an unknown id", async () => {
    const jobs = openJobs();
    jobs.define("strict", number, async () => {});
    await expect(jobs.enqueue("strict", { n: "1" }, OURS)).rejects.toThrow();
    await expect(jobs.enqueue("unheard", {}, OURS)).rejects.toMatchObject({ code: "not_found" });
    await expect(jobs.status("strict:nonsense")).rejects.toMatchObject({ code: "not_found" });
    const absent = "strict:00000000-0000-4000-8000-000000000000";
    await jobs.enqueue("strict", { n: 1 }, OURS);
    await expect(jobs.status(absent)).rejects.toMatchObject({ code: "not_found" });
  });

  it("exists only if the transaction that enqueued it commits", async () => {
    const jobs = openJobs();
    const seen: number[] = [];
    jobs.define("transactional", number, async ({ n }) => void seen.push(n));
    await jobs.start();
    const undone = catalog.transaction(async (tx) => {
      await jobs.enqueue("transactional", { n: 1 }, { tx, ...OURS });
      throw new Error("undone");
    });
    await expect(undone).rejects.toThrow("undone");
    const id = await catalog.transaction((tx) => jobs.enqueue("transactional", { n: 2 }, { tx, ...OURS }));
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
    const id = await jobs.enqueue("faulty", { n: 1 }, OURS);
    expect(await settled(jobs, id)).toMatchObject({ state: "failed", attempt: 2, error: "no luck" });
    expect(attempts).toEqual([1, 2]);
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
    const id = await jobs.enqueue(name, { n: 1 }, OURS);
    await vi.waitFor(async () => expect((await jobs.status(id)).state).toBe("running"), { timeout: 30_000 });
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
      await sleep(100);
      atWork -= 1;
    };
    jobs.define("many", number, work, { concurrency: 3, perGroup: 2 });
    const ids: string[] = [];
    for (let n = 0; n < 20; n += 1) ids.push(await jobs.enqueue("many", { n }, { group: String(n % 2) }));
    await jobs.start();
    await Promise.all(ids.map((id) => settled(jobs, id)));
    expect(most).toBe(3);
  });

  it("keeps one waiting job a key", async () => {
    const jobs = openJobs();
    const seen: number[] = [];
    jobs.define("keyed", number, async ({ n }) => void seen.push(n));
    const first = await jobs.enqueue("keyed", { n: 1 }, { singletonKey: "a", ...OURS });
    expect(await jobs.enqueue("keyed", { n: 2 }, { singletonKey: "a", ...OURS })).toBe(first);
    const other = await jobs.enqueue("keyed", { n: 3 }, { singletonKey: "b", ...OURS });
    expect(other).not.toBe(first);
    await jobs.start();
    await Promise.all([first, other].map((id) => settled(jobs, id)));
    expect(seen.sort()).toEqual([1, 3]);
  });

  it("holds a job back until its time", async () => {
    const jobs = openJobs();
    jobs.define("later", number, async () => {});
    await jobs.start();
    const id = await jobs.enqueue(
      "later",
      { n: 1 },
      { ...OURS, startAfter: new Date(Date.now() + 3_600_000) },
    );
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
    const id = await jobs.enqueue("unhurried", { n: 1 }, OURS);
    await vi.waitFor(async () => expect((await jobs.status(id)).state).toBe("running"), { timeout: 30_000 });
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
    const id = await jobs.enqueue("surviving", { n: 1 }, OURS);
    expect(await settled(jobs, id)).toMatchObject({ state: "done" });
  });
});

/** Works until it is told to end, and then fails. */
const untilAborted = async (_: unknown, { signal }: { signal: AbortSignal }) => {
  await sleep(60_000, undefined, { signal });
};

const running = (jobs: Jobs, id: string) =>
  vi.waitFor(async () => expect((await jobs.status(id)).state).toBe("running"), { timeout: 30_000 });

describe("a try", () => {
  it("does not count when its process stops", async () => {
    const first = openJobs();
    first.define("interrupted", number, untilAborted, { retries: 0, onStop: "abort" });
    await first.start();
    const id = await first.enqueue("interrupted", { n: 1 }, OURS);
    await running(first, id);
    await first.stop();
    expect(await first.status(id)).toMatchObject({ state: "waiting", attempt: 1 });
    const second = openJobs();
    second.define("interrupted", number, async (_, { attempt }) => attempt, { retries: 0 });
    await second.start();
    expect(await settled(second, id)).toMatchObject({ state: "done", attempt: 1, result: 1 });
  });

  it("ends when its process was taken for dead, and leaves the job to the next try", async () => {
    const jobs = openJobs();
    const reasons: unknown[] = [];
    const { promise: enough, resolve: finish } = Promise.withResolvers<void>();
    const work = async (_: unknown, { attempt, signal }: { attempt: number; signal: AbortSignal }) => {
      if (attempt > 1) return enough.then(() => attempt);
      await sleep(60_000, undefined, { signal }).catch(() => reasons.push(signal.reason));
      return attempt;
    };
    jobs.define("revenant", number, work, { concurrency: 2, retryDelaySeconds: 1 });
    await jobs.start();
    const id = await jobs.enqueue("revenant", { n: 1 }, OURS);
    await running(jobs, id);
    const uuid = id.slice("revenant:".length);
    // What pg-boss does with a job whose heartbeat has stopped, and its next fetch.
    await catalog.pool.query("UPDATE pgboss.job SET state = 'retry' WHERE id = $1", [uuid]);
    await vi.waitFor(() => expect(reasons).toMatchObject([{ code: "cancelled" }]), 30_000);
    const other = openJobs();
    other.define("revenant", number, work);
    const worked = other.workOn(id, new AbortController().signal);
    await vi.waitFor(async () => expect((await jobs.status(id)).attempt).toBe(2), { timeout: 30_000 });
    await sleep(500);
    expect(await jobs.status(id)).toMatchObject({ state: "running" });
    finish();
    await worked;
    expect(await settled(jobs, id)).toMatchObject({ state: "done", attempt: 2, result: 2 });
  });
});

describe("a process without workers", () => {
  it("works on its own job and on no other", async () => {
    const jobs = openJobs();
    const seen: number[] = [];
    const work = async ({ n }: { n: number }, { attempt }: { attempt: number }) => {
      seen.push(n);
      if (attempt === 1) throw new Error("not yet");
    };
    jobs.define("own", number, work, { retryDelaySeconds: 1 });
    const others = await jobs.enqueue("own", { n: 1 }, OURS);
    const own = await jobs.enqueue("own", { n: 2 }, OURS);
    await jobs.workOn(own, new AbortController().signal);
    expect(seen).toEqual([2, 2]);
    expect(await jobs.status(own)).toMatchObject({ state: "done", attempt: 2 });
    expect(await jobs.status(others)).toMatchObject({ state: "waiting" });
  });

  it("gives its job back when it is told to stop", async () => {
    const jobs = openJobs();
    jobs.define("given-back", number, untilAborted, { onStop: "abort" });
    const id = await jobs.enqueue("given-back", { n: 1 }, OURS);
    const stop = new AbortController();
    const worked = jobs.workOn(id, stop.signal);
    await running(jobs, id);
    stop.abort();
    await worked;
    expect(await jobs.status(id)).toMatchObject({ state: "waiting", attempt: 1 });
  });
});

it("leaves a place for others when one group has many jobs", async () => {
  const jobs = openJobs();
  const atWork = new Map<string, number>();
  let most = 0;
  const { promise: enough, resolve: finish } = Promise.withResolvers<void>();
  const group = z.strictObject({ who: z.string() });
  const work = async ({ who }: { who: string }) => {
    atWork.set(who, (atWork.get(who) ?? 0) + 1);
    most = Math.max(most, atWork.get(who) ?? 0);
    if (who === "greedy") await enough;
    atWork.set(who, (atWork.get(who) ?? 0) - 1);
  };
  jobs.define("shared", group, work, { concurrency: 4, perGroup: 3, keyed: false });
  await jobs.start();
  const greedy = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(() => jobs.enqueue("shared", { who: "greedy" }, { group: "greedy" })),
  );
  await vi.waitFor(() => expect(atWork.get("greedy")).toBe(3), 30_000);
  const modest = await jobs.enqueue("shared", { who: "modest" }, { group: "modest" });
  expect(await settled(jobs, modest)).toMatchObject({ state: "done" });
  finish();
  await Promise.all(greedy.map((id) => settled(jobs, id)));
  expect(most).toBe(3);
});

it("has no queue that one workspace could hold", () => {
  const jobs = openJobs();
  const define = (concurrency: number, perGroup?: number) => () =>
    jobs.define(`held-${concurrency}-${perGroup}`, number, async () => {}, {
      concurrency,
      ...(perGroup !== undefined && { perGroup }),
    });
  expect(define(1)).toThrow("one workspace could hold all workers");
  expect(define(3, 3)).toThrow("one workspace could hold all workers");
  expect(define(2)).not.toThrow();
});

describe("a job whose process dies in every try", () => {
  /** What is left of a process that was killed: a try that nobody ends and whose heart does not beat. */
  const killed = async (id: string) => {
    const uuid = id.slice(id.indexOf(":") + 1);
    const { rowCount } = await catalog.pool.query(
      `UPDATE pgboss.job SET state = 'active', started_on = coalesce(started_on, now()), start_after = now(),
         retry_count = retry_count + (started_on IS NOT NULL)::int, heartbeat_on = now() - interval '1 hour'
       WHERE id = $1 AND state < 'active'`,
      [uuid],
    );
    expect(rowCount).toBe(1);
  };

  it("is given up after its tries, and whoever defined it is told", async () => {
    const sender = openJobs();
    const told: unknown[] = [];
    const options = {
      retries: 1,
      onGivenUp: async (data: unknown, why: object) => void told.push([data, why]),
    };
    const deadly = async () => {
      throw new Error("nobody gets here: each try dies before");
    };
    sender.define("deadly", number, deadly, options);
    const id = await sender.enqueue("deadly", { n: 7 }, OURS);
    await killed(id);
    await sender.workOn(id, AbortSignal.timeout(1)).catch(() => undefined);
    expect(await sender.status(id)).toMatchObject({ state: "waiting" });
    await killed(id);
    // A start looks for what others left behind; other tests of this file have other names.
    await catalog.pool.query("UPDATE pgboss.queue SET monitor_on = NULL, monitor_claim_on = NULL");
    const jobs = openJobs();
    jobs.define("deadly", number, deadly, options);
    await jobs.start();
    const why = { reason: "The server stopped in the middle of it.", tries: 2 };
    await vi.waitFor(() => expect(told).toEqual([[{ n: 7 }, why]]), { timeout: 60_000 });
    expect(await jobs.status(id)).toMatchObject({ state: "failed", attempt: 2 });
  });
});

it("wakes up for the first job of another process", async () => {
  const fresh = await openTestCatalog();
  const dormant = new Jobs(fresh, silentLog);
  const sender = new Jobs(fresh, silentLog);
  for (const jobs of [dormant, sender]) jobs.define("first", number, async () => "done");
  await dormant.start({ at: "first_queue" });
  const id = await sender.enqueue("first", { n: 1 }, OURS);
  await dormant.sweep();
  expect(await settled(sender, id)).toMatchObject({ state: "done" });
  await Promise.all([dormant.stop(), sender.stop()]);
  await fresh.close();
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
