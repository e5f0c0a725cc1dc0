import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../../test/support/command-line.ts";
import type { Target } from "./clients.ts";
import type { Postgres } from "./datasets.ts";

/** Others who serve SQL over MCP, in the versions that were compared. */
const PACKAGES = ["@bytebase/dbhub@1.4", "@toolbox-sdk/server@1.12"];

export interface Peer extends Target {
  process: ChildProcess;
}

/** Never into the project: a folder of its own, and nothing that runs at installation. */
export function installPeers(folder: string): void {
  if (existsSync(join(folder, "node_modules/@bytebase/dbhub"))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES];
  const { status, error } = spawnSync("npm", args, { cwd: folder, env, stdio: "inherit" });
  if (status !== 0) throw new Error(`npm could not install the peers (${error?.message ?? status})`);
}

export async function startPeers(
  folder: string,
  { sqlite, postgres }: { sqlite: string; postgres: Postgres },
): Promise<Peer[]> {
  const { host, port, user, password, database } = postgres;
  const dsn = `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}?sslmode=disable`;
  const forPostgres = {
    POSTGRES_HOST: host,
    POSTGRES_PORT: String(port),
    POSTGRES_DATABASE: database,
    POSTGRES_USER: user,
    POSTGRES_PASSWORD: password,
  };
  return [
    await startDbhub(folder, "dbhub, SQLite", `sqlite://${sqlite}`),
    await startDbhub(folder, "dbhub, PostgreSQL", dsn),
    await startToolbox(folder, "toolbox, SQLite", "sqlite", { SQLITE_DATABASE: sqlite }),
    await startToolbox(folder, "toolbox, PostgreSQL", "postgres", forPostgres),
  ];
}

async function startDbhub(folder: string, name: string, dsn: string): Promise<Peer> {
  const port = await freePort();
  const program = join(folder, "node_modules/@bytebase/dbhub/dist/index.js");
  const flags = ["--transport", "http", "--host", "127.0.0.1", "--port", String(port), "--dsn", dsn];
  const child = start(process.execPath, [program, ...flags], folder, {});
  return peer(name, port, child);
}

async function startToolbox(
  folder: string,
  name: string,
  source: string,
  env: Record<string, string>,
): Promise<Peer> {
  const port = await freePort();
  // The program itself rather than its wrapper in Node, so that ending the process ends the server.
  const platform = `server-${process.platform}-${process.arch}`;
  const program = join(folder, "node_modules/@toolbox-sdk", platform, "bin/toolbox");
  if (existsSync(program)) chmodSync(program, 0o755);
  const flags = [
    "--prebuilt",
    source,
    "--port",
    String(port),
    "--log-level",
    "ERROR",
    "--disable-version-check",
  ];
  return peer(name, port, start(program, flags, folder, env));
}

function start(program: string, args: string[], cwd: string, env: Record<string, string>): ChildProcess {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: "ignore" });
  child.on("error", (error) => console.log(`${program}: ${error.message}`));
  return child;
}

function peer(name: string, port: number, child: ChildProcess): Peer {
  const url = `http://127.0.0.1:${port}/mcp`;
  return { name, url, tool: "execute_sql", args: (sql) => ({ sql }), process: child };
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  const timer = setTimeout(() => child.kill("SIGKILL"), 5_000);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}
