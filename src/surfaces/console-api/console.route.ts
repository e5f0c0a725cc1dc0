import type { Context } from "hono";
import { z } from "zod";
import type { ConnectedApps, Identity, SignedIn, TokenInfo } from "../../domains/identity/index.ts";
import { parseDuration } from "../../kernel/durations.ts";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { explainIssues } from "../../registry/explain-issues.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import { appEvent } from "../oauth/app-events.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";

export interface ConsoleParts {
  appUrl: string;
  identity: Identity;
  apps: ConnectedApps;
  browser: BrowserSession;
}

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

const newPassword = z.strictObject({ current: z.string(), password: z.string() });

const BASE = "/api/console";

/** What a signed-in person can do about their own tokens, apps and password. */
export function mountConsole(app: HttpApp, parts: ConsoleParts): void {
  const person = (c: Context<HttpEnv>) => requirePerson(parts, c);
  mountSelf(app, parts, person);
  mountTokens(app, parts, person);
  mountApps(app, parts, person);
}

type WhoAsks = (c: Context<HttpEnv>) => Promise<SignedIn>;

function mountSelf(app: HttpApp, { identity, browser }: ConsoleParts, person: WhoAsks): void {
  app.get(`${BASE}/me`, async (c) => {
    const { email, name, accountId } = await person(c);
    const memberships = (await identity.users.list()).filter(({ userId }) => userId === accountId);
    return c.json({
      email,
      name,
      workspaces: memberships.map(({ workspace, role }) => ({ workspace, role })),
    });
  });

  app.post(`${BASE}/password`, async (c) => {
    const { email, accountId } = await person(c);
    const { current, password } = await readInput(c, newPassword);
    const account = await identity.users.verifyPassword(email, current, c.get("address"));
    if (account === null) throw new AppError("forbidden", "The current password does not fit.");
    await identity.users.setPassword(email, password, { userId: accountId });
    // Every session ends with the password it was opened with; this browser gets a new one.
    await browser.start(c, accountId);
    return c.body(null, 204);
  });
}

function mountTokens(app: HttpApp, { identity }: ConsoleParts, person: WhoAsks): void {
  app.get(`${BASE}/tokens`, async (c) => {
    const { email } = await person(c);
    return c.json({ tokens: (await identity.tokens.list({ email })).map(shown) });
  });

  app.post(`${BASE}/tokens`, async (c) => {
    const { email, accountId } = await person(c);
    const wish = await readInput(c, newToken);
    const { token, info } = await identity.tokens.create({
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
    return c.json({ token, ...shown(info) }, 201);
  });

  app.delete(`${BASE}/tokens/:id`, async (c) => {
    const { email, accountId } = await person(c);
    const own = await identity.tokens.list({ email });
    const token = own.find(({ id }) => String(id) === c.req.param("id"));
    if (token === undefined) throw new AppError("not_found", "You have no such token.");
    await identity.tokens.revoke(token.id, { userId: accountId });
    return c.body(null, 204);
  });
}

function mountApps(app: HttpApp, { identity, apps }: ConsoleParts, person: WhoAsks): void {
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
    const grantId = c.req.param("id");
    await apps.revoke(accountId, grantId);
    const app = await apps.whose(grantId);
    if (app !== undefined)
      identity.audit.record(appEvent("oauth.app_ended", app, { why: "person", grantId }));
    return c.body(null, 204);
  });
}

/** Signed in, and for changes: asked for by a page of ours, not by one that merely rides on the cookie. */
async function requirePerson({ appUrl, browser }: ConsoleParts, c: Context<HttpEnv>): Promise<SignedIn> {
  const origin = c.req.header("origin");
  const isJson = (c.req.header("content-type") ?? "").startsWith("application/json");
  if (origin !== undefined && origin !== new URL(appUrl).origin) {
    throw new AppError("forbidden", "Only pages of this server may call its console API.");
  }
  if (c.req.method === "POST" && !isJson) throw new AppError("unsupported", "Send JSON.");
  const person = await browser.of(c);
  if (person === null) throw new AppError("unauthorized", "Sign in first.", { hint: `${appUrl}/sign-in` });
  return person;
}

async function readInput<T extends z.ZodObject>(c: Context<HttpEnv>, schema: T): Promise<z.output<T>> {
  const parsed = schema.safeParse(await readBody(c.req.raw, { maxBytes: LIMITS.request.smallBodyBytes }), {
    reportInput: true,
  });
  if (parsed.success) return parsed.data;
  throw new AppError("bad_request", explainIssues(parsed.error.issues, schema));
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
