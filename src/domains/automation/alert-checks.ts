import type { Logger } from "pino";
import { z } from "zod";
import { mapBounded } from "../../kernel/concurrency.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { clip, newUuid } from "../../kernel/text.ts";
import { type Clock, MS, timeLimit } from "../../kernel/time.ts";
import { type Catalog, type CatalogTx, isOutage } from "../../platform/catalog/index.ts";
import type { Deliveries, Delivery } from "../../platform/delivery/index.ts";
import type { JobContext, Jobs } from "../../platform/jobs/index.ts";
import type { Due, Schedules } from "../../platform/schedules/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Dataset } from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import { type AlertTransition, type Found, nextAlertState } from "./alert-state.ts";
import { type Alert, type AlertsStore, KIND } from "./alerts.store.ts";
import { type Evaluation, type EvaluationParts, evaluate, nothing, unmatched } from "./evaluate.ts";
import { LIMITS } from "./limits.ts";
import { type NoticeContent, noticeOf } from "./notice.ts";
import { ownerOf } from "./owner.ts";
import { recipientsOf } from "./recipients.ts";

const CHECK = "alert.check";
const REACT = "alert.react";
const checkData = z.strictObject({ alertIds: z.array(z.int()) });
const reactData = z.strictObject({ datasetId: z.int() });
/** An alert that is changed while it is checked is checked again. */
const CHECK_TRIES = 3;
const ERROR_CHARACTERS = 500;

export interface AlertChecksParts extends EvaluationParts {
  catalog: Catalog;
  store: AlertsStore;
  jobs: Jobs;
  schedules: Schedules;
  deliveries: Deliveries;
  identity: Pick<Identity, "callerFor">;
  appUrl: string;
  clock: Clock;
  log: Logger;
}

/** Result of a check: its findings, or why it failed. */
interface Checked {
  found: Found;
  says: string;
  datasetName: string;
  evaluation: Evaluation | null;
}

/** With whose eyes which dataset is looked at. */
interface CheckTarget {
  caller: Caller;
  dataset: Dataset;
}

/** Checks alerts when they are due and when their dataset changes, and tells what came of it. */
export class AlertChecks {
  readonly #parts: AlertChecksParts;

  constructor(parts: AlertChecksParts) {
    this.#parts = parts;
    const { jobs, schedules, store } = parts;
    const options = {
      concurrency: LIMITS.alerts.checks,
      retries: 5,
      retryDelaySeconds: 2,
      onStop: "abort" as const,
    };
    jobs.define(
      CHECK,
      checkData,
      ({ alertIds }, context) => this.#work(() => store.awake(alertIds), context),
      {
        ...options,
        keyed: false,
        onGivenUp: ({ alertIds }, { reason }) => this.#givenUp(() => store.awake(alertIds), reason),
      },
    );
    jobs.define(
      REACT,
      reactData,
      ({ datasetId }, context) => this.#work(() => store.watching(datasetId), context),
      {
        ...options,
        onGivenUp: ({ datasetId }, { reason }) => this.#givenUp(() => store.watching(datasetId), reason),
      },
    );
    schedules.define(KIND, {
      prepare: () => jobs.wake(),
      handle: (tx, due) => this.#due(tx, due),
      together: store.datasetOf,
    });
  }

  /** One job a dataset and owner: they read the same rows. */
  async #due(tx: CatalogTx, due: readonly Due[]): Promise<void> {
    const { store, jobs } = this.#parts;
    const found = await store.awake(
      due.map(({ subject }) => subject),
      tx,
    );
    const groups = Map.groupBy(found, targetKey);
    for (const group of groups.values()) {
      const alertIds = group.map(({ id }) => id);
      await jobs.enqueue(CHECK, { alertIds }, { tx, group: String(group[0]?.workspaceId) });
    }
  }

  /** A dataset has changed, or a run of its query has ended: what watches it is checked once things are quiet. */
  async react(datasetId: number): Promise<void> {
    const { store, jobs } = this.#parts;
    const [watching] = await store.watching(datasetId);
    if (watching === undefined) return;
    await jobs.enqueue(
      REACT,
      { datasetId },
      {
        singletonKey: String(datasetId),
        startAfter: new Date(Date.now() + LIMITS.alerts.gatherMs),
        group: String(watching.workspaceId),
      },
    );
  }

  async #work(load: () => Promise<Alert[]>, { signal }: JobContext): Promise<void> {
    await this.#parts.deliveries.prepare();
    // Grouped by owner and dataset, who see the same rows, so that these are looked up once.
    const groups = Map.groupBy(await load(), targetKey);
    for (const alerts of groups.values()) await this.#checkAll(alerts, signal);
  }

  /** Its process died in every try, or it never ended: that counts as a check that failed. */
  async #givenUp(load: () => Promise<Alert[]>, says: string): Promise<void> {
    await this.#parts.deliveries.prepare();
    for (const alert of await load()) {
      const datasetName = `dataset ${alert.datasetId}`;
      await this.#settle(alert, {
        found: { kind: "failed", isFinal: false },
        says,
        datasetName,
        evaluation: null,
      });
    }
  }

  async #checkAll(alerts: readonly Alert[], signal: AbortSignal): Promise<void> {
    const target = this.#target(alerts[0] as Alert);
    const none = await target
      .then(({ caller, dataset }) => unmatched(this.#parts, caller, dataset, alerts))
      // Errors are reported for each alert below.
      .catch(() => new Set<Alert>());
    const checks = await mapBounded(alerts, LIMITS.alerts.looksAtOnce, async (alert) => {
      signal.throwIfAborted();
      return { alert, checked: await this.#look(alert, target, signal, none.has(alert)) };
    });
    const quiet = checks.filter(({ alert, checked }) => isUnchanged(alert, checked));
    const settled = await this.#parts.store.settleQuiet(quiet.map(({ alert }) => alert));
    for (const { alert, checked } of checks) {
      signal.throwIfAborted();
      if (!settled.has(alert.id)) await this.#check(alert, checked, signal);
    }
  }

  /** The owner of an alert, with their current rights, and its dataset. */
  async #target(alert: Alert): Promise<CheckTarget> {
    const caller = await ownerOf(this.#parts.identity, alert, "alert");
    return { caller, dataset: await this.#parts.data.require(caller, alert.datasetId) };
  }

  /** An alert that was changed meanwhile is looked at again. */
  async #check(alert: Alert, first: Checked, signal: AbortSignal): Promise<void> {
    let current: Alert | undefined = alert;
    let checked = first;
    for (let tries = 0; tries < CHECK_TRIES; tries += 1) {
      if (await this.#settle(current, checked)) return;
      [current] = await this.#parts.store.awake([alert.id]);
      if (current === undefined) return;
      checked = await this.#look(current, this.#target(current), signal);
    }
  }

  /** Looks as the owner, unless it is known already that nothing matches. */
  async #look(
    alert: Alert,
    target: Promise<CheckTarget>,
    signal: AbortSignal,
    isUnmatched = false,
  ): Promise<Checked> {
    let datasetName = `dataset ${alert.datasetId}`;
    try {
      const { caller, dataset } = await target;
      datasetName = dataset.name;
      const limited = AbortSignal.any([signal, timeLimit(LIMITS.alerts.checkMs, "The check")]);
      const evaluation = isUnmatched
        ? nothing(alert.sentence)
        : await evaluate(this.#parts, caller, dataset, alert, limited);
      return { found: evaluation.found, says: evaluation.says, datasetName, evaluation };
    } catch (error) {
      // That the process stops, or cannot reach its own database, is no fault of the alert's.
      if (signal.aborted || isOutage(error)) throw error;
      if (!isAppError(error)) this.#parts.log.error({ err: error, alert: alert.id }, "an alert failed");
      const reason = isAppError(error)
        ? error.advice
        : "Something went wrong inside Kenning; its log says what.";
      const isFinal = isAppError(error) && error.code === "forbidden";
      const says = clip(reason, ERROR_CHARACTERS);
      return { found: { kind: "failed", isFinal }, says, datasetName, evaluation: null };
    }
  }

  /** State, history and messages are written together. False when the alert is not what was checked any more. */
  async #settle(alert: Alert, checked: Checked): Promise<boolean> {
    const { catalog, store, clock } = this.#parts;
    const calm = alert.frequency === "minutes" && !alert.realtime ? LIMITS.alerts.calmChecks : 1;
    const { after, happening } = nextAlertState(alert, checked.found, { hold: alert.hold, calm });
    const at = clock.now();
    const hasFailed = checked.found.kind === "failed";
    const patch = {
      ...after,
      checkedAt: at,
      lastError: hasFailed ? checked.says : null,
      ...(after.state !== alert.state && { stateSince: at }),
      ...(!hasFailed && { matchedRows: checked.evaluation?.matched?.total ?? 0 }),
    };
    const runKey = `alert:${alert.id}:${alert.version + 1}`;
    const recipients = await recipientsOf(this.#parts.deliveries, alert);
    const isTold = happening !== null && happening !== "repaired" && recipients.length > 0;
    const message = isTold
      ? await noticeOf(alert, this.#told(newRowsOf(alert, checked), happening, at, false))
      : undefined;
    return catalog.transaction(async (tx) => {
      const settled = await store.settle(tx, alert, patch);
      if (settled === undefined) return false;
      if (happening === null) return true;
      await store.record(tx, {
        alertId: alert.id,
        at,
        happening,
        rows: checked.evaluation?.matched?.total ?? null,
        summary: checked.says,
        runKey: isTold ? runKey : null,
      });
      if (message !== undefined)
        await this.#parts.deliveries.post(tx, {
          runKey,
          workspaceId: alert.workspaceId,
          message,
          recipients,
          expiresAt: new Date(at.getTime() + LIMITS.alerts.noticeMs),
        });
      return true;
    });
  }

  #told(
    { says, datasetName, evaluation }: Checked,
    happening: Exclude<AlertTransition, "repaired">,
    at: Date,
    isTest: boolean,
  ): NoticeContent {
    return {
      happening,
      isTest,
      says,
      matched: evaluation?.matched ?? null,
      datasetName,
      at,
      appUrl: this.#parts.appUrl,
    };
  }

  /** The same without a record: what matches is sent, marked as a test. */
  async test(alert: Alert, signal: AbortSignal): Promise<{ checked: Checked; deliveries: Delivery[] }> {
    const { catalog, clock, deliveries } = this.#parts;
    const checked = await this.#look(alert, this.#target(alert), signal);
    if (checked.found.kind === "failed") throw new AppError("bad_request", checked.says);
    const recipients = await recipientsOf(this.#parts.deliveries, alert);
    if (checked.found.kind !== "match" || recipients.length === 0) return { checked, deliveries: [] };
    const at = clock.now();
    const message = await noticeOf(alert, this.#told(checked, "fired", at, true));
    const runKey = `alert-test:${alert.id}:${newUuid()}`;
    const { workspaceId } = alert;
    const expiresAt = new Date(at.getTime() + MS.hour);
    await deliveries.prepare();
    await catalog.transaction((tx) =>
      deliveries.post(tx, { runKey, workspaceId, message, recipients, expiresAt }),
    );
    return { checked, deliveries: await deliveries.outcome(runKey, LIMITS.alerts.testMs, signal) };
  }
}

function targetKey({ datasetId, ownerId, boundBy }: Alert): string {
  return [datasetId, ownerId, ...boundBy].join(" ");
}

/** Of an alert that tells rows apart only those that were not told of before. */
function newRowsOf({ toldRows }: Alert, checked: Checked): Checked {
  const { found, evaluation } = checked;
  if (toldRows === null || found.kind !== "match" || found.rows === undefined || evaluation?.matched == null)
    return checked;
  const told = new Set(toldRows);
  const { matched } = evaluation;
  const rows = matched.rows.filter((_, i) => !told.has(found.rows?.[i] ?? ""));
  if (rows.length === 0) return checked;
  const says = `${rows.length} new of ${matched.total}. ${checked.says}`;
  return {
    ...checked,
    says,
    evaluation: { ...evaluation, matched: { ...matched, rows, total: rows.length } },
  };
}

/** Nothing matches, as before: there is nothing to tell and nothing to change but when it was checked. */
function isUnchanged({ state, failures, matches, toldHash }: Alert, { found }: Checked): boolean {
  return found.kind === "calm" && state === "ok" && failures === 0 && matches === 0 && toldHash === null;
}
