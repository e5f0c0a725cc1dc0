import { contract, open } from "./contract.ts";

const NO_QUESTIONS = "ask_question does not exist yet";

/**
 * What /api/data-agent/mcp promises: who may come in, resources, sessions, forms of errors, audit, limits, settings.
 * Promises of tools that do not exist yet, and of the authorization server, are not listed; the work that adds them
 * adds their promises.
 */
export const agent = contract("agent", {
  "agent.challenge.missing":
    "Without a token: 401, WWW-Authenticate: Bearer resource_metadata=<APP_URL>/.well-known/oauth-protected-resource/api/data-agent/mcp, and {error: unauthorized, message: No authorization token provided}",
  "agent.challenge.invalid": "With an invalid token: 401 with the same resource_metadata",
  "agent.entry.permissions": "data_agent:read and ontologies:read are needed to use the endpoint at all",
  "agent.entry.refused": "A token without them gets 403 insufficient_scope that names all of them at once",

  "agent.role.admin": open("An admin may browse and ask", NO_QUESTIONS),
  "agent.role.contributor": open("A contributor may browse and ask", NO_QUESTIONS),
  "agent.role.viewer": open(
    "A viewer may browse but not ask: -32001, Insufficient permissions to execute this tool, with data.required and data.missing",
    NO_QUESTIONS,
  ),

  "agent.example.list":
    "resources/list works as the Python example sends it: no initialize, no session id, plain JSON back",
  "agent.example.read": "resources/read of knecta://ontologies works the same way, with contents[0].text",
  "agent.example.call": open("tools/call of ask_question works the same way", NO_QUESTIONS),
  "agent.example.sdk": open(
    "The TypeScript example works: connect, listResources, readResource, callTool",
    NO_QUESTIONS,
  ),

  "agent.resource.templates":
    "knecta://ontologies, knecta://ontologies/{id} and knecta://ontologies/{id}/datasets/{name} can be browsed",
  "agent.resource.ontologies":
    "knecta://ontologies is a JSON array of id, name, description (nullable), datasetCount and fieldCount",
  "agent.resource.ontologies.ready": "It has only ontologies that are ready",
  "agent.resource.ontologies.everyone":
    "It needs ontologies:read, and is the same for all members who have that, viewers too",
  "agent.resource.ontology":
    "knecta://ontologies/{id} is JSON: ontology with id, name, description; datasets with name, description, source",
  "agent.resource.ontology.missing":
    "An ontology that is unknown or not ready: -32002, Ontology not found or not ready, ontologyId, ONTOLOGY_NOT_FOUND",
  "agent.resource.dataset":
    "knecta://ontologies/{id}/datasets/{name} is text/yaml: name, description, source.table, fields with name, type, description, source_column",
  "agent.resource.dataset.missing":
    "A dataset that is not in the ontology: -32002, Dataset not found in ontology, datasetName, ontologyId, DATASET_NOT_FOUND",

  "agent.session.created": "The first POST begins a session",
  "agent.session.generated": "Without mcp-session-id the server makes one up and returns it",
  "agent.session.chosen": "A client may choose its session id; an unknown one begins a session under that id",
  "agent.session.reused": "Later requests with the same id are in the same session",
  "agent.session.frozen":
    "Permissions are those of the session's beginning: a raised role does not raise a running session",
  "agent.session.shrinks": "A lowered role is lowered in running sessions at once",
  "agent.session.refreshed": "A session outlives its token: it goes on with the next token of the same user",
  "agent.session.isolated": "The same id under another user is another session",
  "agent.session.stream":
    "GET with Accept: text/event-stream and a session id opens the stream of that session",
  "agent.session.deleted": "DELETE ends the session and answers {message: Session terminated}",
  "agent.session.idle": "A session ends after 60 minutes without use",
  "agent.session.ttl": "MCP_SESSION_TTL_MINUTES sets that time",
  "agent.session.sweep": "What has been idle too long is swept away",

  "agent.error.parse": "-32700 for a body that is not JSON",
  "agent.error.request": "-32600 for JSON that is not JSON-RPC",
  "agent.error.method": "-32601 for an unknown method",
  "agent.error.params": "-32602 Invalid params with data.detail and knecta_code VALIDATION_ERROR",
  "agent.error.internal": "-32603 for an error on the server's side, without its insides",
  "agent.error.permissions": open("-32001 with knecta_code FORBIDDEN", NO_QUESTIONS),
  "agent.error.not-found":
    "-32002 with a knecta_code of not found, for tools and resources, with and without a session",
  "agent.error.not-ready": open("-32003 for an ontology that is not ready", NO_QUESTIONS),
  "agent.error.timeout": open("-32004 with knecta_code AGENT_TIMEOUT", NO_QUESTIONS),
  "agent.error.database": open("-32005 with knecta_code DATABASE_CONNECTION_ERROR", NO_QUESTIONS),
  "agent.error.shape": "Errors are JSON-RPC errors in an HTTP 200, with data.detail and data.knecta_code",

  "agent.audit.tool": open(
    "mcp.tool.call is logged with user, mcp_tool, the tool's name, sessionId, clientName, clientVersion",
    NO_QUESTIONS,
  ),
  "agent.audit.resource": "mcp.resource.read is logged with user, mcp_resource and the URI",
  "agent.audit.session": "mcp.session.created and mcp.session.terminated are logged",

  "agent.limit.questions": open("ask_question: 5 calls a minute for each user", NO_QUESTIONS),
  "agent.limit.resources": "Resources: 30 reads a minute for each user",
  "agent.limit.settings": open(
    "MCP_RATE_LIMIT_WINDOW_MS and MCP_RATE_LIMIT_MAX_REQUESTS change the limit of questions",
    NO_QUESTIONS,
  ),

  "agent.settings.defaults":
    "PORT 8319, MCP_SESSION_TTL_MINUTES 60, MCP_SESSION_CLEANUP_INTERVAL_MINUTES 15, MCP_RATE_LIMIT_WINDOW_MS 60000, MCP_RATE_LIMIT_MAX_REQUESTS 5",
  "agent.settings.secret": "JWT_SECRET has at least 32 characters or is refused",
  "agent.settings.app-url": "APP_URL is the base of the metadata that a 401 names",
  "agent.https.hsts": "With an https APP_URL answers carry Strict-Transport-Security",
  "agent.health.live": "GET /api/health/live answers while the server runs",
});
