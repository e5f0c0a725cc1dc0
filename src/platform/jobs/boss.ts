import { sql } from "drizzle-orm";
import type { ConstructorOptions, Db, JobWithMetadata, PgBoss } from "pg-boss";
import type { z } from "zod";
import { messageOf } from "../../kernel/errors.ts";
import { LogThrottle } from "../../kernel/logging.ts";
import type { Catalog, CatalogLog, CatalogTx } from "../catalog/index.ts";
import type { GivenUpHandler } from "./job-options.ts";

const SCHEMA = "pgboss";
/** New jobs wake their worker at once; polling only catches what a notification missed. */
export const POLL_SECONDS = 30;
export const POLLING = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS };
const SLOW_INTERVAL_SECONDS = 3_600;
/** How often jobs are looked for whose worker has died. */
const SUPERVISE_SECONDS = 20;
/** Who looks sooner than this after another finds nothing, which is sooner than a new server looks a second time. */
const MONITOR_SECONDS = 5;

/** pg-boss over the catalog's connections, so that it needs no pool of its own and heals with it. */
function overCatalog(catalog: Catalog): Db {
  return {
    executeSql: (text, values) => catalog.pool.query(text, values),
    async listen(channel, onNotification, onReconnect) {
      return { close: await catalog.listen(channel, { onNotification, onReconnect }) };
    },
  };
}

/** pg-boss inside a transaction of the catalog's. */
export async function overTransaction(tx: CatalogTx): Promise<Db> {
  const { fromDrizzle } = await import("pg-boss");
  return fromDrizzle(tx, sql);
}

/** The queue's schema exists: there has been a job in this database. */
export async function hasQueues(catalog: Catalog): Promise<boolean> {
  const { rows } = await catalog.pool.query<{ found: boolean }>(
    `SELECT to_regclass('${SCHEMA}.job') IS NOT NULL AS found`,
  );
  return rows[0]?.found === true;
}

/** Starts pg-boss: one that only sends jobs, or one that also works and looks after the queues. */
export async function startBoss(
  catalog: Catalog,
  log: CatalogLog,
  role: "sender" | "worker",
): Promise<PgBoss> {
  // Loaded here because it takes longer to load than the rest of the catalog to start.
  const { PgBoss } = await import("pg-boss");
  const options: ConstructorOptions = {
    db: overCatalog(catalog),
    schema: SCHEMA,
    supervise: role === "worker",
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: MONITOR_SECONDS,
    queueCacheIntervalSeconds: SUPERVISE_SECONDS,
    useListenNotify: role === "worker",
    schedule: false,
    // Dependent jobs and background migrations are not used; their polling would be all the idle traffic.
    flowIntervalSeconds: SLOW_INTERVAL_SECONDS,
    bamIntervalSeconds: SLOW_INTERVAL_SECONDS,
  };
  const boss = new PgBoss(options);
  const throttle = new LogThrottle();
  boss.on("error", (error) => {
    // It hands on what the driver threw as a copy, which is no error any more.
    const reason = messageOf((error as { message?: unknown }).message ?? error);
    throttle.log(reason, (since) => log.warn({ reason, ...since }, "a job queue reports an error"));
  });
  boss.on("warning", ({ message }) => log.warn({ reason: message }, "a job queue warns"));
  await boss.start();
  return boss;
}

/** Where pg-boss puts a copy of every job that was given up, in the statement that gives it up. */
export const DEAD_LETTERS = "jobs.given-up";
/** Enough for the database to be away for some minutes. */
const RETRIES = 10;
/** What pg-boss says of a job that did not end by itself, and what we say when it is told to. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^job heartbeat timeout$/, "The server stopped in the middle of it."],
  [/^job timed out$|^handler execution exceeded|^The job took longer than/, "It took too long."],
];
/** What else was thrown is for the log alone. */
const UNEXPECTED = "Something went wrong inside Kenning; its log says what.";

/** Output of a job: its result, its error, or what pg-boss says of one that did not end by itself. */
export interface JobOutput {
  result?: unknown;
  message?: string;
  value?: { message?: string };
}

export function messageIn(output: JobOutput | null | undefined): string | undefined {
  return output?.message ?? output?.value?.message;
}

export async function makeDeadLetters(boss: PgBoss): Promise<void> {
  await boss.createQueue(DEAD_LETTERS, { retryLimit: RETRIES, retryBackoff: true, notify: true });
}

interface Receiver {
  schema: z.ZodType;
  onGivenUp?: GivenUpHandler<unknown> | undefined;
}

/**
 * A job whose process died in its last try, or that never ended, has nobody left to say so: whoever defined it is told
 * here, and again where that fails. Resolves with the id of the worker.
 */
export async function readDeadLetters(boss: PgBoss, receiverOf: (name: string) => Receiver): Promise<string> {
  const options = { includeMetadata: true, ...POLLING, localConcurrency: 2, groupConcurrency: 1 } as const;
  const worker = await boss.work(DEAD_LETTERS, options, async (jobs) => {
    // pg-boss rests after each job, but there may be more than the one it was woken for.
    boss.notifyWorker(worker);
    const [{ data, output, sourceName, sourceRetryCount }] = jobs as [JobWithMetadata<unknown>];
    const { schema, onGivenUp } = receiverOf(sourceName ?? "");
    await onGivenUp?.(schema.parse(data), {
      reason:
        REASONS.find(([said]) => said.test(messageIn(output as JobOutput | null) ?? ""))?.[1] ?? UNEXPECTED,
      tries: (sourceRetryCount ?? 0) + 1,
    });
  });
  return worker;
}
