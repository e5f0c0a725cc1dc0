import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../../../kernel/errors.ts";
import { randomText } from "../../../kernel/text.ts";

/** The channel that the triggers of the identity tables tell their changes on. */
const CHANNEL = "kenning_identity";
const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 5_000;
const PULSE_EVERY_MS = 5_000;
const PULSE_TIMEOUT_MS = 2_000;

export type IdentityChange = { what: "token" | "account" | "workspace"; id: number };

interface ChangeListenerOptions {
  pool: pg.Pool;
  log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void };
  onChange: (change: IdentityChange) => void;
  /** Changes are heard of from now on. */
  onLive: () => void;
  /** Changes may be missed from now on, until `onLive`. */
  onLost: () => void;
  pulseEveryMs?: number;
}

/**
 * Hears of every committed change to identity, from whichever process. A connection can be open and yet
 * deaf (a cut network, a pooler that drops LISTEN), so it is only trusted while its own pulse, sent
 * through another connection, keeps coming back.
 */
export class ChangeListener {
  readonly #options: ChangeListenerOptions;
  readonly #stop = new AbortController();
  readonly #pulse = `pulse:${randomText(9)}`;
  #heard: (() => void) | undefined;
  #client: pg.Client | undefined;
  #running: Promise<void> | undefined;
  #warned = false;

  constructor(options: ChangeListenerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    // While the database is away the loop may be waiting for it; nobody needs to wait with it.
    await Promise.race([this.#running, sleep(1_000, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    const { log, onLost } = this.#options;
    let retryMs = FIRST_RETRY_MS;
    while (!this.#stop.signal.aborted) {
      const since = performance.now();
      try {
        await this.#listen();
      } catch (error) {
        if (!this.#stop.signal.aborted) this.#complain(log, error);
      }
      onLost();
      await this.#drop();
      retryMs =
        performance.now() - since > LONGEST_RETRY_MS
          ? FIRST_RETRY_MS
          : Math.min(retryMs * 2, LONGEST_RETRY_MS);
      await this.#pause(retryMs);
    }
  }

  /** Returns or throws when the connection can no longer be trusted. */
  async #listen(): Promise<void> {
    const { pool, onLive, pulseEveryMs = PULSE_EVERY_MS } = this.#options;
    // The pool knows how to bring a lost database back; a connection of our own does not.
    await pool.query("SELECT 1");
    const client = new pg.Client(pool.options);
    this.#client = client;
    const lost = new AbortController();
    client.on("error", () => lost.abort());
    client.on("end", () => lost.abort());
    client.on("notification", ({ payload }) => this.#receive(payload ?? ""));
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    await this.#feelPulse(lost.signal);
    onLive();
    this.#warned = false;
    const ended = AbortSignal.any([lost.signal, this.#stop.signal]);
    while (!ended.aborted) {
      await sleep(pulseEveryMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
      if (!ended.aborted) await this.#feelPulse(ended);
    }
    if (!this.#stop.signal.aborted) throw new Error("the connection was lost");
  }

  async #feelPulse(lost: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#heard = resolve;
    await this.#options.pool.query("SELECT pg_notify($1, $2)", [CHANNEL, this.#pulse]);
    const timeout = AbortSignal.any([lost, AbortSignal.timeout(PULSE_TIMEOUT_MS)]);
    await Promise.race([promise, rejectOn(timeout)]);
  }

  #receive(payload: string): void {
    if (payload === this.#pulse) this.#heard?.();
    const [, what, id] = /^(token|account|workspace):(\d{1,15})$/.exec(payload) ?? [];
    if (what !== undefined) this.#options.onChange({ what: what as IdentityChange["what"], id: Number(id) });
  }

  async #drop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    // A connection that hangs would also hang its goodbye.
    await Promise.race([client?.end().catch(() => undefined), sleep(500, undefined, { ref: false })]);
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal, ref: false }).catch(() => undefined);
  }

  #complain(log: ChangeListenerOptions["log"], error: unknown): void {
    const say = this.#warned ? log.debug.bind(log) : log.warn.bind(log);
    this.#warned = true;
    say({ reason: messageOf(error) }, "changes to tokens are not heard of: each request asks the database");
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error("no pulse came back"));
  if (signal.aborted) fail();
  else signal.addEventListener("abort", fail, { once: true });
  promise.catch(() => undefined);
  return promise;
}

/** Called after a change of ours is committed, so that this process sees it before the database tells it. */
export type TellChange = (change: IdentityChange) => void;
