import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { PgTransactionConfig } from "drizzle-orm/pg-core";
import type pg from "pg";
import { AppError } from "../../kernel/errors.ts";
import { type EmbeddedOptions, EmbeddedServer } from "./embedded.ts";
import { assertServerVersion, describeServer, explainFailure } from "./external.ts";
import { HealingPool } from "./healing-pool.ts";
import { Listener, type Subscription } from "./listener.ts";
import type { CatalogLog } from "./log.ts";
import { migrate } from "./migrate.ts";

const POOL_CONNECTIONS = 20;
const IDLE_CONNECTION_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 10_000;
const HEAL_TIMEOUT_MS = 10_000;
/** No statement of the catalog's runs longer, and no transaction may sit idle longer. */
const STATEMENT_TIMEOUT_MS = 60_000;
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
  /** Hears what others NOTIFY on a channel; resolves with the function that ends it. */
  listen(channel: string, subscription: Subscription): Promise<() => Promise<void>>;
  /** Brings the tables up to date; safe in several processes at once, and cheap when there is nothing to do. */
  migrate(): Promise<void>;
  /** Resolves with the milliseconds of one round trip. */
  ping(): Promise<number>;
  /** Ends all connections and, for the last process that uses it, the embedded server. */
  close(): Promise<void>;
}

export interface CatalogOptions {
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
    const pool = createPool(server.endpoint, log, () => server.ensureRunning(), "the embedded database");
    return new PooledCatalog(pool, log, () => server.close());
  }
  const pool = createPool(
    { connectionString: databaseUrl },
    log,
    async () => {},
    describeServer(databaseUrl),
  );
  try {
    await assertServerVersion(pool);
  } catch (error) {
    await pool.end();
    throw error;
  }
  return new PooledCatalog(pool, log, async () => {});
}

function createPool(
  endpoint: pg.PoolConfig,
  log: CatalogLog,
  revive: () => Promise<unknown>,
  server: string,
): HealingPool {
  const config: pg.PoolConfig = {
    ...endpoint,
    application_name: "kenning",
    max: POOL_CONNECTIONS,
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
  return new HealingPool(config, { log, healTimeoutMs: HEAL_TIMEOUT_MS, revive, explain });
}

class PooledCatalog implements Catalog {
  readonly db: CatalogDb;
  readonly pool: HealingPool;
  readonly #log: CatalogLog;
  readonly #listener: Listener;
  readonly #stopServer: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(pool: HealingPool, log: CatalogLog, stopServer: () => Promise<void>) {
    this.pool = pool;
    this.#log = log;
    this.#listener = new Listener(pool, log);
    this.#stopServer = stopServer;
    this.db = drizzle(pool);
    // Drizzle's own leaks its connection when BEGIN fails, and lets a failed ROLLBACK hide the real error.
    this.db.transaction = (work, config) => this.transaction(work, config);
  }

  async transaction<T>(work: (tx: CatalogTx) => Promise<T>, config?: PgTransactionConfig): Promise<T> {
    const client = await this.pool.connect();
    let failure: unknown;
    let isBroken = true;
    try {
      const result = await drizzle(client).transaction(async (tx) => {
        try {
          return await work(tx);
        } catch (error) {
          failure = error;
          throw error;
        }
      }, config);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = error !== failure;
      throw failure ?? error;
    } finally {
      client.release(isBroken);
    }
  }

  listen(channel: string, subscription: Subscription): Promise<() => Promise<void>> {
    return this.#listener.listen(channel, subscription);
  }

  async migrate(): Promise<void> {
    await migrate(this, this.#log);
  }

  async ping(): Promise<number> {
    const startedAt = performance.now();
    try {
      await this.pool.query("SELECT 1");
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
    await this.#listener.close();
    await this.pool.end();
    await this.#stopServer();
  }
}
