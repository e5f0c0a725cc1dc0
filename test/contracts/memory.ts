import { contract, open } from "./contract.ts";

const NO_MEMORIES = "no tool that recalls or creates exists yet";

/**
 * What /api/mcp/v1 promises: tokens and scopes, transport, forms of results and errors, health and stats.
 * Promises of tools that do not exist yet are not listed; the work that adds a tool adds them.
 */
export const memory = contract("memory", {
  "memory.transport.call":
    "POST a tools/call with params.arguments, without any handshake, and get a JSON-RPC response",
  "memory.transport.sse": "With Accept: text/event-stream the answer comes as Streamable HTTP frames",
  "memory.transport.protocol": "The MCP protocol version is 2025-06-18 unless the client asks for another",
  "memory.transport.names": "Tools have the contract's dotted names and no other",

  "memory.token.form": "A token is kmt_ and 43 base64url characters, sent as Authorization: Bearer",
  "memory.token.workspace": "A token belongs to exactly one workspace and sees nothing of another",
  "memory.scope.read": open("read is enough to recall and list", NO_MEMORIES),
  "memory.scope.write": open("write is needed to create and maintain, and includes read", NO_MEMORIES),
  "memory.scope.admin": open("admin stands above write", NO_MEMORIES),
  "memory.scope.enforced": "Scopes are enforced on each call: 403 and the missing scope",

  "memory.health.result": "knowmind.health returns status ok, service memory and version",
  "memory.health.any-token":
    "knowmind.health is reachable with any token of the endpoint, whatever its scopes",
  "memory.health.no-data": "knowmind.health takes no parameters and holds no data of a tenant",
  "memory.health.unavailable": "knowmind.health answers 503 when the database is away",
  "memory.stats.result": "knowmind.stats returns memories, edges and chunks of the token's workspace",
  "memory.stats.scope": "knowmind.stats needs the scope read",

  "memory.result.fields": "The fields of a result stand directly in result",
  "memory.result.mcp": "A result is valid MCP too: content and structuredContent",

  "memory.error.params": "-32602 for missing, wrong or unknown parameters, naming them",
  "memory.error.unauthorized": "401 when the bearer token is missing or invalid",
  "memory.error.plan": open("402 when a limit of the plan is reached", NO_MEMORIES),
  "memory.error.scope": "403 when a scope is missing",
  "memory.error.not-found": open("404 when something is not found", NO_MEMORIES),
  "memory.error.constraint": open("400 when a constraint is violated", NO_MEMORIES),
  "memory.error.too-large": open("413 when content is too large", NO_MEMORIES),
  "memory.error.rate": "429 when a rate limit is exceeded",
  "memory.error.service": "503 when the service is unavailable",
  "memory.error.provider": open(
    "-32000 when something behind the service fails or takes too long",
    NO_MEMORIES,
  ),
  "memory.limit.token": "Requests are limited by token: 600 a minute, then 429 with Retry-After",
});
