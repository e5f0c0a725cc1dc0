import type { Logger } from "pino";
import { type Clock, MS } from "../kernel/time.ts";
import type { Catalog } from "../platform/catalog/index.ts";
import type { OpenSlice } from "../registry/slice.ts";
import { homeStamp } from "./home/home.tables.ts";

/** A clock that is further ahead of when it was last looked at may be wrong. */
const LEAP_MS = 3 * MS.day;
/** A server that has run this long with such a clock believes it: somebody would have set it right. */
const DOUBT_MS = MS.day;

interface Swept {
  sweep?(): Promise<unknown>;
}

export interface HousekeepingParts {
  catalog: Pick<Catalog, "db">;
  clock: Clock;
  log: Pick<Logger, "warn">;
  /** What they clear away is gone for good, and mostly because it is old. */
  slices: readonly OpenSlice<object>[];
  /** What clears away only what nobody would miss. */
  others: readonly Swept[];
  everyMs: number;
  /** Time that passes whatever the clock says. */
  uptimeMs?: () => number;
}

/**
 * Clears away what is too old, at the start and then now and then. Whoever calls does not wait for it, however much there
 * is to do. Where the clock has leapt ahead since it was last seen, nothing is cleared away for a day.
 */
export class Housekeeping {
  readonly #parts: HousekeepingParts;
  readonly #stopping = new AbortController();
  readonly #uptimeMs: () => number;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #doubtedAtMs: number | undefined;

  constructor(parts: HousekeepingParts) {
    this.#parts = parts;
    this.#uptimeMs = parts.uptimeMs ?? (() => performance.now());
  }

  begin(): void {
    const { signal } = this.#stopping;
    this.#running = this.#inOrder((slice) => slice.start?.(signal));
    this.#timer = setInterval(() => void this.sweep(), this.#parts.everyMs).unref();
  }

  /** One round; the next one does not begin before it has ended. */
  async sweep(): Promise<void> {
    for (const place of this.#parts.others) await this.#attempt(async () => place.sweep?.());
    this.#running ??= this.#inOrder((slice) => slice.sweep?.());
    await this.#running;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#running;
  }

  async #inOrder(work: (slice: OpenSlice<object>) => Promise<unknown> | undefined): Promise<void> {
    try {
      if (!(await this.#isTimeSure())) return;
      for (const slice of this.#parts.slices) {
        if (this.#stopping.signal.aborted) return;
        await this.#attempt(() => work(slice));
      }
    } catch (error) {
      this.#parts.log.warn({ err: error }, "housekeeping failed; trying again later");
    } finally {
      this.#running = undefined;
    }
  }

  async #attempt(work: () => Promise<unknown> | undefined): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.log.warn({ err: error }, "housekeeping failed; trying again later");
    }
  }

  async #isTimeSure(): Promise<boolean> {
    const { catalog, clock, log } = this.#parts;
    const now = clock.now();
    const [stamp] = await catalog.db.select({ seenAt: homeStamp.seenAt }).from(homeStamp);
    const seenAt = stamp?.seenAt ?? now;
    const isLeap = now.getTime() - seenAt.getTime() > LEAP_MS;
    if (isLeap && this.#doubtedAtMs === undefined) {
      this.#doubtedAtMs = this.#uptimeMs();
      log.warn(
        { now, seenAt },
        "the clock is days ahead of when it was last seen: nothing old is cleared away for a day, in case it is wrong",
      );
    }
    if (isLeap && this.#uptimeMs() - (this.#doubtedAtMs ?? 0) < DOUBT_MS) return false;
    this.#doubtedAtMs = undefined;
    await catalog.db.update(homeStamp).set({ seenAt: now });
    return true;
  }
}
