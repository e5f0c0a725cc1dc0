import { execFile } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { AppError } from "../../kernel/errors.ts";
import { randomText } from "../../kernel/text.ts";
import type { Engine } from "./engine.ts";
import { adviceOn, reasonOf } from "./start-failure.ts";

export const SUPERUSER = "kenning";
export const DATABASE = "postgres";

/** Neither the operator's PG* variables nor his language may reach the server. */
export const SERVER_ENV = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

const NURSERY_MARK = ".half-";
const PASSWORD_FILE = "kenning.password";

/** Written into postgresql.conf once, where an operator may change them. */
const INITIAL_SETTINGS: Readonly<Record<string, string>> = {
  shared_buffers: "32MB",
  max_connections: "60",
  max_wal_size: "256MB",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  // Fewer processes while idle: no I/O workers, no replication launcher, no WAL senders.
  io_method: "sync",
  max_logical_replication_workers: "0",
  max_wal_senders: "0",
  // Failed statements are reported to their caller; here they would only copy data into a log.
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  // The password has 256 random bits, which stretching cannot improve; one round saves 4 ms a connection.
  scram_iterations: "1",
};

const run = promisify(execFile);

/** Gives a file or folder to the server's account. */
export function handOver(path: string, mode: number, account: Account | undefined): void {
  chmodSync(path, mode);
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

/** Refuses, without touching it, a data folder that this version of PostgreSQL cannot open. */
export function assertMajorVersion(dataFolder: string, engine: Engine): void {
  const found = readFileSync(join(dataFolder, "PG_VERSION"), "utf8").trim();
  if (found === engine.major) return;
  if (!/^\d+$/.test(found)) {
    throw new AppError("unavailable", `The file PG_VERSION in ${dataFolder} is damaged.`, {
      hint: "Put back a backup of KENNING_HOME.",
    });
  }
  throw new AppError(
    "unavailable",
    `The database in ${dataFolder} was made by PostgreSQL ${found}, but this Kenning brings PostgreSQL ${engine.major}.`,
    {
      hint: `Nothing was changed. Start the Kenning that made it, or copy the data to a PostgreSQL ${engine.major} server and set DATABASE_URL.`,
    },
  );
}

/**
 * Makes the data folder in a temporary place and moves it in one step, so that one that exists is whole.
 * Connections need a password even though only root and the server's account can reach the socket:
 * Kenning itself connects to hosts that its users name, and one of them may name this socket.
 */
export async function initDataFolder(
  dataFolder: string,
  engine: Engine,
  account: Account | undefined,
  options: { sync: boolean },
): Promise<void> {
  removeRemains(dataFolder);
  const nursery = `${dataFolder}${NURSERY_MARK}${randomText(6)}`;
  mkdirSync(nursery, { mode: 0o700 });
  handOver(nursery, 0o700, account);
  const passwordFile = join(nursery, PASSWORD_FILE);
  writeFileSync(passwordFile, randomText(32), { mode: 0o600 });
  handOver(passwordFile, 0o600, account);
  const made = join(nursery, "data");
  const settings = Object.entries(INITIAL_SETTINGS).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const flags = [
    `--pgdata=${made}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    ...(options.sync ? [] : ["--no-sync"]),
  ];
  try {
    await run(engine.initdb, [...flags, ...settings], {
      env: SERVER_ENV,
      cwd: nursery,
      ...identity(account),
    });
  } catch (cause) {
    const {
      stderr = "",
      code,
      signal,
    } = cause as { stderr?: string; code?: number | string; signal?: string };
    const isRun = typeof code !== "string";
    const reason = reasonOf(stderr, isRun ? { code, signal } : { error: cause as NodeJS.ErrnoException });
    throw new AppError(
      "unavailable",
      `The embedded database could not be created in ${dataFolder}: ${reason}.`,
      { hint: adviceOn(reason, "Set KENNING_HOME to another folder."), cause },
    );
  }
  renameSync(passwordFile, join(made, PASSWORD_FILE));
  renameSync(made, dataFolder);
  rmSync(nursery, { recursive: true, force: true });
}

/** What a killed start left behind. A program of that start may still write there, so it is not insisted upon. */
function removeRemains(dataFolder: string): void {
  const parent = dirname(dataFolder);
  const remains = readdirSync(parent).filter((name) =>
    name.startsWith(`${basename(dataFolder)}${NURSERY_MARK}`),
  );
  for (const name of remains) {
    try {
      rmSync(join(parent, name), { recursive: true, force: true });
    } catch {
      // The next start that makes a data folder tries again.
    }
  }
}

/** Options of `spawn` that make a child run under an account. */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account === undefined ? {} : { uid: account.uid, gid: account.gid };
}

export function readPassword(dataFolder: string): string {
  return readFileSync(join(dataFolder, PASSWORD_FILE), "utf8");
}

export function isInitialised(dataFolder: string): boolean {
  return existsSync(join(dataFolder, "PG_VERSION"));
}

/** The operating-system account that the database server runs under. */
export interface Account {
  uid: number;
  gid: number;
  name: string;
}

/** PostgreSQL refuses to run as root, so root hands over to the first of these that exists. */
const PREFERRED = ["kenning", "postgres", "nobody"];

function readAccounts(): Account[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(":");
    return name && uid && gid ? [{ name, uid: Number(uid), gid: Number(gid) }] : [];
  });
}

/**
 * The account for a server on `dataFolder`: undefined means the one we already are. A data folder that
 * exists keeps its owner, so that a command run as root never locks its everyday user out.
 */
export function chooseAccount(dataFolder: string): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  if (existsSync(dataFolder)) {
    const { uid, gid } = statSync(dataFolder);
    const name = readAccounts().find((account) => account.uid === uid)?.name ?? String(uid);
    if (uid !== 0) return { uid, gid, name };
  }
  const accounts = readAccounts();
  for (const name of PREFERRED) {
    const account = accounts.find((candidate) => candidate.name === name && candidate.uid !== 0);
    if (account !== undefined) return account;
  }
  throw new AppError(
    "unavailable",
    "PostgreSQL refuses to run as root, and no other account was found for it.",
    {
      hint: "Create a user named kenning, or start Kenning as a user other than root.",
    },
  );
}

function mayPass(folder: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(folder);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}

function ancestorsOf(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [...ancestorsOf(parent), folder];
}

/** Level by level, because a recursive mkdir never returns from some file systems. */
function createFolder(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    const isThere = existsSync(folder) && statSync(folder).isDirectory();
    if (isThere) return false;
    throw error;
  }
}

/**
 * Creates `home` and, for a server under another account, makes it passable without making it readable.
 * Nothing is created below a folder that the account cannot pass.
 */
export function prepareHome(home: string, account: Account | undefined): void {
  for (const folder of ancestorsOf(home)) {
    const isNew = createFolder(folder, account === undefined ? 0o700 : 0o711);
    if (account === undefined) continue;
    if (isNew || folder === home) chmodSync(folder, (statSync(folder).mode & 0o777) | 0o011);
    if (mayPass(folder, account)) continue;
    throw new AppError(
      "unavailable",
      `The database runs as user ${account.name}, who cannot pass the folder ${folder} on the way to ${home}.`,
      { hint: "Set KENNING_HOME to a folder that other users can reach, such as /var/lib/kenning." },
    );
  }
}
