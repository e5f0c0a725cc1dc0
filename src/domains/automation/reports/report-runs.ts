import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { z } from "zod";
import { isAppError } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import type { Clock } from "../../../kernel/time.ts";
import { type Catalog, type CatalogTx, isOutage } from "../../../platform/catalog/index.ts";
import type { Delivery } from "../../../platform/delivery/index.ts";
import type { JobContext, Jobs } from "../../../platform/jobs/index.ts";
import type { Due, Schedules } from "../../../platform/schedules/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import type { BiServices } from "../../bi/index.ts";
import type { Identity } from "../../identity/index.ts";
import type { DeliveryFailures } from "../delivery-failures.ts";
import { LIMITS } from "../limits.ts";
import { ownerOf } from "../owner.ts";
import { recipientsOf } from "../recipients.ts";
import { type FilesParts, filesOf, insightsOf, messageOf, withoutGone } from "./report-files.ts";
import { KIND, type Report, type ReportRun, type ReportsStore } from "./reports.store.ts";

const JOB = "report.run";
const jobData = z.strictObject({ runId: z.int() });
const TRIES = 3;
const ERROR_CHARACTERS = 500;
const LOOK_MS = 100;

export interface ReportRunsParts extends FilesParts, Pick<BiServices, "boards" | "insights"> {
  catalog: Catalog;
  store: ReportsStore;
  jobs: Jobs;
  schedules: Schedules;
  identity: Pick<Identity, "callerFor">;
  deliveryFailures: DeliveryFailures;
  appUrl: string;
  clock: Clock;
  log: Logger;
}

/** Outcome of a run, with the deliveries to its recipients. */
export interface RunOutcome {
  run: ReportRun;
  deliveries: Delivery[];
}

/** Makes reports when they are due or asked for, and sends them. */
export class ReportRuns {
  readonly #parts: ReportRunsParts;

  constructor(parts: ReportRunsParts) {
    this.#parts = parts;
    const { jobs, schedules } = parts;
    jobs.define(JOB, jobData, ({ runId }, context) => this.#work(runId, context), {
      concurrency: LIMITS.reports.atOnce,
      retries: TRIES - 1,
      retryDelaySeconds: 5,
      timeoutSeconds: LIMITS.reports.makeMs / 1_000,
      keyed: false,
      onStop: "abort",
      onGivenUp: ({ runId }, { reason }) => this.#givenUp(runId, reason),
    });
    schedules.define(KIND, { prepare: () => jobs.wake(), handle: (tx, due) => this.#due(tx, due) });
  }

  async #due(tx: CatalogTx, due: readonly Due[]): Promise<void> {
    const workspaces = await this.#parts.store.workspacesOf(
      tx,
      due.map(({ subject }) => subject),
    );
    for (const { subject, occurrence, missed } of due) {
      const workspaceId = workspaces.get(subject);
      if (workspaceId === undefined) continue;
      await this.#begin(tx, workspaceId, { reportId: subject, occurrenceAt: occurrence, missed });
    }
  }

  async #begin(
    tx: CatalogTx,
    workspaceId: number,
    wish: Parameters<ReportsStore["addRun"]>[1],
  ): Promise<ReportRun> {
    const run = await this.#parts.store.addRun(tx, wish);
    await this.#parts.jobs.enqueue(JOB, { runId: run.id }, { tx, group: String(workspaceId) });
    return run;
  }

  /** Makes and sends it now, and waits a while for what becomes of it. */
  async start(
    caller: Caller,
    report: Report,
    { waitMs, signal }: { waitMs: number; signal: AbortSignal },
  ): Promise<RunOutcome> {
    const { catalog, jobs, store, deliveries } = this.#parts;
    await jobs.wake();
    const begun = await catalog.transaction((tx) =>
      this.#begin(tx, report.workspaceId, { reportId: report.id, askedBy: caller.user.id }),
    );
    const until = performance.now() + waitMs;
    for (;;) {
      const run = (await store.findRun(begun.id))?.run ?? begun;
      const restMs = Math.max(0, until - performance.now());
      if (run.state !== "waiting")
        return { run, deliveries: await deliveries.outcome(runKeyOf(run), restMs, signal) };
      if (restMs === 0) return { run, deliveries: [] };
      await sleep(LOOK_MS, undefined, { signal });
    }
  }

  /** Deliveries of these runs, by recipient. */
  async outcomes(runs: readonly ReportRun[]): Promise<RunOutcome[]> {
    const { signal } = new AbortController();
    return Promise.all(
      runs.map(async (run) => ({
        run,
        deliveries: await this.#parts.deliveries.outcome(runKeyOf(run), 0, signal),
      })),
    );
  }

  async #work(runId: number, { signal, attempt }: JobContext): Promise<void> {
    const { store, catalog, log } = this.#parts;
    const found = await store.findRun(runId);
    if (found === undefined || found.run.state !== "waiting") return;
    const { run, report } = found;
    if (report.deletedAt !== null)
      return void (await store.endRun(catalog.db, runId, {
        state: "failed",
        error: "The report was deleted.",
      }));
    try {
      await this.#make(run, report, signal);
    } catch (error) {
      // That the process stops, or cannot reach its own database, is no fault of the report's.
      if (signal.aborted || isOutage(error)) throw error;
      if (!isAppError(error)) log.error({ err: error, report: report.id }, "a report failed");
      const isPassing = !isAppError(error) || ["unavailable", "timeout", "rate_limited"].includes(error.code);
      if (isPassing && attempt < TRIES) throw error;
      const reason = isAppError(error)
        ? error.advice
        : "Something went wrong inside Kenning; its log says what.";
      await this.#fail(run, report, clip(reason, ERROR_CHARACTERS));
    }
  }

  /** Its process died in every try, or it never ended: nobody else can say so. */
  async #givenUp(runId: number, reason: string): Promise<void> {
    const found = await this.#parts.store.findRun(runId);
    if (found !== undefined) await this.#fail(found.run, found.report, reason);
  }

  /** The owner is told once, until one has gone well again; whoever asked for it sees it in the answer. */
  async #fail(run: ReportRun, report: Report, error: string): Promise<void> {
    const { store, catalog, deliveryFailures, deliveries } = this.#parts;
    const lastGood = await store.lastDone(report.id);
    await deliveries.prepare();
    await catalog.transaction(async (tx) => {
      if (!(await store.endRun(tx, run.id, { state: "failed", error }))) return;
      if (run.askedBy !== null && run.askedBy === report.ownerId) return;
      const says = `The report ${report.name} could not be made: ${error}`;
      await deliveryFailures.tell(tx, `report:${report.id}:after:${lastGood}`, report, [says]);
    });
  }

  async #make(run: ReportRun, report: Report, signal: AbortSignal): Promise<void> {
    const { identity, catalog, store, deliveries, schedules, clock, appUrl } = this.#parts;
    const caller = await ownerOf(identity, report, "report");
    const { left, notes } = await withoutGone(this.#parts.boards, caller, report);
    const files = await filesOf(this.#parts, caller, left, signal);
    const insights = report.withInsights ? await insightsOf(this.#parts, caller, left) : [];
    const at = clock.now();
    const bounded =
      report.boundBy.length === 0
        ? []
        : ["It shows only what its owner and whoever brought this report back may both see."];
    const made = { ...files, notes: [...bounded, ...notes, ...files.notes], insights, at, appUrl };
    const message = messageOf(report, run, made);
    const next = (await schedules.nextOf(KIND, [report.id])).get(report.id);
    const latest = at.getTime() + LIMITS.reports.sendMs;
    const recipients = await recipientsOf(deliveries, report);
    await deliveries.prepare();
    // That it was made, and that it is on its way, is written together: so it is sent once.
    await catalog.transaction(async (tx) => {
      if (!(await store.endRun(tx, run.id, { state: "done", files: files.sent }))) return;
      await deliveries.post(tx, {
        runKey: runKeyOf(run),
        workspaceId: report.workspaceId,
        message,
        recipients,
        expiresAt: new Date(Math.min(latest, Math.max(next?.getTime() ?? latest, at.getTime() + 60_000))),
      });
    });
  }
}

function runKeyOf({ reportId, id }: ReportRun): string {
  return `report:${reportId}:${id}`;
}
