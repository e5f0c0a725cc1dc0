import { setTimeout as sleep } from "node:timers/promises";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog } from "../catalog/index.ts";

const CHECK_MS = 1_000;
/** How many times a try that was superseded looks whether the next one has begun. */
const LOOKS_FOR_NEXT = 10;

interface Try extends Pick<JobTry, "id" | "name" | "retryCount" | "groupId"> {
  controller: AbortController;
  onStop: "finish" | "abort";
  /** Told to end because this process stops: it is no fault of the job's. */
  isStopped: boolean;
  /** Another try has begun or will; this one has nothing to say about the job any more. */
  isSuperseded: boolean;
}

/** The tries of jobs at work in this process, and what makes them end early. */
export class Tries {
  readonly #catalog: Catalog;
  readonly #log: CatalogLog;
  readonly #tries = new Map<string, Try>();
  #watch: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(catalog: Catalog, log: CatalogLog) {
    this.#catalog = catalog;
    this.#log = log;
  }

  /** How many other jobs of the group of this one are at work. */
  ofGroup({ id, name, groupId }: Pick<JobTry, "id" | "name" | "groupId">): number {
    if (groupId == null) return 0;
    return [...this.#tries.values()].filter(
      (entry) => entry.id !== id && entry.name === name && entry.groupId === groupId && !entry.isSuperseded,
    ).length;
  }

  begin({ id, name, retryCount, groupId }: JobTry, onStop: Try["onStop"]): Try {
    const older = this.#tries.get(id);
    if (older !== undefined) supersede(older);
    const controller = new AbortController();
    const flags = { isStopped: false, isSuperseded: false };
    const begun = { id, name, retryCount, groupId, controller, onStop, ...flags };
    this.#tries.set(id, begun);
    // It was fetched in the moment in which the others were told.
    if (this.#isStopping) stop(begun);
    this.#watchOver();
    return begun;
  }

  async end(ended: Try): Promise<void> {
    if (this.#tries.get(ended.id) === ended) this.#tries.delete(ended.id);
    if (ended.isSuperseded) await this.#outlast(ended);
  }

  cancel(id: string): void {
    this.#tries.get(id)?.controller.abort(cancelled());
  }

  stop(id: string): void {
    const found = this.#tries.get(id);
    if (found !== undefined) stop(found);
  }

  /** Tells all that can be told to end, and those that begin from now on. */
  stopAll(): void {
    this.#isStopping = true;
    clearInterval(this.#watch);
    this.#watch = undefined;
    for (const entry of this.#tries.values()) stop(entry);
  }

  resume(): void {
    this.#isStopping = false;
  }

  /** Jobs are cancelled, or given to another process, in the database: while some run, look there now and then. */
  #watchOver(): void {
    this.#watch ??= setInterval(() => {
      if (this.#tries.size === 0) {
        clearInterval(this.#watch);
        this.#watch = undefined;
        return;
      }
      this.#check().catch((error) =>
        this.#log.debug({ reason: messageOf(error) }, "jobs could not be checked"),
      );
    }, CHECK_MS).unref();
  }

  async #check(): Promise<void> {
    const tries = [...this.#tries.values()];
    const names = [...new Set(tries.map(({ name }) => name))];
    const rows = await jobRows(
      this.#catalog,
      names,
      tries.map(({ id }) => id),
    );
    for (const entry of tries) {
      const row = rows.get(entry.id);
      if (row === undefined || row.state === "cancelled") entry.controller.abort(cancelled());
      else if (row.state !== "active" || row.retryCount !== entry.retryCount) supersede(entry);
    }
  }

  /**
   * pg-boss ends a job by its id alone: a try that another one followed must not end the work of that one. It waits for
   * the next to begin as well, but only so long: that may need the very worker which waits here.
   */
  async #outlast({ id, name }: Try): Promise<void> {
    for (let looks = 0; !this.#isStopping; looks += 1) {
      const state = await jobRows(this.#catalog, [name], [id]).then(
        (rows) => rows.get(id)?.state,
        () => "active",
      );
      const isWaiting = state === "retry" || state === "created";
      if (state !== "active" && !(isWaiting && looks < LOOKS_FOR_NEXT)) return;
      await sleep(CHECK_MS, undefined, { ref: false });
    }
  }
}

function stop(entry: Try): void {
  if (entry.onStop !== "abort" || entry.controller.signal.aborted) return;
  entry.isStopped = true;
  entry.controller.abort(new AppError("unavailable", "Kenning is stopping."));
}

function supersede(entry: Try): void {
  entry.isSuperseded = true;
  entry.controller.abort(new AppError("cancelled", "Another try of this job has begun."));
}

function cancelled(): AppError {
  return new AppError("cancelled", "The job was cancelled.");
}

/** What is asked of the rows of jobs that pg-boss has no call for. */

/** One try of a job, as whoever works on it sees it. */
export interface JobTry {
  id: string;
  name: string;
  data: unknown;
  /** 0 for the first try. */
  retryCount: number;
  retryLimit: number;
  groupId?: string | null | undefined;
  /** Aborts when it takes too long. */
  signal: AbortSignal;
}

interface JobRow {
  id: string;
  state: string;
  retryCount: number;
}

export async function jobRows(
  catalog: Catalog,
  names: readonly string[],
  ids: readonly string[],
): Promise<Map<string, JobRow>> {
  const { rows } = await catalog.pool.query<JobRow>(
    'SELECT id, state, retry_count AS "retryCount" FROM pgboss.job WHERE name = ANY($1) AND id = ANY($2::uuid[])',
    [names, ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Takes this one job if it waits and is due; what a worker does with the next one of its queue. */
export async function claimJob(
  catalog: Catalog,
  name: string,
  id: string,
): Promise<Omit<JobTry, "signal"> | undefined> {
  const { rows } = await catalog.pool.query<Omit<JobTry, "signal">>(
    `UPDATE pgboss.job SET state = 'active', started_on = now(), heartbeat_on = now(),
       retry_count = CASE WHEN started_on IS NULL THEN retry_count ELSE retry_count + 1 END
     WHERE name = $1 AND id = $2::uuid AND state < 'active' AND start_after <= now()
     RETURNING id, name, data, retry_count AS "retryCount", retry_limit AS "retryLimit"`,
    [name, id],
  );
  return rows[0];
}

/** How long a job that was given back waits: until whoever had it has let go of it for certain. */
const HANDED_BACK_SECONDS = 2;

/** Gives a job back as if it had never begun, so that the try does not count. False when it is no longer ours. */
export async function handBackJob(
  catalog: Catalog,
  { name, id, retryCount }: Pick<JobTry, "name" | "id" | "retryCount">,
): Promise<boolean> {
  const { rowCount } = await catalog.pool.query(
    `UPDATE pgboss.job SET state = 'created', started_on = NULL, heartbeat_on = NULL,
       start_after = now() + $4 * interval '1s'
     WHERE name = $1 AND id = $2::uuid AND state = 'active' AND retry_count = $3`,
    [name, id, retryCount, HANDED_BACK_SECONDS],
  );
  return (rowCount ?? 0) > 0;
}
