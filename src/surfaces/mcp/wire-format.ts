import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { Surface } from "./surface.ts";

/**
 * The small layer before the SDK that makes the seeds' examples work as printed: no `Accept` header,
 * `initialize` with empty parameters, plain JSON for who does not ask for a stream.
 */

export type Message = {
  jsonrpc?: string;
  id?: string | number;
  method?: string;
  params?: Record<string, unknown>;
};

export async function readBody(
  request: Request,
  maxBytes: number = LIMITS.request.bodyBytes,
): Promise<unknown> {
  const body = parse(await readText(request, maxBytes));
  // What walks through the body later (we, the SDK, JSON.stringify) would run out of stack.
  if (isDeeperThan(LIMITS.request.bodyDepth, body)) {
    const sentence = `the request body is nested more than ${LIMITS.request.bodyDepth} levels deep.`;
    throw new AppError("bad_request", `Parse error: ${sentence}`);
  }
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AppError("bad_request", "Parse error: the request body is not valid JSON.", { cause });
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(levels - 1, item));
  for (const name in value) {
    if (isDeeperThan(levels - 1, (value as Record<string, unknown>)[name])) return true;
  }
  return false;
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get("content-length");
  const tooLarge = () => new AppError("too_large", `The request is larger than ${maxBytes} bytes.`);
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge();
    // The server reads no more than was declared, so this is bounded; and it is the fast way.
    return decode(await request.arrayBuffer().catch(goneAway));
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks));
}

/** A client that leaves in the middle of its request has made no mistake, and neither have we. */
function goneAway(cause: unknown): never {
  throw new AppError("cancelled", "The request ended before it was complete.", { cause });
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

function decode(bytes: ArrayBuffer | Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
  } catch (cause) {
    throw new AppError("bad_request", "Parse error: the request body is not valid UTF-8.", { cause });
  }
}

export function messagesOf(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).filter(
    (message) => typeof message === "object" && message !== null,
  );
}

/** Fills in what `initialize` must have and the seeds' examples leave out. */
export function fillInitialize(
  body: unknown,
  surface: Surface,
  client: { name: string; version: string },
): unknown {
  if (Array.isArray(body)) return body.map((message) => fillInitialize(message, surface, client));
  const message = body as Message;
  if (message?.method !== "initialize") return body;
  const { params } = message;
  const defaults = { protocolVersion: surface.defaultProtocolVersion, capabilities: {}, clientInfo: client };
  return { ...message, params: { ...defaults, ...params } };
}

export function wantsStream(request: Request): boolean {
  return (request.headers.get("accept") ?? "").includes("text/event-stream");
}

/** Where only a stream can be had, a client that has nothing against one gets it. */
export function takesStream(request: Request): boolean {
  const accept = request.headers.get("accept");
  return accept === null || /text\/event-stream|text\/\*|\*\/\*/.test(accept);
}

/** The request as the SDK wants to see it. The body has been read; only the headers still matter. */
export function forSdk(request: Request, sessionId?: string): Request {
  const headers = new Headers(request.headers);
  headers.set("accept", "application/json, text/event-stream");
  if (sessionId === undefined) headers.delete("mcp-session-id");
  else headers.set("mcp-session-id", sessionId);
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

/** Turns a stream that ends with the answer into that answer: for clients that cannot read streams. */
export async function withoutStream(response: Response): Promise<Response> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream) return response;
  const answers = (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .filter((data) => data !== "")
    .map((data) => JSON.parse(data) as Record<string, unknown>)
    .filter((message) => "id" in message && ("result" in message || "error" in message));
  const headers = new Headers(response.headers);
  for (const name of ["content-type", "cache-control", "connection", "x-accel-buffering"])
    headers.delete(name);
  if (answers.length === 0) {
    const error = { code: -32000, message: "The session ended before this was answered. Send it again." };
    return Response.json({ jsonrpc: "2.0", id: null, error }, { status: response.status, headers });
  }
  return Response.json(answers.length === 1 ? answers[0] : answers, { status: response.status, headers });
}
