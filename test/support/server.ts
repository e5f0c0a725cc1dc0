import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterAll, inject } from "vitest";
import { type App, type ComposeOptions, compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";
import type { MadeTokenKind } from "../../src/domains/identity/index.ts";
import type { Role } from "../../src/kernel/permissions.ts";
import type { TokenLimits } from "../../src/registry/caller.ts";
import { freePort } from "./command-line.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";

export interface TestServer {
  app: App;
  url: string;
  /** KENNING_HOME. */
  home: string;
  /** A token of a new user with this role (admin when left out) in the workspace `acme`. */
  token(wish?: TokenWish): Promise<string>;
  /** `fetch` on this server, with the token as bearer. */
  request(path: string, init?: RequestInit & { token?: string; json?: unknown }): Promise<Response>;
  databaseUrl: string;
  /** Takes the database away under the running server. */
  loseDatabase(): Promise<void>;
  stop(): Promise<void>;
}

export interface TokenWish {
  role?: Role;
  kind?: MadeTokenKind;
  workspace?: string;
  email?: string;
  scopes?: readonly string[];
  limits?: Partial<TokenLimits>;
  expiresInMs?: number;
}

/** The bundled model is written down once for all servers of a run, not once for each. */
function shareModels(home: string): void {
  const models = inject("modelsFolder");
  mkdirSync(models, { recursive: true });
  symlinkSync(models, join(home, "models"));
}

export interface ServerWish extends ComposeOptions {
  env?: Record<string, string>;
  /** A server that nobody used before: for whoever takes its database away, closes it, or counts all that it did. */
  isOwn?: boolean;
}

/** What a server is made of, whoever uses it at the moment. */
interface Running {
  app: App;
  url: string;
  home: string;
  database: TestDatabase;
  close(): Promise<void>;
}

/**
 * Servers that files of one worker use one after the other, each in workspaces of its own: engines and threads take
 * longer to start than most tests do. By their settings, which are of a few kinds only.
 */
const kept = new Map<string, { running: Promise<Running>; isLent: boolean }>();
const KEPT_SETTINGS: readonly Record<string, string>[] = [
  {},
  { RATE_LIMIT_ENABLED: "false" },
  { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" },
];

/** The whole server, in this process; one that others used before, where nothing speaks against it. */
export async function startTestServer(wish: ServerWish = {}): Promise<TestServer> {
  const { env = {}, ...special } = wish;
  const key = JSON.stringify(env);
  const isUsual =
    Object.keys(special).length === 0 && KEPT_SETTINGS.some((one) => JSON.stringify(one) === key);
  if (!isUsual || kept.get(key)?.isLent) {
    const running = await run(wish);
    return await handOut(running, running.close);
  }
  const one = kept.get(key) ?? { running: run(wish), isLent: true };
  kept.set(key, one);
  one.isLent = true;
  const running = await one.running;
  return await handOut(running, async () => {
    await clear(running);
    one.isLent = false;
  });
}

/** The same, until all tests of the file are over. */
export async function serverOfFile(wish: ServerWish = {}): Promise<TestServer> {
  const server = await startTestServer(wish);
  afterAll(() => server.stop());
  return server;
}

/** Leaves nothing of those who used it before: all that is somebody's goes with the workspace. */
async function clear({ database }: Running): Promise<void> {
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await client.query("DELETE FROM workspaces");
    await client.query("DELETE FROM accounts");
  } finally {
    await client.end();
  }
}

async function run({ env, isOwn: _, ...options }: ServerWish): Promise<Running> {
  const database = await createTestDatabase();
  const port = await freePort();
  const home = mkdtempSync(join(inject("homesFolder"), "server-"));
  shareModels(home);
  const settings = {
    PORT: String(port),
    KENNING_HOME: home,
    DATABASE_URL: database.url,
    EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
  };
  const config = loadConfig({ env: { ...settings, ...env }, cwd: home });
  const app = await compose(config, { log: pino({ level: "silent" }), ...options });
  const { url } = await app.listen();
  const close = async () => {
    await app.close();
    await database.drop();
    rmSync(home, { recursive: true, force: true });
  };
  return { app, url, home, database, close };
}

/** How a server at this address is asked. */
export function reached(url: string): Pick<TestServer, "url" | "request"> {
  return {
    url,
    request(path, { token, json, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
      if (json !== undefined) headers.set("content-type", "application/json");
      const body = json === undefined ? init.body : JSON.stringify(json);
      const method = init.method ?? (json === undefined ? "GET" : "POST");
      return fetch(`${url}${path}`, {
        ...init,
        method,
        headers,
        ...(body !== undefined && { body }),
      } as RequestInit);
    },
  };
}

async function handOut(running: Running, stop: () => Promise<void>): Promise<TestServer> {
  const { app, url, home, database } = running;
  await app.identity.workspaces.create({ slug: "acme", name: "Acme" });
  let users = 0;

  return {
    app,
    home,
    ...reached(url),
    async token({ role = "admin", kind = "api", workspace = "acme", email, ...wish } = {}) {
      users += 1;
      const address = email ?? `${role}-${users}@example.com`;
      if (email === undefined)
        await app.identity.users.create({
          email: address,
          workspace,
          role,
          password: "correct horse battery",
        });
      const { token } = await app.identity.tokens.create({ email: address, workspace, kind, ...wish });
      return token;
    },
    databaseUrl: database.url,
    loseDatabase: () => database.drop(),
    stop,
  };
}
