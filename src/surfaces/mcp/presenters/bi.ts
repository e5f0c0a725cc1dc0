import type { AppError, ErrorCode } from "../../../kernel/errors.ts";
import { clip } from "../../../kernel/text.ts";
import { contentOf, type Presenter, standardProtocolError, textError } from "../presenter.ts";

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
