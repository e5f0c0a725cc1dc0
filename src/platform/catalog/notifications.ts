import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import type pg from "pg";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { Catalog, CatalogLog } from "./catalog.ts";
import { LIMITS } from "./limits.ts";

const FIRST_BACKOFF_MS = 50;
const LONGEST_BACKOFF_MS = 5_000;
const PULSE_CHANNEL = "kenning_pulse";

export interface Subscription {
  onNotification(payload: string): void;
  /** Called after a lost connection came back, and at times while none is heard: notifications in between are lost. */
  onReconnect(): void;
}

/**
 * All LISTENs of this process over one connection, which is taken only while somebody listens. A connection can be open
 * and yet deaf (a cut network, a pooler in transaction mode), so that a pulse of our own must come back by it; while none
 * does, everybody who listens looks for what there is at each pulse.
 */
export class Listener {
  readonly #pulse = randomUUID();
  #pulseTimer: NodeJS.Timeout | undefined;
  #hasPulse = false;
  #isDeaf = false;
  readonly #pool: pg.Pool;
  readonly #log: CatalogLog;
  readonly #channels = new Map<string, Set<Subscription>>();
  #client: pg.PoolClient | undefined;
  #connecting: Promise<void> | undefined;
  #isClosed = false;

  constructor(pool: pg.Pool, log: CatalogLog) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Resolves, once the server listens, with the function that ends the subscription. */
  async listen(channel: string, subscription: Subscription): Promise<() => Promise<void>> {
    const others = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, others.add(subscription));
    await this.#connect();
    await this.#client?.query(`LISTEN ${this.#client.escapeIdentifier(channel)}`);
    return () => this.#unlisten(channel, subscription);
  }

  /** Whether notifications do not arrive. */
  get isDeaf(): boolean {
    return this.#isDeaf;
  }

  async #unlisten(channel: string, subscription: Subscription): Promise<void> {
    const others = this.#channels.get(channel);
    others?.delete(subscription);
    if (others?.size === 0) this.#channels.delete(channel);
    if (this.#channels.size === 0) this.#letGo();
  }

  #connect(): Promise<void> {
    if (this.#client !== undefined) return Promise.resolve();
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #open(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      const lost = () => this.#onLost(client);
      client.once("end", lost);
      client.on("notification", ({ channel, payload }) => {
        if (channel === PULSE_CHANNEL && payload === this.#pulse) this.#hasPulse = true;
        for (const subscription of this.#channels.get(channel) ?? [])
          subscription.onNotification(payload ?? "");
      });
      for (const channel of this.#channels.keys())
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      await client.query(`LISTEN ${PULSE_CHANNEL}`);
      this.#client = client;
      void this.#sendPulse();
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  #onLost(client: pg.PoolClient): void {
    if (this.#client !== client) return;
    this.#letGo();
    void this.#reconnect();
  }

  async #sendPulse(): Promise<void> {
    clearTimeout(this.#pulseTimer);
    this.#hasPulse = false;
    // Where the database does not answer, the connection is lost soon, and that is told then.
    await this.#pool.query("SELECT pg_notify($1, $2)", [PULSE_CHANNEL, this.#pulse]).catch(() => undefined);
    if (this.#client === undefined) return;
    this.#pulseTimer = setTimeout(() => this.#feelPulse(), LIMITS.catalog.pulseTimeoutMs).unref();
  }

  #feelPulse(): void {
    const wasDeaf = this.#isDeaf;
    this.#isDeaf = !this.#hasPulse;
    if (this.#isDeaf && !wasDeaf)
      this.#log.warn(
        {},
        "the database's notifications do not arrive, perhaps because of a pooler in transaction mode: what other servers do is looked for every half a minute",
      );
    if (this.#isDeaf || wasDeaf) this.#tellAll();
    this.#pulseTimer = setTimeout(() => void this.#sendPulse(), LIMITS.catalog.pulseEveryMs).unref();
  }

  #tellAll(): void {
    for (const subscriptions of this.#channels.values())
      for (const subscription of subscriptions) subscription.onReconnect();
  }

  async #reconnect(): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!this.#isClosed && this.#channels.size > 0 && this.#client === undefined) {
      try {
        await this.#connect();
        this.#tellAll();
      } catch (error) {
        this.#log.debug({ reason: messageOf(error) }, "not listening to the database; trying again");
        await sleep(backoffMs, undefined, { ref: false });
        backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS);
      }
    }
  }

  /** A connection that has listened is never given to another user of the pool. */
  #letGo(): void {
    const client = this.#client;
    this.#client = undefined;
    clearTimeout(this.#pulseTimer);
    client?.removeAllListeners("notification");
    client?.release(true);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#channels.clear();
    await this.#connecting?.catch(() => {});
    this.#letGo();
  }
}

/** PostgreSQL refuses a notification of 8,000 bytes. */
const MESSAGE_BYTES = 7_999;

/** Short messages to every process on this database. Whoever is not connected just then misses them. */
export class Broadcast {
  readonly #catalog: Catalog;
  readonly #channel: string;

  constructor(catalog: Catalog, channel: string) {
    this.#catalog = catalog;
    this.#channel = channel;
  }

  async send(message: unknown): Promise<void> {
    const text = JSON.stringify(message);
    if (Buffer.byteLength(text) > MESSAGE_BYTES)
      throw new AppError("too_large", `A message on ${this.#channel} is larger than ${MESSAGE_BYTES} bytes.`);
    await this.#catalog.db.execute(sql`SELECT pg_notify(${this.#channel}, ${text})`);
  }

  /** `onMissed` is called when there may have been messages that this process did not get. */
  listen(onMessage: (message: unknown) => void, onMissed: () => void): Promise<() => Promise<void>> {
    return this.#catalog.listen(this.#channel, {
      onNotification: (payload) => onMessage(JSON.parse(payload)),
      onReconnect: onMissed,
    });
  }
}
