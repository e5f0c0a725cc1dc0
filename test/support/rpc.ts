import { request as httpRequest } from "node:http";
import type { SurfaceName } from "../../src/registry/caller.ts";
import type { TestServer } from "./server.ts";

/** Where each surface answers in the workspace `acme` that a test server begins with. */
export const PATHS: Readonly<Record<SurfaceName, string>> = {
  bi: "/api/2.0/mcp",
  agent: "/api/data-agent/mcp",
  memory: "/api/mcp/v1",
  models: "/mcp/acme/mcp",
  knowledge: "/mcp/knowledge-external/sse",
  all: "/mcp",
};

export interface RpcError {
  code: number;
  message: string;
  data?: Record<string, unknown>;
}

export interface ToolResult extends Record<string, unknown> {
  content: { type: string; text: string }[];
  isError: boolean;
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
}

export interface Answer<Result = Record<string, unknown>> {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body: a JSON-RPC message, or whatever the answer of HTTP itself holds. */
  body: { jsonrpc?: string; id?: unknown; result?: Result; error?: RpcError } & Record<string, unknown>;
}

export interface Ask {
  token?: string | undefined;
  id?: string | number;
  params?: Record<string, unknown>;
  session?: string | undefined;
  headers?: Record<string, string>;
}

/** One JSON-RPC request by plain HTTP, as curl would send it. */
export async function rpc<Result = Record<string, unknown>>(
  server: TestServer,
  path: string,
  method: string,
  { token, id = 1, params, session, headers = {} }: Ask = {},
): Promise<Answer<Result>> {
  const isNotification = method.startsWith("notifications/");
  const response = await server.request(path, {
    ...(token !== undefined && { token }),
    json: { jsonrpc: "2.0", ...(!isNotification && { id }), method, ...(params && { params }) },
    headers: { ...headers, ...(session !== undefined && { "mcp-session-id": session }) },
  });
  return answerOf<Result>(response);
}

/** One tool call; `result` is a tool result. */
export function callOf(
  server: TestServer,
  path: string,
  name: string,
  args: Record<string, unknown> = {},
  ask: Ask = {},
): Promise<Answer<ToolResult>> {
  return rpc<ToolResult>(server, path, "tools/call", { ...ask, params: { name, arguments: args } });
}

/** The same request as a client of 2026-07-28 sends it: standing alone, with its headers. */
export function modernRpc<Result = Record<string, unknown>>(
  server: TestServer,
  path: string,
  method: string,
  { params = {}, headers = {}, ...ask }: Ask = {},
): Promise<Answer<Result>> {
  const name = params.name ?? params.uri;
  return rpc<Result>(server, path, method, {
    ...ask,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "modern-client", version: "3.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
    headers: {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
  });
}

export async function answerOf<Result = Record<string, unknown>>(
  response: Response,
): Promise<Answer<Result>> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const body = (isJson ? JSON.parse(text) : {}) as Answer<Result>["body"];
  return { status: response.status, headers: response.headers, text, body };
}

export interface RawRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
}

/** A request with exactly these headers: `fetch` adds an Accept of its own and forbids Host. */
export function rawRequest(
  server: TestServer,
  path: string,
  { method = "POST", headers = {}, body }: RawRequest = {},
): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (incoming) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("error", reject);
    incoming.on("end", () => {
      const names = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
      const status = incoming.statusCode ?? 0;
      const content = [204, 304].includes(status) ? null : Buffer.concat(chunks);
      resolve(answerOf(new Response(content, { status, headers: Object.fromEntries(names) })));
    });
  });
  request.on("error", reject);
  request.end(body);
  return promise;
}
