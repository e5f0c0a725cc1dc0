import { randomInt } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog, CatalogTx } from "./catalog.ts";

const CHANNEL = "kenning_outbox";
const PAYLOAD_CHARACTERS = 256 * 1024;
const ERROR_CHARACTERS = 1_000;
const CLEANING_INTERVAL_MS = 3_600_000;
const CLEANING_ROWS = 10_000;

interface OutboxEvent {
  topic: string;
  /** Events of one topic and key arrive in order; others may overtake each other. */
  key: string;
  payload: unknown;
}

export interface DeliveredEvent extends OutboxEvent {
  id: number;
  /** 1 for the first try. */
  attempt: number;
  createdAt: Date;
}

/** May be called more than once for one event, so it must not mind. */
type EventHandler = (event: DeliveredEvent, signal: AbortSignal) => Promise<void>;

export interface EventsOptions {
  /** Handlers at work at the same time. */
  concurrency: number;
  /** Deliveries that may fail before an event is given up. */
  attempts: number;
  firstBackoffMs: number;
  longestBackoffMs: number;
  /** Longest a handler may take; another process may try the event a little later. */
  handlerTimeoutMs: number;
  /** How often to look for events that no notification told of. */
  pollMs: number;
  /** How long delivered events are kept. */
  keepDeliveredMs: number;
  /** How long events may wait for someone to subscribe, and failed ones are kept. */
  keepUndeliveredMs: number;
}

const DEFAULTS: EventsOptions = {
  concurrency: 8,
  attempts: 10,
  firstBackoffMs: 500,
  longestBackoffMs: 300_000,
  handlerTimeoutMs: 30_000,
  pollMs: 15_000,
  keepDeliveredMs: 3_600_000,
  keepUndeliveredMs: 30 * 86_400_000,
};

interface ClaimedRow extends Record<string, unknown> {
  id: string;
  topic: string;
  key: string;
  payload: unknown;
  attempts: number;
  created_at: Date;
}

/**
 * Writes an event in the caller's transaction. Publish after the change that it tells of: the locks of that change
 * then keep the events of one key in the order of their commits.
 */
export async function publishEvent(tx: CatalogTx, { topic, key, payload }: OutboxEvent): Promise<void> {
  const text = JSON.stringify(payload);
  if (text.length > PAYLOAD_CHARACTERS) {
    throw new AppError("too_large", `An event of ${topic} is larger than ${PAYLOAD_CHARACTERS} characters.`);
  }
  await tx.execute(sql`WITH event AS (${insertEvent(topic, { key: sql`${key}::text`, payload: sql`${text}::jsonb` })})
    SELECT ${notifyOfEvents}`);
}

/** The same as a part of a larger statement, which has to select `notifyOfEvents` as well. */
export function insertEvent(
  topic: string,
  { key, payload, from }: { key: SQL; payload: SQL; from?: SQL },
): SQL {
  const rows = from === undefined ? sql`` : sql` FROM ${from}`;
  return sql`INSERT INTO outbox_events (topic, key, payload) SELECT ${topic}, ${key}, ${payload}${rows}`;
}

export const notifyOfEvents: SQL = sql`pg_notify(${CHANNEL}, '')`;

/** Tells other parts of Kenning what happened, if and only if the transaction in which it happened commits. */
export class Events {
  readonly #catalog: Catalog;
  readonly #log: CatalogLog;
  readonly #options: EventsOptions;
  readonly #handlers = new Map<string, EventHandler[]>();
  readonly #atWork = new Set<Promise<void>>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isStopping = false;
  #isWoken = false;
  #wakeUp = () => {};
  #running: Promise<void> | undefined;
  #unlisten: (() => Promise<void>) | undefined;

  constructor(catalog: Catalog, log: CatalogLog, options: Partial<EventsOptions> = {}) {
    this.#catalog = catalog;
    this.#log = log;
    this.#options = { ...DEFAULTS, ...options };
  }

  subscribe(topic: string, handler: EventHandler): void {
    this.#handlers.set(topic, [...(this.#handlers.get(topic) ?? []), handler]);
    this.#wake();
  }

  async start(): Promise<void> {
    if (this.#running !== undefined) return;
    const wake = () => this.#wake();
    this.#unlisten = await this.#catalog.listen(CHANNEL, { onNotification: wake, onReconnect: wake });
    this.#running = this.#run();
    this.#every(CLEANING_INTERVAL_MS, () => this.#clean());
  }

  /** Takes no more events and waits for the handlers that are at work. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#wake();
    for (const timer of this.#timers) clearTimeout(timer);
    await this.#unlisten?.();
    await this.#running;
    await Promise.all(this.#atWork);
  }

  #wake(): void {
    this.#isWoken = true;
    this.#wakeUp();
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms).unref();
    this.#timers.add(timer);
  }

  #every(ms: number, work: () => Promise<void>): void {
    const run = () => {
      work().catch((error) => {
        if (this.#isStopping) return;
        this.#log.warn({ reason: messageOf(error) }, "the outbox could not be cleaned");
      });
      if (!this.#isStopping) this.#after(ms, run);
    };
    run();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#isWoken = false;
      const free = this.#options.concurrency - this.#atWork.size;
      const claimed = await this.#claim(free).catch((error) => {
        this.#log.warn({ reason: messageOf(error) }, "events could not be read");
        return [];
      });
      for (const event of claimed) this.#deliver(event);
      if (claimed.length < free || free === 0) await this.#rest();
    }
  }

  /** Until there may be something to do. */
  async #rest(): Promise<void> {
    if (this.#isWoken || this.#isStopping) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#options.pollMs);
      timer.unref();
      this.#wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /**
   * Takes the oldest waiting event of each key. A claim is a due time in the future, so that a process that
   * dies with it gives it back by itself and the try still counts.
   */
  async #claim(limit: number): Promise<DeliveredEvent[]> {
    const topics = [...this.#handlers.keys()];
    if (limit === 0 || topics.length === 0) return [];
    const claimMs = this.#options.handlerTimeoutMs + 5_000;
    const { rows } = await this.#catalog.db.execute<ClaimedRow>(sql`
      UPDATE outbox_events SET attempts = attempts + 1, due_at = now() + ${claimMs} * interval '1 ms'
      WHERE id IN (
        SELECT id FROM outbox_events AS event
        WHERE state = 'waiting' AND due_at <= now() AND topic IN ${topics}
          AND NOT EXISTS (
            SELECT FROM outbox_events AS earlier
            WHERE earlier.state = 'waiting' AND earlier.topic = event.topic AND earlier.key = event.key
              AND earlier.id < event.id
          )
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )
      RETURNING id, topic, key, payload, attempts, created_at`);
    return rows.map((row) => ({
      id: Number(row.id),
      topic: row.topic,
      key: row.key,
      payload: row.payload,
      attempt: row.attempts,
      createdAt: new Date(row.created_at),
    }));
  }

  #deliver(event: DeliveredEvent): void {
    const work = this.#handle(event)
      .catch((error) =>
        this.#log.warn({ event: event.id, reason: messageOf(error) }, "an event could not be settled"),
      )
      .finally(() => {
        this.#atWork.delete(work);
        this.#wake();
      });
    this.#atWork.add(work);
  }

  async #handle(event: DeliveredEvent): Promise<void> {
    try {
      // Its handler ended the process so often that the tries are used up.
      if (event.attempt > this.#options.attempts)
        throw new AppError("internal", "Every try to deliver it was cut short.");
      const signal = AbortSignal.timeout(this.#options.handlerTimeoutMs);
      for (const handler of this.#handlers.get(event.topic) ?? [])
        await untilAborted(handler(event, signal), signal);
    } catch (error) {
      await this.#settleFailure(event, error);
      return;
    }
    await this.#catalog.db.execute(
      sql`UPDATE outbox_events SET state = 'delivered', settled_at = now() WHERE id = ${event.id}`,
    );
  }

  async #settleFailure(event: DeliveredEvent, error: unknown): Promise<void> {
    const { attempts, firstBackoffMs, longestBackoffMs } = this.#options;
    const lastError = messageOf(error).slice(0, ERROR_CHARACTERS);
    const fields = { event: event.id, topic: event.topic, attempt: event.attempt, reason: lastError };
    if (event.attempt >= attempts) {
      this.#log.error(fields, "an event was given up");
      await this.#catalog.db.execute(
        sql`UPDATE outbox_events SET state = 'failed', settled_at = now(), last_error = ${lastError} WHERE id = ${event.id}`,
      );
      return;
    }
    this.#log.warn(fields, "an event could not be delivered; it will be tried again");
    const steady = Math.min(firstBackoffMs * 2 ** (event.attempt - 1), longestBackoffMs);
    const backoffMs = Math.ceil(steady * (1 + randomInt(0, 250) / 1_000));
    await this.#catalog.db.execute(
      sql`UPDATE outbox_events SET due_at = now() + ${backoffMs} * interval '1 ms', last_error = ${lastError} WHERE id = ${event.id}`,
    );
    this.#after(backoffMs, () => this.#wake());
  }

  async #clean(): Promise<void> {
    const { keepDeliveredMs, keepUndeliveredMs } = this.#options;
    const removeSome = () =>
      this.#catalog.db.execute(sql`
        DELETE FROM outbox_events WHERE id IN (
          SELECT id FROM outbox_events WHERE state <> 'waiting' AND settled_at < now() - interval '1 ms' *
            CASE state WHEN 'delivered' THEN ${keepDeliveredMs}::bigint ELSE ${keepUndeliveredMs}::bigint END
          LIMIT ${CLEANING_ROWS}
        )`);
    while ((await removeSome()).rowCount === CLEANING_ROWS && !this.#isStopping);
    await this.#catalog.db.execute(sql`
      UPDATE outbox_events SET state = 'failed', settled_at = now(), last_error = 'nobody took it in time'
      WHERE state = 'waiting' AND created_at < now() - interval '1 ms' * ${keepUndeliveredMs}::bigint`);
  }
}

/** Rejects when the signal aborts, even if the work does not listen to it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new AppError("timeout", "The handler of an event took too long."));
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
