import { createHash } from "node:crypto";
import { closeSync, lstatSync, mkdirSync, readlinkSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AppError, messageOf } from "../../kernel/errors.ts";
import type { CatalogLog } from "./catalog.ts";
import {
  type Account,
  assertMajorVersion,
  chooseAccount,
  DATABASE,
  handOver,
  initDataFolder,
  isInitialised,
  prepareHome,
  readPassword,
  SUPERUSER,
} from "./data-folder.ts";
import { type Engine, prepareEngine, removeOtherEngines } from "./engine.ts";
import { Lease, tryDataLock, waitForKeepers, withStartLock } from "./locks.ts";
import {
  findPostmaster,
  PORT,
  type Postmaster,
  removeStaleLocks,
  socketPath,
  startPostmaster,
} from "./postmaster.ts";
import { orphansIn } from "./process-table.ts";
import { StartFailure } from "./start-failure.ts";

/** The longest path of a unix socket that every system takes. */
const SOCKET_PATH_BYTES = 103;
const START_TIMEOUT_MS = 120_000;
/** Longest wait for another process that starts the database: one that recovers for long is adopted meanwhile. */
const LOCK_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 90_000;
const START_ATTEMPTS = 10;
const FIRST_BACKOFF_MS = 25;
const POLL_MS = 5;

export interface EmbeddedOptions {
  home: string;
  log: CatalogLog;
  /** More server settings; tests switch fsync off here. */
  settings?: Readonly<Record<string, string>> | undefined;
}

/** Where a PostgreSQL client finds the embedded server. */
interface Endpoint {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

interface Places {
  /** Everything of the server's, below the home. */
  root: string;
  data: string;
  leases: string;
  /** Where the socket lies. */
  run: string;
  /** The same folder, by a path that is short enough. */
  socket: string;
  log: string;
  lock: string;
}

/**
 * How the folder of the socket, which is always in the home, is called: a path that is too long for a socket gets
 * a short second name. Containers that share a home, each with a /tmp of its own, meet at the same socket so.
 */
function nameSocketFolder(run: string, home: string): string {
  if (Buffer.byteLength(socketPath(run)) <= SOCKET_PATH_BYTES) return run;
  return join("/tmp", `kenning-${createHash("sha256").update(home).digest("hex").slice(0, 20)}`);
}

function placesIn(home: string): Places {
  const root = join(home, "postgres");
  const run = join(home, "run");
  return {
    root,
    data: join(root, "data"),
    leases: join(root, "leases"),
    run,
    socket: nameSocketFolder(run, home),
    log: join(root, "server.log"),
    lock: join(root, "start.lock"),
  };
}

/** The account that the embedded database of a home runs under; undefined when it is our own. */
export function databaseAccount(home: string): Account | undefined {
  return chooseAccount(placesIn(home).data);
}

function prepareSocketFolder({ run, socket }: Places, account: Account | undefined): void {
  mkdirSync(run, { recursive: true, mode: 0o700 });
  handOver(run, 0o700, account);
  if (socket !== run) nameAgain(run, socket, account);
}

/** Anyone can create links in /tmp, so one that is already there must be our own and lead to the right place. */
function nameAgain(folder: string, name: string, account: Account | undefined, triesLeft = 3): void {
  const info = lstatSync(name, { throwIfNoEntry: false });
  if (info !== undefined && ![process.getuid?.(), account?.uid].includes(info.uid)) {
    throw new AppError("unavailable", `${name}, for the database's socket, belongs to someone else.`, {
      hint: "Remove it, or set KENNING_HOME to a shorter path.",
    });
  }
  if (info?.isSymbolicLink() && readlinkSync(name) === folder) return;
  rmSync(name, { recursive: true, force: true });
  try {
    symlinkSync(folder, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || triesLeft === 0) throw error;
    // Whoever was quicker is looked at like one who was there before.
    nameAgain(folder, name, account, triesLeft - 1);
  }
}

function takenElsewhere(data: string, socket: string): StartFailure {
  return new StartFailure(
    `another one runs on ${data}, and its socket in ${socket} does not answer here`,
    "Stop the Kenning that uses this data folder elsewhere, such as on another machine, or give both one DATABASE_URL.",
    true,
  );
}

const DENIALS: Readonly<Record<string, (path: string) => readonly [message: string, hint: string]>> = {
  ENOSPC: (path) => [
    `There is no room left on the disk for ${path}.`,
    "Make room, or set KENNING_HOME to a folder on another disk.",
  ],
  EDQUOT: (path) => [`The disk quota leaves no room for ${path}.`, "Make room, or raise the quota."],
  EROFS: (path) => [
    `${path} is on storage that can only be read.`,
    "Mount it so that it can be written, or set KENNING_HOME to another folder.",
  ],
};
const DENIED = ["EACCES", "EPERM", "ENOENT", "ENOTDIR", "EEXIST"];

/** A sentence for a folder that the operating system does not let us use. */
function explainDenial(error: unknown, home: string): unknown {
  // Of a copy the place that it was to go to.
  const { code = "", path = home, dest = path } = error as NodeJS.ErrnoException & { dest?: string };
  if (DENIALS[code] === undefined && !DENIED.includes(code)) return error;
  const [message, hint] = DENIALS[code]?.(dest) ?? [
    `Kenning cannot use ${dest} for its database (${code}).`,
    `Set KENNING_HOME to a folder that you may write, or run Kenning as the user who owns ${home}.`,
  ];
  return new AppError("unavailable", message, { hint, cause: error });
}

/**
 * A real PostgreSQL in Kenning's own folder. Several processes share one server: each holds a lease, the
 * first one starts it, later ones adopt it, and the last one out stops it, even if it was killed.
 */
export class EmbeddedServer {
  readonly #places: Places;
  readonly #account: Account | undefined;
  readonly #options: EmbeddedOptions;
  readonly #lease: Lease;
  #starting: Promise<Postmaster> | undefined;
  /** The process that we knew of last. */
  #pid: number | undefined;
  #isClosed = false;

  private constructor(options: EmbeddedOptions, places: Places, account: Account | undefined) {
    this.#options = options;
    this.#places = places;
    this.#account = account;
    this.#lease = new Lease(places.leases, places.data);
  }

  static async open(options: EmbeddedOptions): Promise<EmbeddedServer> {
    const server = EmbeddedServer.#takeLease(options);
    try {
      await server.ensureRunning();
      return server;
    } catch (error) {
      await server.close().catch(() => {});
      throw explainDenial(error, options.home);
    }
  }

  static #takeLease(options: EmbeddedOptions): EmbeddedServer {
    try {
      const wanted = resolve(options.home);
      const account = chooseAccount(join(wanted, "postgres", "data"));
      prepareHome(wanted, account);
      const places = placesIn(realpathSync(wanted));
      mkdirSync(places.root, { recursive: true, mode: 0o711 });
      handOver(places.root, 0o711, undefined);
      mkdirSync(places.leases, { recursive: true, mode: 0o700 });
      return new EmbeddedServer(options, places, account);
    } catch (error) {
      throw explainDenial(error, options.home);
    }
  }

  get endpoint(): Endpoint {
    const password = readPassword(this.#places.data);
    return { host: this.#places.socket, port: PORT, user: SUPERUSER, password, database: DATABASE };
  }

  /** Adopts the running server or starts one. Cheap when it runs; shared by those who ask at the same time. */
  ensureRunning(): Promise<Postmaster> {
    if (this.#isClosed) return Promise.reject(new AppError("unavailable", "The catalog is closed."));
    this.#starting ??= this.#adoptOrStart()
      .then((postmaster) => {
        this.#noteNew(postmaster);
        return postmaster;
      })
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  #noteNew({ pid }: Postmaster): void {
    const former = this.#pid;
    this.#pid = pid;
    if (former === undefined || former === pid) return;
    const { log } = this.#options;
    log.warn({ former, pid, log: this.#places.log }, "the embedded database had ended and was started again");
  }

  async #adoptOrStart(): Promise<Postmaster> {
    prepareSocketFolder(this.#places, this.#account);
    await waitForKeepers(this.#places.leases, START_TIMEOUT_MS);
    const running = await this.#adopt();
    if (running !== undefined) return running;
    return withStartLock(
      this.#places.lock,
      LOCK_TIMEOUT_MS,
      async () => (await this.#adopt()) ?? this.#start(),
    );
  }

  /** Waits while a running server starts or stops; undefined when there is none. */
  async #adopt(): Promise<Postmaster | undefined> {
    const deadline = Date.now() + START_TIMEOUT_MS;
    for (;;) {
      const found = await findPostmaster(this.#places.data, this.#places.socket);
      if (found === undefined || found.status === "ready") return found;
      if (Date.now() > deadline) {
        throw new AppError("timeout", `The embedded database has been ${found.status} for too long.`);
      }
      await sleep(POLL_MS);
    }
  }

  async #start(): Promise<Postmaster> {
    const { root, data, socket, log } = this.#places;
    const engine = await prepareEngine(root);
    await this.#prepareData(engine);
    await removeOtherEngines(root, engine);
    const options = {
      program: engine.postgres,
      dataFolder: data,
      socketFolder: socket,
      logFile: log,
      account: this.#account,
      settings: this.#options.settings ?? {},
      timeoutMs: START_TIMEOUT_MS,
    };
    for (let attempt = 1; ; attempt += 1) {
      // Whoever has the lock may be reachable by now.
      const running = attempt > 1 ? await this.#adopt() : undefined;
      if (running !== undefined) return running;
      const lock = tryDataLock(data, this.#account);
      try {
        if (lock === "taken") throw takenElsewhere(data, socket);
        removeStaleLocks(data, socket);
        return await startPostmaster({ ...options, lock });
      } catch (error) {
        const mayPass = error instanceof StartFailure && error.isPassing && attempt < START_ATTEMPTS;
        if (!mayPass) throw error;
        this.#options.log.warn(
          { attempt, reason: messageOf(error) },
          "the embedded database waits for remains of an earlier one",
        );
        // A busy process of a killed server notices late that its parent is gone, and holds the data until then.
        for (const pid of orphansIn(data)) process.kill(pid, "SIGKILL");
        await sleep(FIRST_BACKOFF_MS * 2 ** attempt);
      } finally {
        if (lock !== "taken") closeSync(lock);
      }
    }
  }

  async #prepareData(engine: Engine): Promise<void> {
    const { data } = this.#places;
    if (isInitialised(data)) {
      assertMajorVersion(data, engine);
      return;
    }
    const startedAt = performance.now();
    await initDataFolder(data, engine, this.#account, { sync: this.#options.settings?.fsync !== "off" });
    this.#options.log.info({ ms: Math.round(performance.now() - startedAt) }, "embedded database created");
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => {});
    await this.#lease.release(STOP_TIMEOUT_MS);
  }
}
