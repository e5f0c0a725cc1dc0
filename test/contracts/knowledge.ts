import { contract, open } from "./contract.ts";

const NO_TOOLS = "no tool of this endpoint exists yet";

/**
 * What /mcp/knowledge-external promises: where it is, who may come in, forms of results and errors.
 * Promises of tools that do not exist yet, of downloads and of its own rate limits are not listed; the work that adds
 * them adds their promises.
 */
export const knowledge = contract("knowledge", {
  "knowledge.off": "Without EXTERNAL_KNOWLEDGE_MCP_ENABLED=true none of its paths exists",
  "knowledge.metadata": "GET /mcp/knowledge-external tells about the service, without a token",
  "knowledge.health": "GET /mcp/knowledge-external/health answers without a token",
  "knowledge.transport": "/mcp/knowledge-external/sse is a Streamable HTTP transport, whatever it is called",
  "knowledge.prefix": "With API_PREFIX=/api all of it also stands below /api/mcp/knowledge-external",
  "knowledge.concurrent": "Concurrent requests are served from the first one on",

  "knowledge.token.bearer": "A user's wg- token, sent as Authorization: Bearer, is accepted",
  "knowledge.token.owner": "The owner of the token is the user",
  "knowledge.token.required": "The transport answers 401 without a valid token",
  "knowledge.no-api-key": "X-API-Key does not sign anyone in",
  "knowledge.no-user-name": "X-User-Name neither signs anyone in nor changes who is",

  "knowledge.result.json": open("A result is one JSON text", NO_TOOLS),
  "knowledge.error.shape": open("An error is one JSON text: {error, code}", NO_TOOLS),
  "knowledge.error.codes": open(
    "code is one of bad_request, unauthorized, not_found, forbidden, file_unavailable, unsupported_media_type, rate_limited, result_too_large, internal_error",
    NO_TOOLS,
  ),
});
