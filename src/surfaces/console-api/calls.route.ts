import { Readable } from "node:stream";
import type { Context } from "hono";
import type { Identity, SignedIn } from "../../domains/identity/index.ts";
import { roundRobin } from "../../kernel/concurrency.ts";
import { AppError, plainToolNames } from "../../kernel/errors.ts";
import { megabytes, type ReceivedFiles } from "../../platform/files/index.ts";
import { asAppError } from "../../registry/as-app-error.ts";
import { type CallPorts, call, type Outcome, toolOperation } from "../../registry/call.ts";
import type { Caller, CallMeta } from "../../registry/caller.ts";
import { NO_CLIENT } from "../../registry/context.ts";
import type { Registry, WireTool } from "../../registry/registry.ts";
import { refusal } from "../http/answers.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { readBody } from "../http/body.ts";
import type { BrowserSession } from "../oauth/browser-session.ts";
import type { HasContent } from "../oauth/consent.route.ts";
import { wordsIn, wordsOf } from "../oauth/pages/words.ts";
import { clientGuides } from "./client-guides.ts";
import { eventStream, type StreamEvent } from "./event-stream.ts";
import { LIMITS } from "./limits.ts";
import { requireConsole, requireSession } from "./require-person.ts";

export interface CallsParts {
  appUrl: string;
  version: string;
  /** Of the endpoint with all tools. */
  mcpPath: string;
  identity: Identity;
  browser: BrowserSession;
  registry: Registry;
  ports: CallPorts;
  received: ReceivedFiles;
  hasContent: HasContent;
}

const BASE = "/api/console";

/** What the console calls: who is signed in, every tool by its plain name, and files that are sent ahead of a call. */
export function mountCalls(app: HttpApp, parts: CallsParts): void {
  app.get(`${BASE}/session`, (c) => answer(c, parts, () => session(c, parts)));
  app.get(`${BASE}/connect`, (c) => answer(c, parts, () => connect(c, parts)));
  app.post(`${BASE}/w/:workspace/call/:tool`, (c) => answer(c, parts, () => callTool(c, parts)));
  app.post(`${BASE}/w/:workspace/files`, (c) => answer(c, parts, () => takeFile(c, parts)));
}

async function session(c: Context<HttpEnv>, parts: CallsParts): Promise<Response> {
  const { identity, version, hasContent } = parts;
  const { accountId, email, name } = await requireSession(parts, c);
  const mine = await identity.users.workspacesOf(accountId);
  const workspaces = await Promise.all(
    mine.map(async ({ id, ...shown }) => ({ ...shown, hasContent: await hasContent(id) })),
  );
  const { language } = wordsOf(c);
  const headers = { "cache-control": "no-store" };
  return c.json({ user: { name, email }, language, workspaces, version }, 200, headers);
}

/** How each client connects, in the language that the console speaks. */
async function connect(c: Context<HttpEnv>, parts: CallsParts): Promise<Response> {
  await requireSession(parts, c);
  const t = wordsIn(c.req.query("language") === "de" ? "de" : "en");
  const address = `${parts.appUrl}${parts.mcpPath}`;
  const clients = clientGuides(address).map(({ steps, after, warning, install, ...guide }) => ({
    ...guide,
    steps: t.said(steps),
    ...(after !== undefined && { after: t.said(after) }),
    ...(warning !== undefined && { warning: t.said(warning) }),
    ...(install !== undefined && { install: { ...install, label: t.said(install.label) } }),
  }));
  return c.json({ address, clients });
}

/** Somebody who has been let in: what this takes is given back when the work has ended, whatever became of the answer. */
interface Place {
  caller: Caller;
  meta: CallMeta;
  release(): void;
}

async function admit(c: Context<HttpEnv>, parts: CallsParts): Promise<Place> {
  const { identity, ports } = parts;
  const person = await requireConsole(parts, c);
  const caller = await callerIn(c, parts, person);
  const address = c.get("address");
  const tokenHash = `account ${person.accountId}`;
  const release = await ports.admission.enter({ caller, address }, () =>
    identity.limiter.admit({ surface: "all", tokenHash, userId: caller.user.id, address }),
  );
  return { caller, meta: metaOf(c, parts, tokenHash), release };
}

/** With the power that the person's role gives there now. What is not theirs looks like what does not exist. */
async function callerIn(
  c: Context<HttpEnv>,
  { identity }: CallsParts,
  { accountId: userId }: SignedIn,
): Promise<Caller> {
  const slug = c.req.param("workspace");
  const mine = await identity.users.workspacesOf(userId);
  const workspace = mine.find((each) => each.slug === slug);
  if (workspace !== undefined) return identity.callerFor({ workspaceId: workspace.id, userId });
  throw new AppError("not_found", "There is no such workspace of yours.", {
    hint:
      mine.length === 0
        ? "Ask an admin to invite you."
        : `Yours are: ${mine.map((each) => each.slug).join(", ")}.`,
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function metaOf(c: Context<HttpEnv>, { version }: CallsParts, tokenHash: string): CallMeta {
  const thread = c.req.header("x-kenning-thread") ?? "";
  return {
    surface: "all",
    requestId: c.get("requestId"),
    address: c.get("address"),
    tokenHash,
    // A page says itself which question follows which.
    sessionId: null,
    ...(UUID.test(thread) && { thread }),
    client: { name: "console", version },
  };
}

async function callTool(c: Context<HttpEnv>, parts: CallsParts): Promise<Response> {
  const place = await admit(c, parts);
  let run: Run;
  try {
    const tool = parts.registry.tool("all", c.req.param("tool") ?? "");
    if (tool === undefined) throw unknownTool(c.req.param("tool") ?? "");
    run = { place, tool, ...(await readArguments(c, parts, place)) };
  } catch (error) {
    place.release();
    throw error;
  }
  if (c.req.header("accept")?.includes("text/event-stream")) {
    return eventStream(c.req.raw, async (tell, signal) =>
      lastEvent(c, await perform(parts, run, signal, tell)),
    );
  }
  const outcome = await perform(parts, run, c.req.raw.signal);
  if (outcome.status === "done") return c.json({ result: outcome.output });
  throw errorOf(outcome);
}

interface Run {
  place: Place;
  tool: WireTool;
  args: unknown;
  /** Gives back the memory that the body is counted with. */
  letGo(): void;
}

/** A body of nothing is a call without arguments; one that is large is read apart and takes its turn. */
async function readArguments(
  c: Context<HttpEnv>,
  { ports, registry }: CallsParts,
  { caller, meta }: Place,
): Promise<Pick<Run, "args" | "letGo">> {
  if (c.req.header("content-length") === "0") return { args: {}, letGo: () => undefined };
  const line = meta.tokenHash;
  const lease = ports.admission.openBody({ caller, address: meta.address }, line, meta.tokenHash);
  const letGo = lease.hold();
  try {
    const data = { path: [], lists: registry.longLists("all") };
    const args = await readBody(c.req.raw, { data, lease, turn: () => roundRobin.take(line) });
    return { args, letGo };
  } catch (error) {
    letGo();
    throw error;
  }
}

async function perform(
  { ports }: CallsParts,
  { place, tool, args, letGo }: Run,
  signal: AbortSignal,
  tell?: (event: StreamEvent) => void,
): Promise<Outcome> {
  const { caller, meta, release } = place;
  const client: typeof NO_CLIENT = {
    ...NO_CLIENT,
    progress: (done, { total, message } = {}) =>
      tell?.({ event: "progress", data: { progress: done, total, message } }),
  };
  try {
    return await call(ports, toolOperation(tool), args, {
      caller,
      meta,
      signal,
      client,
      say: plainToolNames,
    });
  } finally {
    letGo();
    release();
  }
}

function errorOf(outcome: Exclude<Outcome, { status: "done" }>): AppError {
  return outcome.status === "failed" ? outcome.error : new AppError("unsupported", "This call cannot wait.");
}

function lastEvent(c: Context<HttpEnv>, outcome: Outcome): StreamEvent {
  if (outcome.status === "done") return { event: "result", data: { result: outcome.output } };
  return { event: "error", data: bodyOf(c, errorOf(outcome)) };
}

/** The bytes as they are; the handle stands where tools take the URL of a file. */
async function takeFile(c: Context<HttpEnv>, parts: CallsParts): Promise<Response> {
  const { fileBytes, fileNameCharacters } = LIMITS.console;
  const { caller, release } = await admit(c, parts);
  try {
    if (
      !caller.permissions.some((permission) => permission === "bi:write" || permission === "knowledge:write")
    )
      throw new AppError("forbidden", `Your role is ${caller.role}, which may not bring in files.`);
    const name = (c.req.query("name") ?? "").trim();
    if (name === "" || name.length > fileNameCharacters) {
      const hint = `Give it as ?name=, with 1 to ${fileNameCharacters} characters.`;
      throw new AppError("bad_request", "The file has no usable name.", { hint });
    }
    if (Number(c.req.header("content-length") ?? 0) > fileBytes) throw tooLarge();
    const { body, signal } = c.req.raw;
    if (body === null) throw new AppError("bad_request", "The file is empty.");
    const content = bounded(Readable.fromWeb(body as never));
    const { handle, bytes } = await parts.received.keep(caller, name, content, signal);
    return c.json({ file: handle, bytes }, 201);
  } finally {
    release();
  }
}

async function* bounded(body: Readable): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > LIMITS.console.fileBytes) throw tooLarge();
    yield chunk;
  }
}

function tooLarge(): AppError {
  return new AppError("too_large", `The file is larger than ${megabytes(LIMITS.console.fileBytes)}.`, {
    hint: "Split it, or give its URL to {tool:import_file}.",
  });
}

function unknownTool(name: string): AppError {
  return new AppError("not_found", `There is no tool "${name.slice(0, 80)}".`);
}

/** What goes wrong has one form, with the id by which the operator finds it in the log. */
async function answer(
  c: Context<HttpEnv>,
  { ports }: CallsParts,
  work: () => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (thrown) {
    const error = asAppError(thrown, ports.log, { requestId: c.get("requestId"), path: c.req.path });
    return refusal(error, bodyOf(c, error));
  }
}

function bodyOf(c: Context<HttpEnv>, { code, message, hint }: AppError): { error: Record<string, unknown> } {
  const said = hint === undefined ? {} : { hint: plainToolNames(hint) };
  return { error: { code, message: plainToolNames(message), ...said, request_id: c.get("requestId") } };
}
