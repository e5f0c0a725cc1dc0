import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  ProtocolError,
} from "@modelcontextprotocol/server";
import type { AppError, ErrorCode } from "../../../kernel/errors.ts";
import { contentOf, type Presenter, unknownToolMessage } from "../presenter.ts";
import type { WireError } from "../wire-errors.ts";

interface AgentCode {
  code: number;
  knecta: string;
}

const CODES: Record<ErrorCode, AgentCode> = {
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
  return isNotFound && !isNewest ? { ...told, code: CODES.not_found.code } : told;
}

function agentError(error: AppError, forbidden: string): ProtocolError {
  const { code, knecta } = CODES[error.code];
  // What is wrong is told in words, and which scopes to ask for by the header of a 403.
  const { knectaCode, issues: _, scope: __, ...facts } = error.data;
  const message =
    error.code === "forbidden" ? forbidden : error.code === "bad_request" ? "Invalid params" : error.message;
  const detail = error.code === "bad_request" ? error.advice : (error.hint ?? error.message);
  const data = { ...facts, detail, knecta_code: knectaCode ?? knecta };
  return new ProtocolError(code, message, data);
}
