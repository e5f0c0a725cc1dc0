import { type CallToolResult, ProtocolError, ResourceNotFoundError } from "@modelcontextprotocol/server";
import type { AppError } from "../../kernel/errors.ts";
import { clip } from "../../kernel/text.ts";
import type { ContentBlock } from "../../registry/define-tool.ts";
import type { WireTool } from "../../registry/registry.ts";
import { LIMITS } from "./limits.ts";
import type { WireError } from "./wire-errors.ts";

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
export function contentOf({ tool }: WireTool, output: Record<string, unknown>): CallToolResult["content"] {
  return contentBlocks(tool.content?.(output) ?? JSON.stringify(output));
}

export function contentBlocks(content: string | ContentBlock[]): CallToolResult["content"] {
  return (
    typeof content === "string" ? [{ type: "text", text: content }] : content
  ) as CallToolResult["content"];
}

export function textError(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** Codes of JSON-RPC for surfaces whose seed has none of its own. */
const STANDARD_CODES: Partial<Record<AppError["code"], number>> = { bad_request: -32602, internal: -32603 };

export function standardProtocolError(error: AppError, { uri }: { uri?: string }): ProtocolError {
  if (error.code === "not_found" && uri !== undefined)
    return new ResourceNotFoundError(clip(uri, LIMITS.session.uriCharacters), error.advice);
  return new ProtocolError(STANDARD_CODES[error.code] ?? -32000, error.advice, {
    code: error.code,
    ...error.data,
  });
}

export function unknownToolMessage(name: string, suggestion: string | undefined): string {
  return suggestion === undefined
    ? `Unknown tool: ${clip(name)}. tools/list shows the tools of this endpoint.`
    : `Unknown tool: ${clip(name)}. Did you mean ${suggestion}?`;
}

export function jsonRpcBody(
  code: number,
  error: AppError,
  id: string | number | null,
): Record<string, unknown> {
  // Why a token was refused is for the audit log: it would tell a stranger what exists.
  const { reason: _, ...facts } = error.data;
  return { jsonrpc: "2.0", id, error: { code, message: error.advice, data: { code: error.code, ...facts } } };
}
