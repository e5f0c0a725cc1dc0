import { ProtocolError } from "@modelcontextprotocol/server";
import type { AppError, ErrorCode } from "../../../kernel/errors.ts";
import { type Presenter, standardProtocolError, textError, unknownToolMessage } from "../presenter.ts";

const CODES: Partial<Record<ErrorCode, string>> = {
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
  return CODES[code] ?? "internal_error";
}
