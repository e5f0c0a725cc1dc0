import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { inject } from "vitest";
import { type App, type ComposeOptions, compose } from "../../src/app/compose.ts";
import { loadConfig } from "../../src/app/config.ts";
import type { MadeTokenKind } from "../../src/domains/identity/index.ts";
import type { Role } from "../../src/kernel/permissions.ts";
import type { TokenLimits } from "../../src/registry/caller.ts";
import { freePort } from "./command-line.ts";
import { createTestDatabase } from "./database.ts";

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

/** The whole server, in this process, on its own database, folder and port. */
export async function startTestServer(
  options: ComposeOptions & { env?: Record<string, string> } = {},
): Promise<TestServer> {
  const { env, ...composeOptions } = options;
  const database = await createTestDatabase();
  const port = await freePort();
  const home = mkdtempSync(join(tmpdir(), "kenning-server-"));
  shareModels(home);
  const settings = {
    PORT: String(port),
    KENNING_HOME: home,
    DATABASE_URL: database.url,
    EXTERNAL_KNOWLEDGE_MCP_ENABLED: "true",
  };
  const config = loadConfig({ env: { ...settings, ...env }, cwd: home });
  const app = await compose(config, { log: pino({ level: "silent" }), ...composeOptions });
  const { url } = await app.listen();
  await app.identity.workspaces.create({ slug: "acme", name: "Acme" });
  let users = 0;

  return {
    app,
    url,
    home,
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
    databaseUrl: database.url,
    loseDatabase: () => database.drop(),
    async stop() {
      await app.close();
      await database.drop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
