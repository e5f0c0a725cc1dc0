import type { Context } from "hono";
import { z } from "zod";
import type { ConnectedApps, Identity, SignedIn, TokenInfo } from "../../domains/identity/index.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { parseDuration } from "../../kernel/time.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import { parseInput } from "./parse-input.ts";
import { requirePerson } from "./require-person.ts";

export interface ConsoleParts {
  appUrl: string;
  identity: Identity;
  apps: ConnectedApps;
  browser: BrowserSession;
}

const newPassword = z.strictObject({ current: z.string(), password: z.string() });

const newToken = z.strictObject({
  workspace: z.string(),
  kind: z.enum(["api", "mcp", "memory", "knowledge"]),
  name: z.string().optional(),
  scopes: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  toolsets: z.array(z.string()).optional(),
  models: z.array(z.string()).optional(),
  knowledge_bases: z.array(z.int()).optional(),
  expires_in: z.string().optional().describe("Such as 90d or 1y"),
});

const BASE = "/api/console";

/** What a signed-in person can do about their own tokens, apps and password. */
export function mountConsole(app: HttpApp, parts: ConsoleParts): void {
  const person = (c: Context<HttpEnv>) => requirePerson(parts, c);
  mountSelf(app, parts, person);
  mountSignOut(app, parts, person);
  mountTokens(app, parts, person);
  mountApps(app, parts, person);
}

type WhoAsks = (c: Context<HttpEnv>) => Promise<SignedIn>;

function mountSelf(app: HttpApp, { identity, browser }: ConsoleParts, person: WhoAsks): void {
  app.get(`${BASE}/me`, async (c) => {
    const { email, name, accountId } = await person(c);
    const workspaces = await identity.users.workspacesOf(accountId);
    return c.json({
      email,
      name,
      workspaces: workspaces.map(({ slug: workspace, role }) => ({ workspace, role })),
    });
  });

  app.post(`${BASE}/password`, async (c) => {
    const { email, accountId } = await person(c);
    const { current, password } = parseInput(newPassword, await readSmallBody(c));
    const address = c.get("address");
    await identity.users.changePassword({ userId: accountId, email, current, password, address });
    // Every session ends with the password it was opened with; this browser gets a new one.
    await browser.start(c, accountId);
    return c.body(null, 204);
  });
}

function mountSignOut(app: HttpApp, { identity, browser }: ConsoleParts, person: WhoAsks): void {
  app.delete(`${BASE}/session`, async (c) => {
    const { accountId } = await person(c);
    await browser.end(c);
    identity.users.signedOut(accountId, { address: c.get("address"), requestId: c.get("requestId") });
    return c.body(null, 204);
  });
}

function mountTokens(app: HttpApp, { identity }: ConsoleParts, person: WhoAsks): void {
  app.get(`${BASE}/tokens`, async (c) => {
    const { email } = await person(c);
    return c.json({ tokens: (await identity.tokens.list({ email })).map(shown) });
  });

  app.post(`${BASE}/tokens`, async (c) => {
    const { token, info } = await makeToken(identity, await person(c), await readSmallBody(c));
    return c.json({ token, ...shown(info) }, 201);
  });

  app.delete(`${BASE}/tokens/:id`, async (c) => {
    const { accountId } = await person(c);
    await identity.tokens.revokeOwn(accountId, Number(c.req.param("id")));
    return c.body(null, 204);
  });
}

function mountApps(app: HttpApp, { apps }: ConsoleParts, person: WhoAsks): void {
  app.get(`${BASE}/apps`, async (c) => {
    const { accountId } = await person(c);
    const list = await apps.list(accountId);
    return c.json({
      apps: list.map((app) => ({
        id: app.grantId,
        name: app.clientName,
        client_id: app.clientId,
        workspace: app.workspace,
        scopes: app.scopes,
        connected_at: app.createdAt,
        last_used_at: app.lastUsedAt,
      })),
    });
  });

  app.delete(`${BASE}/apps/:id`, async (c) => {
    const { accountId } = await person(c);
    await apps.revoke(accountId, c.req.param("id"));
    return c.body(null, 204);
  });
}

function readSmallBody(c: Context<HttpEnv>): Promise<unknown> {
  return readBody(c.req.raw, { maxBytes: LIMITS.request.smallBodyBytes });
}

function shown(info: TokenInfo): Record<string, unknown> {
  const { readOnly, toolsets, models, knowledgeBases } = info.limits;
  return {
    id: info.id,
    kind: info.kind,
    name: info.name,
    hint: info.hintText,
    workspace: info.workspace,
    scopes: info.scopes,
    limits: { read_only: readOnly, toolsets, models, knowledge_bases: knowledgeBases },
    created_at: info.createdAt,
    expires_at: info.expiresAt,
    last_used_at: info.lastUsedAt,
    last_used_client: info.lastUsedClient,
  };
}

/** Makes a token for the person who asks, from what the console API was sent. */
function makeToken(
  { tokens }: Pick<Identity, "tokens">,
  { email, accountId }: SignedIn,
  input: unknown,
): Promise<{ token: string; info: TokenInfo }> {
  const wish = parseInput(newToken, input);
  return tokens.create({
    email,
    by: { userId: accountId },
    workspace: wish.workspace,
    kind: wish.kind,
    ...(wish.name !== undefined && { name: wish.name }),
    ...(wish.scopes !== undefined && { scopes: wish.scopes }),
    ...(wish.expires_in !== undefined && { expiresInMs: parseDuration(wish.expires_in) }),
    limits: {
      readOnly: wish.read_only ?? false,
      toolsets: wish.toolsets ?? null,
      models: wish.models ?? null,
      knowledgeBases: wish.knowledge_bases ?? null,
    },
  });
}
