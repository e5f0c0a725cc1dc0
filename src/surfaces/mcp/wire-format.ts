import type { Server } from "@modelcontextprotocol/server";
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

export function messagesOf(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).filter(
    (message) => typeof message === "object" && message !== null,
  );
}

/** What a request names; without it the SDK would call the request our own fault. */
const NAMED: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "resources/subscribe": "uri",
  "resources/unsubscribe": "uri",
};

/** Fills in what `initialize` must have and the seeds' examples leave out, and an empty name where there is none. */
export function fillParams(
  body: unknown,
  surface: Surface,
  client: { name: string; version: string },
): unknown {
  if (Array.isArray(body)) return body.map((message) => fillParams(message, surface, client));
  const message = body as Message;
  const { method = "", params } = message ?? {};
  const named = Object.hasOwn(NAMED, method) ? NAMED[method] : undefined;
  if (named !== undefined && typeof params?.[named] !== "string")
    return { ...message, params: { ...params, [named]: "" } };
  if (method !== "initialize") return body;
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
    .filter((data) => data !== "" && isAnswer(data));
  const headers = new Headers(response.headers);
  for (const name of ["content-type", "cache-control", "connection", "x-accel-buffering"])
    headers.delete(name);
  if (answers.length === 0) {
    const error = { code: -32000, message: "The session ended before this was answered. Send it again." };
    return Response.json({ jsonrpc: "2.0", id: null, error }, { status: response.status, headers });
  }
  headers.set("content-type", "application/json");
  const body = answers.length === 1 ? answers[0] : `[${answers.join(",")}]`;
  return new Response(body, { status: response.status, headers });
}

/** What begins with its result needs no parsing, which for a large one would take long. */
function isAnswer(data: string): boolean {
  if (data.startsWith('{"result":')) return true;
  const message = JSON.parse(data) as Record<string, unknown>;
  return "id" in message && ("result" in message || "error" in message);
}

/** An error as JSON-RPC writes it. */
export interface WireError {
  code: number;
  message: string;
  data?: unknown;
}

type Change = (error: WireError) => WireError;

/** Changes the errors that a server sends, also those that the SDK makes, whichever transport it is given. */
export function changingErrors(server: Server, change: Change): Server {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(changed(message, change), options);
    return connect(transport);
  };
  return server;
}

/** The same of an answer of HTTP, for what never became a message. */
export async function changeErrorIn(answer: Response, change: Change): Promise<Response> {
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  if (answer.ok || !isJson) return answer;
  const body: unknown = await answer.json();
  const { status, headers } = answer;
  headers.delete("content-length");
  const isMessage = typeof body === "object" && body !== null && "jsonrpc" in body;
  return new Response(JSON.stringify(isMessage ? changed(body, change) : body), { status, headers });
}

function changed<Message extends object>(message: Message, change: Change): Message {
  return "error" in message ? { ...message, error: change(message.error as WireError) } : message;
}
