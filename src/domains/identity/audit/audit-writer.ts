import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../../kernel/errors.ts";
import { pgCodeOf } from "../../../platform/catalog/index.ts";
import { LIMITS } from "../limits.ts";

const LONGEST_RETRY_MS = 5_000;
const CLOSE_TIMEOUT_MS = 10_000;

export interface AuditWriterOptions<Row> {
  insert: (rows: readonly Row[]) => Promise<void>;
  log: { warn(fields: object, message: string): void; error(fields: object, message: string): void };
  /** Told how many events will never be written. */
  onLost?: ((count: number) => void) | undefined;
  waitingEvents?: number;
  batchEvents?: number;
  batchMs?: number;
  closeTimeoutMs?: number;
  roomMs?: number;
}

/**
 * Takes rows at once and writes them in batches. When they come faster than they can be written, or the database
 * is away, rows wait, up to a bound: whoever asks for `room` is held up from half of it on, and rows beyond it are
 * counted and the count is logged, for a full memory would lose all of them.
 */
export class AuditWriter<Row> {
  readonly #options: Required<AuditWriterOptions<Row>>;
  #waiting: Row[] = [];
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #held: { released: Promise<void>; release: () => void } | undefined;
  #retryMs = 0;
  #dropped = 0;
  #closed = false;

  constructor(options: AuditWriterOptions<Row>) {
    this.#options = {
      waitingEvents: LIMITS.identity.auditWaitingEvents,
      batchEvents: LIMITS.identity.auditBatchEvents,
      batchMs: LIMITS.identity.auditBatchMs,
      closeTimeoutMs: CLOSE_TIMEOUT_MS,
      roomMs: LIMITS.identity.auditRoomMs,
      onLost: undefined,
      ...options,
    };
  }

  add(row: Row): void {
    if (this.#waiting.length >= this.#options.waitingEvents) {
      if (this.#dropped === 0) {
        this.#options.log.error(
          { waiting: this.#waiting.length },
          "too many audit events wait to be written: further ones are dropped",
        );
      }
      this.#dropped++;
      this.#options.onLost?.(1);
      return;
    }
    this.#waiting.push(row);
    if (this.#retryMs === 0 && this.#waiting.length >= this.#options.batchEvents) this.#start();
    else this.#wake(Math.max(this.#retryMs, this.#options.batchMs));
  }

  /** Resolves at once while less than half of the bound waits; otherwise when that is so again, but soon in any case. */
  async room(): Promise<void> {
    if (this.#hasRoom()) return;
    this.#held ??= this.#hold();
    await this.#held.released;
  }

  #hasRoom(): boolean {
    return this.#waiting.length < this.#options.waitingEvents / 2 || this.#closed;
  }

  /** One wait for all who ask meanwhile. */
  #hold() {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const release = () => {
      this.#held = undefined;
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(release, this.#options.roomMs).unref();
    return { released, release };
  }

  /** Resolves when everything that was added before is written; fails with the reason when it cannot be. */
  async flush(): Promise<void> {
    // A batch under way may have begun before the newest row came.
    await this.#writing?.catch(() => undefined);
    if (this.#waiting.length > 0) await this.#write();
  }

  async close(): Promise<void> {
    const deadline = performance.now() + this.#options.closeTimeoutMs;
    while (this.#waiting.length > 0 && performance.now() < deadline) {
      const giveUp = sleep(Math.max(1, deadline - performance.now()), undefined, { ref: false });
      await Promise.race([this.flush().catch(() => sleep(this.#options.batchMs)), giveUp]);
    }
    this.#closed = true;
    this.#held?.release();
    clearTimeout(this.#timer);
    if (this.#waiting.length === 0) return;
    this.#options.onLost?.(this.#waiting.length);
    this.#options.log.error(
      { lost: this.#waiting.length },
      "audit events were lost: the database did not come back",
    );
  }

  #wake(ms: number): void {
    if (this.#timer !== undefined || this.#writing !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => this.#start(), ms).unref();
  }

  #start(): void {
    // What fails is kept and tried again.
    this.#write().catch(() => undefined);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
      if (this.#waiting.length > 0) this.#wake(Math.max(this.#retryMs, this.#options.batchMs));
    });
    return this.#writing;
  }

  async #drain(): Promise<void> {
    const { batchEvents, batchMs, log } = this.#options;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchEvents);
      try {
        await this.#insert(batch);
      } catch (error) {
        if (this.#retryMs === 0) log.warn({ reason: messageOf(error) }, "audit events wait for the database");
        this.#retryMs = Math.min(Math.max(this.#retryMs * 2, batchMs), LONGEST_RETRY_MS);
        throw error;
      }
      this.#waiting.splice(0, batch.length);
      this.#recovered();
    }
  }

  #recovered(): void {
    this.#retryMs = 0;
    if (!this.#hasRoom()) return;
    this.#held?.release();
    if (this.#dropped === 0) return;
    this.#options.log.error(
      { dropped: this.#dropped },
      "audit events were dropped: they came faster than the database took them",
    );
    this.#dropped = 0;
  }

  /** One row that PostgreSQL cannot store must not hold up all others for ever. */
  async #insert(rows: readonly Row[]): Promise<void> {
    try {
      await this.#options.insert(rows);
    } catch (error) {
      if (!isUnstorable(error)) throw error;
      if (rows.length === 1) {
        this.#options.log.error({ reason: messageOf(error) }, "an audit event cannot be stored");
        this.#options.onLost?.(1);
        return;
      }
      const half = Math.ceil(rows.length / 2);
      await this.#insert(rows.slice(0, half));
      await this.#insert(rows.slice(half));
    }
  }
}

/** SQLSTATE classes 22 (data) and 23 (constraints): trying again cannot help. */
function isUnstorable(error: unknown): boolean {
  return /^2[23]/.test(pgCodeOf(error) ?? "");
}
