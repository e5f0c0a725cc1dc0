import { contract } from "./contract.ts";

/**
 * What /mcp/<workspace-slug>/mcp promises. Promises of tools that do not exist yet are not listed; the work that
 * adds a tool adds them.
 */
export const models = contract("models", {
  "models.endpoint": "POST /mcp/<slug>/mcp is the MCP endpoint of the workspace with that slug",
  "models.scope": "Calls are in the scope of the workspace that the URL names, never of another",
  "models.foreign": "The slug of another workspace is refused like a wrong token",
  "models.unknown": "A slug that does not exist looks exactly like one of another workspace",
  "models.reserved":
    "The slug knowledge-external cannot be taken: the path below it belongs to another endpoint",
  "models.protocol": "The MCP protocol version is 2025-06-18 unless the client asks for another",
  "models.no-handshake": "tools/list and tools/call work without initialize",
  "models.session.unknown": "An unknown session id gets 404, and initialize begins anew",
  "models.error.shape": "A failed call is a result with isError and a text that says what to do next",
});
