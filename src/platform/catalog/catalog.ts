import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { PgTransactionConfig } from "drizzle-orm/pg-core";
import type pg from "pg";
import { AppError } from "../../kernel/errors.ts";
import { withTimeout } from "../../kernel/time.ts";
import { type EmbeddedOptions, EmbeddedServer } from "./embedded.ts";
import { assertServerVersion, describeServer, EMBEDDED, explainFailure } from "./external.ts";
import { LIMITS } from "./limits.ts";
import { migrate } from "./migrate.ts";
import { Listener, type Subscription } from "./notifications.ts";
import { pgCodeOf } from "./pg-errors.ts";
import { HangWatch, HealingPool } from "./pool.ts";

const POOL_CONNECTIONS = 20;
const IDLE_CONNECTION_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const HEAL_TIMEOUT_MS = 10_000;
/** No statement of the catalog's runs longer, and no transaction may sit idle longer. */
const STATEMENT_TIMEOUT_MS = 60_000;
/** A server that hangs does not end its statements itself, so we stop waiting a little later than it should have. */
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 5_000;
/** How long connections that are in use hold up a close; a server that hangs would hold it up for ever. */
const CLOSE_TIMEOUT_MS = 5_000;
/** For what may take as long as it needs. */
const PATIENT = new HangWatch(async () => {});
const SERIALIZATION_FAILURE = "40001";
const SESSION_SETTINGS = [
  `SET statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
  `SET idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`,
  "SET client_min_messages = warning",
].join("; ");

export type CatalogDb = NodePgDatabase;
export type CatalogTx = Parameters<Parameters<CatalogDb["transaction"]>[0]>[0];

/** The truth: who, what, which version. One PostgreSQL, embedded or the operator's own. */
export interface Catalog {
  db: CatalogDb;
  pool: pg.Pool;
  /** Runs `work` in one transaction: all of it is kept, or nothing. */
  transaction<T>(work: (tx: CatalogTx) => Promise<T>, config?: PgTransactionConfig): Promise<T>;
  /**
   * Whatever `work` does to the catalog, by whichever store, is kept as one or not at all. It fails with a conflict when
   * somebody else changes meanwhile what it changes. Not for what runs several transactions side by side.
   */
  atomically<T>(work: () => Promise<T>): Promise<T>;
  /** Hears what others NOTIFY on a channel; resolves with the function that ends it. */
  listen(channel: string, subscription: Subscription): Promise<() => Promise<void>>;
  /** Whether these do not arrive: slower, but nothing is missed. */
  readonly isDeaf: boolean;
  /** Brings the tables up to date; safe in several processes at once, and cheap when there is nothing to do. */
  migrate(): Promise<void>;
  /** Resolves with the milliseconds of one round trip. */
  ping(): Promise<number>;
  /** Ends all connections and, for the last process that uses it, the embedded server. */
  close(): Promise<void>;
}

interface CatalogOptions {
  /** The folder in which the embedded server lives. Not used with `databaseUrl`. */
  home: string;
  log: CatalogLog;
  /** A PostgreSQL server of version 15 or newer; without it, the embedded one is used. */
  databaseUrl?: string | undefined;
  /** More settings of the embedded server; tests switch fsync off here. */
  settings?: EmbeddedOptions["settings"];
}

export async function openCatalog(options: CatalogOptions): Promise<Catalog> {
  const { databaseUrl, log } = options;
  if (databaseUrl === undefined) {
    const server = await EmbeddedServer.open(options);
    const openPool = poolsOf(server.endpoint, log, () => server.ensureRunning(), EMBEDDED);
    return new PooledCatalog(openPool, log, () => server.close());
  }
  const server = describeServer(databaseUrl);
  const openPool = poolsOf({ connectionString: databaseUrl }, log, async () => {}, server);
  const catalog = new PooledCatalog(openPool, log, async () => {});
  try {
    await assertServerVersion(catalog.pool);
  } catch (error) {
    await catalog.close();
    throw error;
  }
  return catalog;
}

type OpenPool = (limits: Pick<pg.PoolConfig, "max" | "query_timeout">) => HealingPool;

function poolsOf(
  endpoint: pg.PoolConfig,
  log: CatalogLog,
  revive: () => Promise<unknown>,
  server: string,
): OpenPool {
  const config: pg.PoolConfig = {
    ...endpoint,
    application_name: "kenning",
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    // Not as startup parameters, which connection poolers between us and the server refuse.
    onConnect: async (client) => {
      await client.query(SESSION_SETTINGS);
    },
  };
  const explain = (error: unknown) => explainFailure(error, server);
  const healing = { log, healTimeoutMs: HEAL_TIMEOUT_MS, revive, explain };
  return (limits) => new HealingPool({ ...config, ...limits }, healing);
}

/** The transaction that everything belongs to which is done inside of `atomically`, as long as it is open. */
interface Ambient {
  client: pg.PoolClient;
  tx: CatalogTx;
  isOpen: boolean;
}

class PooledCatalog implements Catalog {
  readonly #ambient = new AsyncLocalStorage<Ambient>();
  readonly db: CatalogDb;
  readonly pool: HealingPool;
  readonly #log: CatalogLog;
  readonly #listener: Listener;
  readonly #openPool: OpenPool;
  /** A connection of its own, which nobody else can keep busy. */
  readonly #probes: HealingPool;
  readonly #watch: HangWatch;
  readonly #stopServer: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(openPool: OpenPool, log: CatalogLog, stopServer: () => Promise<void>) {
    this.pool = openPool({ max: POOL_CONNECTIONS, query_timeout: QUERY_TIMEOUT_MS });
    this.#log = log;
    this.#listener = new Listener(this.pool, log);
    this.#openPool = openPool;
    this.#stopServer = stopServer;
    this.#probes = openPool({ max: 1, query_timeout: LIMITS.catalog.pingMs });
    this.#watch = new HangWatch(() => this.#probes.query("SELECT 1"));
    const query = (...args: [never]) =>
      this.#open()?.client.query(...args) ??
      withConnection(this.pool, this.#watch, (client) => client.query(...args));
    this.db = drizzle({ query } as unknown as pg.Pool);
    // Drizzle's own leaks its connection when BEGIN fails, and lets a failed ROLLBACK hide the real error.
    this.db.transaction = (work, config) => this.transaction(work, config);
  }

  transaction<T>(work: (tx: CatalogTx) => Promise<T>, config?: PgTransactionConfig): Promise<T> {
    return this.#open()?.tx.transaction(work) ?? inTransaction(this.pool, this.#watch, work, config);
  }

  async atomically<T>(work: () => Promise<T>): Promise<T> {
    const within = async (tx: CatalogTx, client: pg.PoolClient): Promise<T> => {
      const ambient = { client, tx, isOpen: true };
      try {
        return await this.#ambient.run(ambient, work);
      } finally {
        // What goes on in the background must not reach a connection that is somebody else's by then.
        ambient.isOpen = false;
      }
    };
    try {
      return await inTransaction(this.pool, this.#watch, within, { isolationLevel: "repeatable read" });
    } catch (error) {
      if (pgCodeOf(error) !== SERIALIZATION_FAILURE) throw error;
      throw new AppError("conflict", "Somebody else has changed the same thing in this moment.", {
        hint: "Nothing was done. Try again.",
        cause: error,
      });
    }
  }

  #open(): Ambient | undefined {
    const ambient = this.#ambient.getStore();
    return ambient?.isOpen ? ambient : undefined;
  }

  listen(channel: string, subscription: Subscription): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, subscription);
  }

  get isDeaf(): boolean {
    return this.#listener.isDeaf;
  }

  async migrate(): Promise<void> {
    // A migration may take as long as it needs, on a connection that nobody else waits for.
    const transaction: Catalog["transaction"] = async (work, config) => {
      const patient = this.#openPool({ max: 1 });
      try {
        return await inTransaction(patient, PATIENT, work, config);
      } finally {
        await patient.end();
      }
    };
    await migrate({ db: this.db, transaction }, this.#log);
  }

  async ping(): Promise<number> {
    const startedAt = performance.now();
    try {
      await withTimeout(
        LIMITS.catalog.pingMs,
        this.pool.query("SELECT 1"),
        "The catalog did not answer in time.",
      );
    } catch (cause) {
      throw cause instanceof AppError
        ? cause
        : new AppError("unavailable", "The catalog did not answer.", { cause });
    }
    return performance.now() - startedAt;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const closed = Promise.all([this.#listener.close(), this.pool.end(), this.#probes.end()]);
    await Promise.race([closed, sleep(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
    this.pool.cutAll();
    this.#probes.cutAll();
    await this.#stopServer();
  }
}

/** Lends `work` a connection, which is cut where the server hangs: what was begun on it is taken back. */
async function withConnection<T>(
  pool: pg.Pool,
  watch: HangWatch,
  work: (client: pg.PoolClient) => Promise<T>,
  isStillGood: (error: unknown) => boolean = () => false,
): Promise<T> {
  const connecting = pool.connect();
  const client = await watch.during(connecting, () =>
    connecting.then(
      (late) => late.release(),
      () => {},
    ),
  );
  let isBroken = false;
  try {
    return await watch.during(work(client), () => client.end().catch(() => undefined));
  } catch (error) {
    isBroken = !isStillGood(error);
    throw error;
  } finally {
    client.release(isBroken);
  }
}

async function inTransaction<T>(
  pool: pg.Pool,
  watch: HangWatch,
  work: (tx: CatalogTx, client: pg.PoolClient) => Promise<T>,
  config?: PgTransactionConfig,
): Promise<T> {
  let failure: unknown;
  const run = (client: pg.PoolClient) =>
    drizzle(client).transaction(async (tx) => {
      try {
        return await work(tx, client);
      } catch (error) {
        failure = error;
        throw error;
      }
    }, config);
  try {
    return await withConnection(pool, watch, run, (error) => error === failure);
  } catch (error) {
    throw failure ?? error;
  }
}

/** The part of a pino logger that the catalog needs. */
export interface CatalogLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
