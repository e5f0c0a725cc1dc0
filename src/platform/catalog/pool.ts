import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import pg from "pg";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { withTimeout } from "../../kernel/time.ts";
import type { CatalogLog } from "./catalog.ts";
import { LIMITS } from "./limits.ts";
import { isPassingConnectFailure } from "./pg-errors.ts";

const FIRST_BACKOFF_MS = 10;
const LONGEST_BACKOFF_MS = 500;

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: unknown) => void,
) => void;

interface Healing {
  log: CatalogLog;
  /** How long a caller waits for a lost database to come back. */
  healTimeoutMs: number;
  /** Brings the database back, if that is ours to do. */
  revive: () => Promise<unknown>;
  /** Turns a lasting failure into a sentence for people. */
  explain: (error: unknown) => Error;
}

/** A pool whose `connect` outlives a lost database: it revives the server and tries again for a bounded time. */
export class HealingPool extends pg.Pool {
  readonly #healing: Healing;
  readonly #lost = new WeakSet<pg.ClientBase>();
  readonly #living = new Set<pg.Client>();

  constructor(config: pg.PoolConfig, healing: Healing) {
    super(config);
    this.#healing = healing;
    // Without these listeners a connection that breaks while nobody queries would end the process.
    this.on("error", (error) =>
      healing.log.debug({ reason: messageOf(error) }, "an idle database connection was lost"),
    );
    this.on("connect", (client) => {
      this.#living.add(client);
      client.on("error", () => this.#lost.add(client));
      client.on("end", () => {
        this.#lost.add(client);
        this.#living.delete(client);
      });
    });
  }

  /** Ends connections even in the middle of a query, which then fails. */
  cutAll(): void {
    for (const client of this.#living) client.end().catch(() => undefined);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    const connected = this.#connectUntilHealed();
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, (broken) => client.release(broken as boolean | undefined)),
      (error) => callback(error, undefined, () => {}),
    );
    return undefined;
  }

  async #connectUntilHealed(): Promise<pg.PoolClient> {
    const { healTimeoutMs, revive, explain, log } = this.#healing;
    const deadline = Date.now() + healTimeoutMs;
    for (let backoffMs = FIRST_BACKOFF_MS; ; backoffMs = Math.min(backoffMs * 2, LONGEST_BACKOFF_MS)) {
      try {
        return await this.#takeLiving();
      } catch (error) {
        if (this.ending) throw error;
        if (!isPassingConnectFailure(error) || Date.now() + backoffMs > deadline) throw explain(error);
        log.debug({ reason: messageOf(error) }, "no database connection; trying again");
        await sleep(backoffMs);
        await revive();
      }
    }
  }

  /**
   * The news that the server closed an idle connection may already be here and only wait for its turn of the
   * event loop. It gets that turn before the connection is handed out.
   */
  async #takeLiving(): Promise<pg.PoolClient> {
    for (;;) {
      const client = await super.connect();
      await turn();
      if (!this.#lost.has(client)) return client;
      client.release(true);
    }
  }
}

/** Tells a server that hangs from a statement that takes long: while something waits, another connection is tried. */
export class HangWatch {
  readonly #probe: () => Promise<unknown>;
  #probing: Promise<boolean> | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  /** What `work` resolves with; where the server answers nobody, `abandon` is called and waiting ends. */
  async during<T>(work: Promise<T>, abandon: () => unknown): Promise<T> {
    const { promise: hung, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    let isOver = false;
    const look = async () => {
      if (await this.#isAnswering()) {
        if (!isOver) wait();
        return;
      }
      if (isOver) return;
      reject(hangs());
      abandon();
    };
    const wait = () => {
      timer = setTimeout(look, LIMITS.catalog.patienceMs).unref();
    };
    wait();
    try {
      return await Promise.race([work, hung]);
    } finally {
      isOver = true;
      clearTimeout(timer!);
    }
  }

  /** One look for all who wait. */
  #isAnswering(): Promise<boolean> {
    this.#probing ??= withTimeout(
      LIMITS.catalog.patienceMs,
      this.#probe(),
      "The catalog did not answer in time.",
    )
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#probing = undefined;
      });
    return this.#probing;
  }
}

function hangs(): AppError {
  const data = { engine: "catalog" };
  return new AppError("unavailable", "The database is there and does not answer.", { data });
}
