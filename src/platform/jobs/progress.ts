import { eq, lt, sql } from "drizzle-orm";
import type { CatalogDb } from "../catalog/index.ts";
import { jobProgress } from "./jobs.tables.ts";

const WRITE_INTERVAL_MS = 250;
const NOTE_CHARACTERS = 200;
const KEEP_DAYS = 30;

export interface Progress {
  /** From 0 to 1. */
  fraction: number;
  note: string;
}

/** Writes how far a job has come: often enough to watch, seldom enough not to cost anything. */
export class ProgressWriter {
  readonly #db: CatalogDb;
  readonly #jobId: string;
  #latest: Progress | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(db: CatalogDb, jobId: string) {
    this.#db = db;
    this.#jobId = jobId;
  }

  report(fraction: number, note = ""): void {
    this.#latest = { fraction: Math.min(Math.max(fraction, 0), 1), note: note.slice(0, NOTE_CHARACTERS) };
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#writing = this.#write();
    }, WRITE_INTERVAL_MS).unref();
  }

  /** A missed report of progress must not fail the job. */
  async #write(): Promise<void> {
    const latest = this.#latest;
    if (latest === undefined) return;
    const changed = { ...latest, updatedAt: sql`now()` };
    await this.#db
      .insert(jobProgress)
      .values({ jobId: this.#jobId, ...latest })
      .onConflictDoUpdate({ target: jobProgress.jobId, set: changed })
      .catch(() => {});
  }

  /** Removes the row: what a finished job has to say is its result. */
  async finish(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writing;
    if (this.#latest !== undefined) {
      await this.#db
        .delete(jobProgress)
        .where(eq(jobProgress.jobId, this.#jobId))
        .catch(() => {});
    }
  }
}

export async function readProgress(db: CatalogDb, jobId: string): Promise<Progress | undefined> {
  const rows = await db.select().from(jobProgress).where(eq(jobProgress.jobId, jobId));
  return rows[0] && { fraction: rows[0].fraction, note: rows[0].note };
}

/** Rows of jobs whose process died and that were never tried again. */
export async function removeOldProgress(db: CatalogDb): Promise<void> {
  await db.delete(jobProgress).where(lt(jobProgress.updatedAt, sql`now() - ${KEEP_DAYS} * interval '1 day'`));
}
