import { ProtocolError } from "@modelcontextprotocol/server";
import type { AppError, ErrorCode } from "../../../kernel/errors.ts";
import { contentOf, jsonRpcBody, type Presenter, unknownToolMessage } from "../presenter.ts";

const CODES: Record<ErrorCode, number> = {
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
  httpError: (error, id) => jsonRpcBody(CODES[error.code], error, id),
};

function memoryError(error: AppError): ProtocolError {
  return new ProtocolError(CODES[error.code], error.advice, error.data);
}
