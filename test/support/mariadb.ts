import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import mysql from "mysql2/promise";
import type { TestContext } from "vitest";
import { randomText } from "../../src/kernel/text.ts";
import { freePort } from "./command-line.ts";

const SERVER = "/usr/sbin/mariadbd";
const INSTALLER = "/usr/bin/mariadb-install-db";
/** Nobody: the server does not run as root, and needs no entry in /etc/passwd for that. */
const ACCOUNT = { uid: 65_534, gid: 65_534 };
const START_MS = 120_000;

/** Debian's package mariadb-server brings it. */
export function hasMariadb(): boolean {
  return existsSync(SERVER) && existsSync(INSTALLER);
}

export function needsMariadb({ skip }: TestContext): void {
  skip(!hasMariadb(), "needs a MariaDB server (Debian's package mariadb-server)");
}

export interface Mariadb {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** As root, over the socket. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Statements that run on the server now for the user of the datasource. */
  running(): Promise<string[]>;
  /** Connections of that user. */
  connections(): Promise<number>;
  stop(): Promise<void>;
}

export interface MariadbOptions {
  tls?: { key: string; cert: string };
}

/** A server of the test's own in a temporary folder, on loopback, with a user who may do everything in one database. */
export async function startMariadb({ tls }: MariadbOptions = {}): Promise<Mariadb> {
  const folder = mkdtempSync(join(tmpdir(), "kenning-mariadb-"));
  const account = process.getuid?.() === 0 ? ACCOUNT : undefined;
  const data = join(folder, "data");
  mkdirSync(data);
  if (tls !== undefined) {
    writeFileSync(join(folder, "key.pem"), tls.key);
    writeFileSync(join(folder, "cert.pem"), tls.cert);
  }
  if (account !== undefined) for (const path of [folder, data]) chownSync(path, account.uid, account.gid);
  const port = await freePort();
  const socketPath = join(folder, "socket");
  let server: ChildProcess | undefined;
  let watchdog: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    watchdog?.kill("SIGKILL");
    if (server?.exitCode === null && server.signalCode === null) {
      server.kill("SIGKILL");
      await once(server, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await promisify(execFile)(
      INSTALLER,
      [`--datadir=${data}`, "--no-defaults", "--skip-test-db", "--auth-root-authentication-method=normal"],
      { cwd: folder, ...account },
    );
    server = spawn(SERVER, serverFlags({ folder, data, port, socketPath, tls: tls !== undefined }), {
      cwd: folder,
      stdio: "ignore",
      ...account,
    });
    watchdog = watchOver(server, folder);
    const root = await connectAsRoot(socketPath, server);
    return { ...(await makeUser(root, port)), stop: () => root.end().then(stop, stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A test that is killed cannot stop its server; this notices that its own input ends. */
function watchOver({ pid }: ChildProcess, folder: string): ChildProcess {
  const script = 'read -r _; kill -9 "$1"; rm -rf "$2"';
  const watchdog = spawn("/bin/sh", ["-c", script, "watchdog", String(pid), folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watchdog.unref();
  return watchdog;
}

interface Places {
  folder: string;
  data: string;
  port: number;
  socketPath: string;
  tls: boolean;
}

function serverFlags({ folder, data, port, socketPath, tls }: Places): string[] {
  return [
    "--no-defaults",
    `--datadir=${data}`,
    `--socket=${socketPath}`,
    `--pid-file=${join(folder, "pid")}`,
    `--port=${port}`,
    "--bind-address=127.0.0.1",
    `--secure-file-priv=${folder}`,
    "--skip-log-bin",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-buffer-pool-size=32M",
    "--max-allowed-packet=256M",
    ...(tls ? [`--ssl-key=${join(folder, "key.pem")}`, `--ssl-cert=${join(folder, "cert.pem")}`] : []),
  ];
}

async function connectAsRoot(socketPath: string, server: ChildProcess): Promise<mysql.Connection> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      return await mysql.createConnection({ socketPath, user: "root", multipleStatements: true });
    } catch (error) {
      if (Date.now() > until || server.exitCode !== null) throw error;
      await sleep(50);
    }
  }
}

async function makeUser(root: mysql.Connection, port: number): Promise<Omit<Mariadb, "stop">> {
  const user = "reader";
  const password = `pw-${randomText(12)}`;
  await root.query("CREATE DATABASE shop CHARACTER SET utf8mb4");
  await root.query(`CREATE USER '${user}'@'%' IDENTIFIED BY '${password}'`);
  // More than a datasource should have: what keeps it from writing must not be the lack of rights.
  await root.query(`GRANT ALL ON shop.* TO '${user}'@'%'; GRANT FILE ON *.* TO '${user}'@'%'`);
  const list = async (condition: string): Promise<Record<string, unknown>[]> => {
    const [rows] = await root.query(
      `SELECT info FROM information_schema.processlist WHERE user = '${user}' AND ${condition}`,
    );
    return rows as Record<string, unknown>[];
  };
  return {
    host: "127.0.0.1",
    port,
    user,
    password,
    database: "shop",
    query: async (sql) => (await root.query(sql))[0] as Record<string, unknown>[],
    running: async () => (await list("info IS NOT NULL")).map(({ info }) => String(info)),
    connections: async () => (await list("true")).length,
  };
}
