import { contract } from "./contract.ts";

/**
 * What /api/mcp/v1 promises: tokens and scopes, transport, the ten tools, forms of results and errors.
 */
export const memory = contract("memory", {
  "memory.transport.call":
    "POST a tools/call with params.arguments, without any handshake, and get a JSON-RPC response",
  "memory.transport.sse": "With Accept: text/event-stream the answer comes as Streamable HTTP frames",
  "memory.transport.protocol": "The MCP protocol version is 2025-06-18 unless the client asks for another",
  "memory.transport.names": "Tools have the contract's dotted names and no other",

  "memory.token.form": "A token is kmt_ and 43 base64url characters, sent as Authorization: Bearer",
  "memory.token.workspace": "A token belongs to exactly one workspace and sees nothing of another",
  "memory.scope.read": "read is enough to recall and list",
  "memory.scope.write": "write is needed to create and maintain, and includes read",
  "memory.scope.admin": "admin stands above write",
  "memory.scope.enforced": "Scopes are enforced on each call: 403 and the missing scope",

  "memory.health.result": "knowmind.health returns status ok, service memory and version",
  "memory.health.any-token":
    "knowmind.health is reachable with any token of the endpoint, whatever its scopes",
  "memory.health.no-data": "knowmind.health takes no parameters and holds no data of a tenant",
  "memory.health.unavailable":
    "knowmind.health answers 503 when the database or the search index is away, and names it",
  "memory.stats.result": "knowmind.stats returns memories, edges and chunks of the token's workspace",
  "memory.stats.scope": "knowmind.stats needs the scope read",

  "memory.recall.result":
    "knowmind.recall returns hits with memory_id, title, content, score and source, and elapsed_ms",
  "memory.recall.bounds": "knowmind.recall takes k from 1 to 25 (default 5) and hops from 0 to 3 (default 2)",
  "memory.recall.hybrid":
    "knowmind.recall combines full text, vectors and graph hops, and weighs the top hits once more",
  "memory.recall.german": "knowmind.recall finds German words in other forms and in compounds",
  "memory.recall.hops":
    "knowmind.recall follows relations as far as hops says: what is related to a hit comes with it, marked with its relation",
  "memory.recall.companions": "k counts hits; what is related comes beside them, within bounds",
  "memory.at-time.result":
    "knowmind.recall_at_time returns hits with memory_id, title, content, valid_from, valid_to and score",
  "memory.at-time.period":
    "knowmind.recall_at_time returns what was valid: valid_from <= as_of and valid_to > as_of or unset; as_of is now unless given",
  "memory.relations.result":
    "knowmind.list_relations returns all inbound and outbound relations with type, other end and creation time",
  "memory.relations.inverse": "The inverse edges that link has made are listed too, at both ends, and marked",
  "memory.store.result": "knowmind.store_memory creates a memory and returns memory_id and created_at",
  "memory.store.type":
    "knowmind.store_memory takes memory_type semantic (default), episodic, procedural or reference",
  "memory.upload.result": "knowmind.upload_document returns document_id, chunks and status indexed",
  "memory.upload.sections":
    "knowmind.upload_document splits the text into sections, found by themselves and linked by HAS_CHUNK",
  "memory.update.result":
    "knowmind.update_fact ends the original now, begins a new version now, links them by SUPERSEDES and returns their ids",
  "memory.update.history": "What was superseded is not deleted; its relations go on with the new version",
  "memory.update.conflict": "Of two updates of one version at once one wins, the other gets a conflict",
  "memory.link.result":
    "knowmind.link creates a typed relation and its inverse and returns both ids; the same again returns the same",
  "memory.link.supersedes":
    "knowmind.link with SUPERSEDES ends the old memory as an update does: it is not recalled, and still found at its time",
  "memory.link.acyclic":
    "A relation that would close a circle of SUPERSEDES, or of another order, is refused",
  "memory.unlink.result": "knowmind.unlink deletes a relation and its inverse",

  "memory.result.fields": "The fields of a result stand directly in result",
  "memory.result.mcp": "A result is valid MCP too: content and structuredContent",

  "memory.error.params": "-32602 for missing, wrong or unknown parameters, naming them",
  "memory.error.unauthorized": "401 when the bearer token is missing or invalid",
  "memory.error.plan": "402 when a limit of the plan is reached",
  "memory.error.scope": "403 when a scope is missing",
  "memory.error.not-found": "404 when something is not found",
  "memory.error.constraint": "400 when a constraint is violated",
  "memory.error.too-large": "413 when content is too large",
  "memory.error.rate": "429 when a rate limit is exceeded",
  "memory.error.service": "503 when the service is unavailable",
  "memory.error.provider": "-32000 when something behind the service fails or takes too long",
  "memory.limit.token": "Requests are limited by token: 600 a minute, then 429 with Retry-After",
  "memory.limit.member": "All tokens of one person together have five times the limit of one",
});
