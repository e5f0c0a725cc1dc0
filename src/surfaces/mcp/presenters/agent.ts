import { ProtocolError, type Server } from "@modelcontextprotocol/server";
import type { AppError, ErrorCode } from "../../../kernel/errors.ts";
import { contentOf, type Presenter, unknownToolMessage } from "../presenter.ts";

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
      knecta_code: "VALIDATION_ERROR",
    });
  },
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

/**
 * The SDK never sends -32002 ("not found" became -32602 in the newest revision), but the seed's clients wait for it:
 * a server of older revisions puts it back, whichever transport it is given.
 */
export function restoreNotFoundCode(server: Server): Server {
  const connect = server.connect.bind(server);
  server.connect = (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(withNotFoundCode(message), options);
    return connect(transport);
  };
  return server;
}

function withNotFoundCode<Message extends object>(message: Message): Message {
  if (!("error" in message)) return message;
  const error = message.error as { code: number; data?: { knecta_code?: string } };
  const isNotFound = error.code === -32602 && error.data?.knecta_code?.endsWith("NOT_FOUND") === true;
  return isNotFound ? { ...message, error: { ...error, code: CODES.not_found.code } } : message;
}

function agentError(error: AppError, forbidden: string): ProtocolError {
  const { code, knecta } = CODES[error.code];
  // What is wrong is told in words, and which scopes to ask for by the header of a 403.
  const { knectaCode, issues: _, scope: __, ...facts } = error.data;
  const message =
    error.code === "forbidden" ? forbidden : error.code === "bad_request" ? "Invalid params" : error.message;
  const detail = error.code === "bad_request" ? error.advice : error.hint;
  const data = { ...facts, ...(detail !== undefined && { detail }), knecta_code: knectaCode ?? knecta };
  return new ProtocolError(code, message, data);
}
