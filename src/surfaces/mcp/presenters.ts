import {
  type CallToolResult,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  ProtocolError,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import type { AppError, ErrorCode } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { ContentBlock } from "../../registry/define-tool.ts";
import type { WireTool } from "../../registry/registry.ts";
import { LIMITS } from "./limits.ts";
import type { WireError } from "./wire-format.ts";

/** How one surface words results and errors. Nothing else about a call differs between surfaces. */
export interface Presenter {
  result(tool: WireTool, output: Record<string, unknown>, ms: number): CallToolResult;
  /** A failed tool call: a result with `isError`, or a thrown ProtocolError where the seed has a code. */
  toolError(error: AppError, ms: number): CallToolResult;
  /** A failed read of a resource or prompt is always a protocol error. */
  protocolError(error: AppError, subject: { uri?: string }): ProtocolError;
  /** What a call of a tool that does not exist looks like. */
  unknownTool(name: string, suggestion: string | undefined): CallToolResult;
  /** Any error as it goes out, also those of the SDK, where the seed has a form for all. */
  wireError?(error: WireError, to: { isNewest: boolean }): WireError;
  /** The body of an HTTP answer that never reached JSON-RPC (401, 403, 429 …). */
  httpError(error: AppError, requestId: string | number | null): Record<string, unknown>;
}

/** The text form of a result: the tool's own, or JSON. */
function contentOf({ tool }: WireTool, output: Record<string, unknown>): CallToolResult["content"] {
  return contentBlocks(tool.content?.(output) ?? JSON.stringify(output));
}

function contentBlocks(content: string | ContentBlock[]): CallToolResult["content"] {
  return (
    typeof content === "string" ? [{ type: "text", text: content }] : content
  ) as CallToolResult["content"];
}

function textError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Codes of JSON-RPC for surfaces whose seed has none of its own. */
const STANDARD_CODES: Partial<Record<AppError["code"], number>> = { bad_request: -32602, internal: -32603 };

function standardProtocolError(error: AppError, { uri }: { uri?: string }): ProtocolError {
  if (error.code === "not_found" && uri !== undefined)
    return new ResourceNotFoundError(clip(uri, LIMITS.session.uriCharacters), error.advice);
  return new ProtocolError(STANDARD_CODES[error.code] ?? -32000, error.advice, {
    code: error.code,
    ...error.data,
  });
}

function unknownToolMessage(name: string, suggestion: string | undefined): string {
  return suggestion === undefined
    ? `Unknown tool: ${clip(name)}. tools/list shows the tools of this endpoint.`
    : `Unknown tool: ${clip(name)}. Did you mean ${suggestion}?`;
}

function jsonRpcBody(code: number, error: AppError, id: string | number | null): Record<string, unknown> {
  // Why a token was refused is for the audit log: it would tell a stranger what exists.
  const { reason: _, ...facts } = error.data;
  return { jsonrpc: "2.0", id, error: { code, message: error.advice, data: { code: error.code, ...facts } } };
}

/** Today's MCP, without a seed's peculiarities: the semantic models' endpoint, and most of `/mcp`. */
export const plainPresenter: Presenter = {
  result: (tool, output) => ({ content: contentOf(tool, output), structuredContent: output, isError: false }),
  toolError: (error) => textError(error.advice),
  protocolError: standardProtocolError,
  unknownTool(name, suggestion) {
    throw new ProtocolError(-32602, unknownToolMessage(name, suggestion));
  },
  httpError: (error, id) => jsonRpcBody(-32000, error, id),
};

/** `/mcp`, where no contract prints results: rows as text are compact, and a file comes once. */
export const allPresenter: Presenter = {
  ...plainPresenter,
  result(tool, output, ms) {
    const compact = tool.tool.compact?.(output);
    if (compact === undefined) return plainPresenter.result(tool, output, ms);
    const { content, structured = output } = compact;
    return { content: contentBlocks(content), structuredContent: structured, isError: false };
  },
};

/** The seed's names for its error scenarios, before the message. */
const PREFIXES: Partial<Record<ErrorCode, string>> = {
  forbidden: "Access denied",
  bad_request: "Validation error",
  not_found: "Not found",
};

/** Every outcome is a result with `content`, `isError` and the time it took. */
export const biPresenter: Presenter = {
  result: (tool, output, ms) => ({
    content: contentOf(tool, output),
    structuredContent: output,
    isError: false,
    _meta: { executionTimeMs: Math.round(ms) },
  }),
  toolError: (error, ms) => ({ ...textError(biText(error)), _meta: { executionTimeMs: Math.round(ms) } }),
  protocolError: standardProtocolError,
  unknownTool: (name) =>
    textError(`Tool not found: ${clip(name)}. Use /api/2.0/mcp/tools to list valid tool names.`),
  httpError: ({ code, message, hint }) => ({ error: code, message, ...(hint !== undefined && { hint }) }),
};

function biText(error: AppError): string {
  const prefix = PREFIXES[error.code];
  return prefix === undefined ? error.advice : `${prefix}: ${error.advice}`;
}

const KNOWLEDGE_CODES: Partial<Record<ErrorCode, string>> = {
  bad_request: "bad_request",
  unauthorized: "unauthorized",
  not_found: "not_found",
  forbidden: "forbidden",
  gone: "file_unavailable",
  unsupported: "unsupported_media_type",
  rate_limited: "rate_limited",
  too_large: "result_too_large",
};

/** Every result is one JSON text; so is every error: `{error, code}`. */
export const knowledgePresenter: Presenter = {
  result: (_tool, output) => ({
    content: [{ type: "text", text: JSON.stringify(output) }],
    structuredContent: output,
    isError: false,
  }),
  toolError: (error) => textError(JSON.stringify(knowledgeBody(error))),
  protocolError: standardProtocolError,
  unknownTool(name, suggestion) {
    throw new ProtocolError(-32602, unknownToolMessage(name, suggestion));
  },
  httpError: knowledgeBody,
};

/** The body of every error of this contract, of a tool or of HTTP. */
export function knowledgeBody(error: AppError): { error: string; code: string } {
  return { error: error.advice, code: codeOf(error) };
}

function codeOf({ code, data }: AppError): string {
  if (code === "unavailable" && data.reason === "rate_limit") return "rate_limit_unavailable";
  return KNOWLEDGE_CODES[code] ?? "internal_error";
}

const MEMORY_CODES: Record<ErrorCode, number> = {
  bad_request: -32602,
  unsupported: 400,
  unauthorized: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  gone: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  timeout: -32000,
  cancelled: -32000,
  internal: -32603,
};

/** The fields of a result stand directly in `result`, beside valid MCP content; errors carry the seed's numbers. */
export const memoryPresenter: Presenter = {
  result: (tool, output) => ({
    ...output,
    content: contentOf(tool, output),
    structuredContent: output,
    isError: false,
  }),
  toolError(error) {
    throw memoryError(error);
  },
  protocolError: memoryError,
  unknownTool(name, suggestion) {
    throw new ProtocolError(-32602, unknownToolMessage(name, suggestion));
  },
  httpError: (error, id) => jsonRpcBody(MEMORY_CODES[error.code], error, id),
};

function memoryError(error: AppError): ProtocolError {
  return new ProtocolError(MEMORY_CODES[error.code], error.advice, error.data);
}

interface AgentCode {
  code: number;
  knecta: string;
}

const AGENT_CODES: Record<ErrorCode, AgentCode> = {
  bad_request: { code: -32602, knecta: "VALIDATION_ERROR" },
  too_large: { code: -32602, knecta: "VALIDATION_ERROR" },
  unsupported: { code: -32602, knecta: "VALIDATION_ERROR" },
  unauthorized: { code: -32001, knecta: "UNAUTHORIZED" },
  forbidden: { code: -32001, knecta: "FORBIDDEN" },
  plan_limit: { code: -32001, knecta: "PLAN_LIMIT" },
  not_found: { code: -32002, knecta: "NOT_FOUND" },
  gone: { code: -32002, knecta: "NOT_FOUND" },
  conflict: { code: -32003, knecta: "ONTOLOGY_NOT_READY" },
  timeout: { code: -32004, knecta: "AGENT_TIMEOUT" },
  unavailable: { code: -32005, knecta: "DATABASE_CONNECTION_ERROR" },
  rate_limited: { code: -32000, knecta: "RATE_LIMITED" },
  cancelled: { code: -32000, knecta: "CANCELLED" },
  internal: { code: -32603, knecta: "INTERNAL_ERROR" },
};

/** Every failure is a JSON-RPC error with the seed's number and its `data.knecta_code`. */
export const agentPresenter: Presenter = {
  result: (tool, output) => ({ content: contentOf(tool, output), structuredContent: output, isError: false }),
  toolError(error) {
    throw agentError(error, "Insufficient permissions to execute this tool");
  },
  protocolError: (error) => agentError(error, "Insufficient permissions"),
  unknownTool(name, suggestion) {
    throw new ProtocolError(-32602, unknownToolMessage(name, suggestion), {
      detail: "tools/list shows the tools of this endpoint.",
      knecta_code: "VALIDATION_ERROR",
    });
  },
  wireError,
  httpError: (error, id) => (error.code === "forbidden" ? forbiddenBody(error, id) : plainBody(error)),
};

function plainBody({ code, message, hint }: AppError): Record<string, unknown> {
  return { error: code, message, ...(hint !== undefined && { hint }) };
}

/** A 403 says by its header what an OAuth client has to ask for, and by its body what the seed's clients read. */
function forbiddenBody(error: AppError, id: string | number | null): Record<string, unknown> {
  const { code, message, data } = agentError(error, "Insufficient permissions");
  return { jsonrpc: "2.0", id, error: { code, message, data } };
}

/** What is said of errors that the SDK makes by itself. */
const OF_SDK: Readonly<Record<number, { knecta: string; detail?: string }>> = {
  [PARSE_ERROR]: { knecta: "PARSE_ERROR", detail: "The body of a request has to be JSON." },
  [INVALID_REQUEST]: {
    knecta: "INVALID_REQUEST",
    detail: 'A request of JSON-RPC has "jsonrpc": "2.0", an id, a method and params.',
  },
  [METHOD_NOT_FOUND]: {
    knecta: "METHOD_NOT_FOUND",
    detail: "There are initialize, ping, tools/list, tools/call, resources/list and resources/read.",
  },
  [INVALID_PARAMS]: { knecta: "VALIDATION_ERROR" },
  [INTERNAL_ERROR]: { knecta: "INTERNAL_ERROR" },
};

/** Whoever made an error, it has what the contract promises of all. */
function whole({
  code,
  message,
  data,
}: WireError): WireError & { data: { detail: string; knecta_code: string } } {
  const { knecta = "ERROR", detail = message } = OF_SDK[code] ?? {};
  return { code, message, data: { detail, knecta_code: knecta, ...(data as object | undefined) } };
}

/**
 * The SDK never sends -32002 ("not found" became -32602 in the newest revision), but the seed's clients wait for it:
 * older revisions get it.
 */
function wireError(error: WireError, { isNewest }: { isNewest: boolean }): WireError {
  const told = whole(error);
  const isNotFound = told.code === INVALID_PARAMS && told.data.knecta_code.endsWith("NOT_FOUND");
  return isNotFound && !isNewest ? { ...told, code: AGENT_CODES.not_found.code } : told;
}

function agentError(error: AppError, forbidden: string): ProtocolError {
  const { code, knecta } = AGENT_CODES[error.code];
  // What is wrong is told in words, and which scopes to ask for by the header of a 403.
  const { knectaCode, issues: _, scope: __, ...facts } = error.data;
  const message =
    error.code === "forbidden" ? forbidden : error.code === "bad_request" ? "Invalid params" : error.message;
  const detail = error.code === "bad_request" ? error.advice : (error.hint ?? error.message);
  const data = { ...facts, detail, knecta_code: knectaCode ?? knecta };
  return new ProtocolError(code, message, data);
}
