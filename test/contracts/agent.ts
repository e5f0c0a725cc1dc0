import { contract } from "./contract.ts";

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

  "agent.role.admin": "An admin may browse and ask",
  "agent.role.contributor": "A contributor may browse and ask",
  "agent.role.viewer":
    "A viewer may browse but not ask: -32001, Insufficient permissions to execute this tool, with data.required and data.missing",

  "agent.example.list":
    "resources/list works as the Python example sends it: no initialize, no session id, plain JSON back",
  "agent.example.read": "resources/read of knecta://ontologies works the same way, with contents[0].text",
  "agent.example.call": "tools/call of ask_question works the same way",
  "agent.example.sdk": "The TypeScript example works: connect, listResources, readResource, callTool",

  "agent.ask.schema":
    "ask_question takes ontologyId (a string with the pattern of a UUID) and question (1 to 2000 characters), both required",
  "agent.ask.permissions": "It needs data_agent:write, and ontologies:read",
  "agent.ask.narrative": "The first content block is the answer as Markdown text",
  "agent.ask.charts":
    "Charts are a text block of JSON with _type chart_specs and charts; only where there are any",
  "agent.ask.lineage":
    "Lineage is a text block of JSON with _type data_lineage, datasets (name, source as schema.table), joins (left, right, on), filters (field, operator, value), timeWindow (start, end; the last day included) and grain; with every data query",
  "agent.ask.caveats": "Caveats are a text block that begins with ⚠️; only where the Verifier found something",
  "agent.ask.order": "The blocks come in this order: narrative, charts, lineage, caveats; isError is false",
  "agent.ask.cannot":
    "What cannot be answered is a text: I cannot answer this question because the required data is not available in the ontology, with **Missing datasets:** and **Available datasets:**; isError is false",
  "agent.ask.empty": "A known value without rows is an answer that says so",
  "agent.ask.phases":
    "Planner, Navigator, SQL Builder, Executor, Verifier and Explainer, each reported as progress",
  "agent.ask.limits": "30 seconds and 10,000 rows a query, 5 minutes in all",
  "agent.ask.cancelled": "A question that its client calls off ends",
  "agent.model.choice":
    "The model is the one of the member's defaultProvider, or else the workspace's; clients cannot override it",
  "agent.ask.roles": "Row policies hold in answers, suggestions, nearest values and refusals",

  "agent.chart.bar": "Bar: categories[i] belongs to series[0].data[i]; layout vertical or horizontal",
  "agent.chart.bar.grouped": "Several series make grouped bars",
  "agent.chart.line": "Line: trends over time, several series for comparison",
  "agent.chart.pie": "Pie: parts of a whole as slices, the largest first, at most 8, smaller ones as Other",
  "agent.chart.scatter": "Scatter: points with x, y and a label, for two variables",
  "agent.chart.draw.bar": "Drawn: grouped bars for several series, horizontal ones by layout",
  "agent.chart.draw.line": "Drawn: points connected by a line, with marks; several series for comparison",
  "agent.chart.draw.pie":
    "Drawn: shares as value / sum, slices sorted, at most 8 with the smaller ones as Other",
  "agent.chart.draw.scatter":
    "Drawn: points on a plane with labels, and a trend line if correlation is strong",
  "agent.chart.none": "No chart block where a chart would not help",

  "agent.clarify.request":
    "An ambiguous question is answered at once by one text block: JSON with _type clarification_request and questions of question and suggestions; isError is false",
  "agent.clarify.most": "At most 3 questions",
  "agent.clarify.readings": "Several interpretations are asked back only where their results differ",
  "agent.clarify.answers":
    "Answers are sent in brackets behind the original question: [Time period: Current quarter]",
  "agent.clarify.answers.used": "Each suggestion, sent back in brackets, leads to an answer that follows it",
  "agent.clarify.period":
    "A question that speaks of a trend or of recent times without saying since when: What time period should I analyze?, Last 30 days, Current quarter, Year to date",
  "agent.clarify.qualifier":
    "A vague qualifier (high-value customers) without a threshold is asked back, with thresholds to choose from",
  "agent.clarify.example":
    "Show high-value customer trends. [Time period: Current quarter] [High-value threshold: Lifetime value > $10,000] is answered with both",
  "agent.clarify.proceed": "Whoever wants to proceed anyway gets an answer that notes its assumptions",
  "agent.clarify.elicit": "A client that can be asked directly is asked directly",

  "agent.preferences.api":
    "PATCH /api/user-settings with {dataAgent: {defaultTimePeriod: current_quarter, highValueThreshold: 10000}} keeps preferences of the token's owner; GET reads them",
  "agent.preferences.used":
    "Preferences are used when ambiguities arise, before anything is asked back, and are noted as assumptions",
  "agent.preferences.calendar": "Time zone, first day of the week and fiscal year are those of the member",

  "agent.ask.not-found":
    "An unknown ontology: -32002, Ontology not found or not ready, data.ontologyId, ONTOLOGY_NOT_FOUND; also for an id of another form and for a draft",
  "agent.ask.invalid-question":
    "A question that is empty or too long: -32602, Invalid params, detail: Question must be between 1 and 2000 characters",
  "agent.ask.timeout":
    "A question that takes too long: -32004, Agent execution timeout after N seconds, data.question, AGENT_TIMEOUT",

  "agent.resource.templates":
    "knecta://ontologies, knecta://ontologies/{id} and knecta://ontologies/{id}/datasets/{name} can be browsed",
  "agent.resource.listed":
    "resources/list has knecta://ontologies as Available Ontologies, List all ready ontologies, application/json",
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
  "agent.error.permissions": "-32001 with knecta_code FORBIDDEN",
  "agent.error.scope":
    "A token without the scope to ask: HTTP 403 insufficient_scope, and in its body -32001 with the request's id, data.required and data.missing",
  "agent.error.not-found":
    "-32002 with a knecta_code of not found, for tools and resources, with and without a session",
  "agent.error.not-ready": "-32003 for an ontology that is not ready: published, but without its data",
  "agent.error.timeout": "-32004 with knecta_code AGENT_TIMEOUT",
  "agent.error.database":
    "-32005 with knecta_code DATABASE_CONNECTION_ERROR where the data cannot be reached",
  "agent.error.shape":
    "Errors are JSON-RPC errors with data.detail and data.knecta_code, in an HTTP 200; in a 400 where nothing became a message (-32700, -32600), and in a 403 where a scope is missing",

  "agent.audit.tool":
    "mcp.tool.call is logged with user, mcp_tool, the tool's name, sessionId, clientName, clientVersion",
  "agent.audit.resource": "mcp.resource.read is logged with user, mcp_resource and the URI",
  "agent.audit.session":
    "mcp.session.created and mcp.session.terminated are logged, the latter with its reason: deleted, expired or replaced",

  "agent.audit.response":
    "The agent's response is in the event of its call: the answer's id, outcome, reading, SQL and number of rows",
  "agent.conversation.session":
    "A conversation ends with its session: a new one of the same name begins anew",
  "agent.conversation.follow-up":
    "In a session a question can build on the one before it: another grouping, period, condition, number or chart",
  "agent.conversation.points-back":
    "A word that points back (their, them, that one) means what was answered before, in its period; otherwise it is refused",
  "agent.conversation.answers":
    "What is said next answers what was asked back, and is put together with that question",
  "agent.verified.used":
    "An answer that was marked as right is used first when the same question is asked again, and says who verified it",
  "agent.verified.today": "Periods of a verified question are those of today",
  "agent.verified.plain":
    "What depends on somebody's preferences or on a question before it is not verified for others",
  "agent.verified.rights": "Verified questions are answered with the rights of whoever asks",
  "agent.verified.wrong": "An admin, or whoever verified it, takes it back by marking it wrong",
  "agent.verified.tests": "Verified questions are the regression tests of their model",
  "agent.verified.list":
    "Verified questions can be listed and taken back; which model or data changed since, or cannot answer any more, is said",
  "agent.conversation.title": "Questions are kept under MCP: <clientName> — <question preview>",

  "agent.limit.questions": "ask_question: 5 calls a minute for each user",
  "agent.limit.invalid": "Invalid arguments are -32602 whatever is left of that limit, and cost none of it",
  "agent.limit.resources": "Resources: 30 reads a minute for each user",
  "agent.limit.settings":
    "MCP_RATE_LIMIT_WINDOW_MS and MCP_RATE_LIMIT_MAX_REQUESTS change the limit of questions",

  "agent.settings.defaults":
    "PORT 8319, MCP_SESSION_TTL_MINUTES 60, MCP_SESSION_CLEANUP_INTERVAL_MINUTES 15, MCP_RATE_LIMIT_WINDOW_MS 60000, MCP_RATE_LIMIT_MAX_REQUESTS 5",
  "agent.settings.secret": "JWT_SECRET has at least 32 characters or is refused",
  "agent.settings.app-url": "APP_URL is the base of the metadata that a 401 names",
  "agent.https.hsts": "With an https APP_URL answers carry Strict-Transport-Security",
  "agent.health.live": "GET /api/health/live answers while the server runs",
});
