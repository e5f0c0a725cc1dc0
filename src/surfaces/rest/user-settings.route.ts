import type { Context } from "hono";
import { z } from "zod";
import { PREFERENCES } from "../../domains/agent/index.ts";
import type { Identity } from "../../domains/identity/index.ts";
import { AppError, plainToolNames } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { asAppError } from "../../registry/as-app-error.ts";
import { type CallPorts, call, type Operation, toolOperation } from "../../registry/call.ts";
import type { Caller, CallMeta } from "../../registry/caller.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import { parseInput } from "../console-api/parse-input.ts";
import { requirePerson } from "../console-api/require-person.ts";
import { challenge, refusal } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import { readOperation } from "../mcp/server-factory.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";

interface UserSettingsParts {
  appUrl: string;
  /** Of the data agent's endpoint: whose OAuth tokens are good here as well. */
  agentPath: string;
  identity: Identity;
  browser: BrowserSession;
  registry: Registry;
  ports: CallPorts;
}

const { defaultProvider, ...ofAgent } = PREFERENCES;
const optional = <T extends z.ZodType>(schema: T) => schema.nullish();

/** As seed 001 has it: what is about the data agent stands under its name. */
const patch = z.strictObject({
  defaultProvider: optional(defaultProvider),
  dataAgent: z
    .strictObject(
      Object.fromEntries(Object.entries(ofAgent).map(([name, schema]) => [name, optional(schema)])),
    )
    .optional(),
});

const PATH = "/api/user-settings";

/** What somebody prefers, for clients that keep the answers to what was asked back. */
export function mountUserSettings(app: HttpApp, parts: UserSettingsParts): void {
  app.get(PATH, (c) => answer(c, parts, () => read(c, parts)));
  app.patch(PATH, (c) => answer(c, parts, () => change(c, parts)));
}

async function read(c: Context<HttpEnv>, parts: UserSettingsParts): Promise<Response> {
  const who = await whoAsks(c, parts);
  const found = parts.registry.resource("all", "kenning://preferences");
  if (found === undefined) throw new Error("There is no resource of preferences.");
  const operation = readOperation(found.entry.resource, "kenning://preferences");
  const { text } = (await perform(c, parts, who, operation, {})) as { text: string };
  const { defaultProvider, ...dataAgent } = JSON.parse(text);
  return c.json({ defaultProvider, dataAgent });
}

async function change(c: Context<HttpEnv>, parts: UserSettingsParts): Promise<Response> {
  const who = await whoAsks(c, parts);
  const body = await readBody(c.req.raw, { maxBytes: LIMITS.request.smallBodyBytes });
  const { dataAgent = {}, defaultProvider } = parseInput(patch, body);
  const changes = Object.entries({ ...dataAgent, defaultProvider }).filter(
    ([, value]) => value !== undefined,
  );
  const named = changes.map(([name, value]) => [snakeCase(name), value] as const);
  const clear = named.filter(([, value]) => value === null).map(([name]) => name);
  const args = { ...Object.fromEntries(named.filter(([, value]) => value !== null)), clear };
  const tool = parts.registry.tool("all", "set_preferences") as WireTool;
  await perform(c, parts, who, toolOperation(tool), args);
  return read(c, parts);
}

/** By token, or by the session of a signed-in browser. */
async function whoAsks(
  c: Context<HttpEnv>,
  parts: UserSettingsParts,
): Promise<{ caller: Caller; tokenHash: string }> {
  const { identity, appUrl, agentPath } = parts;
  const authorization = c.req.header("authorization") ?? null;
  const address = c.get("address");
  if (authorization === null && c.req.header("cookie") !== undefined) return ofBrowser(c, parts);
  const proof = { authorization, surface: "all" as const, resource: `${appUrl}${agentPath}`, address };
  const { caller, tokenHash, plan } = await identity.authenticate(proof);
  await identity.limiter.admit({ surface: "all", tokenHash, userId: caller.user.id, address, plan });
  return { caller, tokenHash };
}

async function ofBrowser(
  c: Context<HttpEnv>,
  parts: UserSettingsParts,
): Promise<{ caller: Caller; tokenHash: string }> {
  const { identity } = parts;
  const { accountId } = await requirePerson(parts, c);
  const mine = await identity.users.workspacesOf(accountId);
  const wanted = c.req.query("workspace") ?? (mine.length === 1 ? mine[0]?.slug : undefined);
  const workspace = mine.find(({ slug }) => slug === wanted);
  if (workspace === undefined) {
    throw new AppError("bad_request", "workspace is required, as a query parameter.", {
      hint: `One of: ${mine.map(({ slug }) => slug).join(", ")}.`,
    });
  }
  const caller = await identity.callerFor({ workspaceId: workspace.id, userId: accountId });
  await identity.limiter.admit({
    surface: "all",
    tokenHash: `account ${accountId}`,
    address: c.get("address"),
  });
  return { caller, tokenHash: "" };
}

/** Permission, limits and audit are those of every call. */
async function perform(
  c: Context<HttpEnv>,
  { ports }: UserSettingsParts,
  { caller, tokenHash }: { caller: Caller; tokenHash: string },
  operation: Operation,
  args: object,
): Promise<unknown> {
  const meta: CallMeta = {
    surface: "all",
    requestId: c.get("requestId"),
    address: c.get("address"),
    tokenHash,
    sessionId: null,
    client: { name: "rest", version: "" },
  };
  const signal = c.req.raw.signal;
  const outcome = await call(ports, operation, args, {
    caller,
    meta,
    signal,
    client: NO_CLIENT,
    say: plainToolNames,
  });
  if (outcome.status === "done") return outcome.output;
  throw outcome.status === "failed" ? outcome.error : new AppError("unsupported", "This call cannot wait.");
}

/** Refusals name where a token is to be had, as those of the endpoint do. */
async function answer(
  c: Context<HttpEnv>,
  { appUrl, agentPath, ports }: UserSettingsParts,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = asAppError(thrown, ports.log, { requestId: c.get("requestId"), path: PATH });
    const metadataUrl = `${appUrl}/.well-known/oauth-protected-resource${agentPath}`;
    return refusal(error, { error: error.code, message: error.advice }, challenge(error, metadataUrl));
  }
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
