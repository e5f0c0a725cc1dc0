import { contract } from "./contract.ts";

/**
 * What we promise ourselves: on /mcp, and for all endpoints together. Promises of tools that do not exist yet are not
 * listed; the work that adds a tool adds them.
 */
export const all = contract("all", {
  "all.token.everywhere": "API tokens, MCP tokens and the bearer of login are good on all six endpoints",
  "all.token.memory":
    "A memory token is good on the memory endpoint and, for memory tools, on /mcp; nowhere else",
  "all.token.knowledge":
    "A knowledge token is good on the knowledge endpoint and, for its tools, on /mcp; nowhere else",
  "all.token.oauth-resource": "A token made for one resource is good there only, compared exactly",
  "all.token.oauth-server": "A token made for APP_URL is good on all endpoints",
  "all.token.twins": "A token made for the bi endpoint is good for its REST twins",
  "all.token.silent":
    "Malformed, unknown, expired, revoked, foreign and misplaced tokens and disabled accounts get the same answer, byte for byte",
  "all.token.missing":
    "Without a token the answer is 401 with the endpoint's own resource_metadata and no error code",
  "all.token.scope":
    "A token that lacks a scope gets 403 insufficient_scope with the scopes to ask for: the ones it has and the ones it lacks",
  "all.token.read-only":
    "A read-only token changes nothing, whoever owns it, and is never asked to sign in again for it",
  "all.token.toolsets": "A token limited to toolsets neither sees nor calls other tools",
  "all.token.several": "A user can have several tokens at a time",
  "all.token.intersection": "A token's power is its owner's role, cut down by its scopes and limits",

  "all.role.viewer": "A viewer may read everywhere and change nothing",
  "all.role.contributor": "A contributor may read and change, but not administer",
  "all.role.admin": "An admin may do everything in the workspace",
  "all.role.no-challenge":
    "What the role does not allow is an error of the call, in HTTP 200: never a challenge to sign in",

  "all.tools.names": "Tools have plain names on /mcp",
  "all.tools.default":
    "Without a choice the default toolsets are listed: 50 tools at most, and 6,000 tokens as a model is sent them",
  "all.tools.toolsets-query": "?toolsets=a,b lists these toolsets, ?toolsets=all lists all",
  "all.tools.toolsets-added":
    "?toolsets=+a adds a toolset to those listed by default, or to the others named",
  "all.tools.toolsets-unknown": "An unknown toolset is refused with the names of those there are",
  "all.tools.toolsets-header": "X-MCP-Toolsets does the same; the query wins",
  "all.tools.readonly-query": "?readonly=true hides what changes something, and such a call finds no tool",
  "all.tools.readonly-header": "X-MCP-Readonly does the same",
  "all.tools.hidden": "Tools that the caller may not use are not listed",
  "all.tools.described":
    "Each tool has title, description, input and output schema, and annotations that follow from its effect",
  "all.tools.result": "A result has structuredContent and the same as text",
  "all.rows.compact":
    "The text of rows has the names of columns once, then each row as a JSON array on a line of its own; structuredContent has them as objects",
  "all.files.once":
    "A file in an answer comes once, as an embedded resource; structuredContent says what it is and its address",
  "all.apps.page":
    "Clients that show apps find the chart page, the tool of the page and, in _meta, the picture of an answer",
  "all.apps.hidden": "Other clients are neither listed the page nor its tool, and are sent no picture",
  "all.apps.sealed":
    "The chart page loads nothing, runs no script but its own, and takes names of the data for names only",
  "all.apps.follows": "The chart page follows the client's theme, width and language",
  "all.ask.image": "ask_question adds the chart as a PNG image on request",
  "all.tools.error": "A failed call is a result with isError and a text that says what to do next",
  "all.tools.unknown": "An unknown tool is -32602, with the nearest name",
  "all.whoami": "whoami tells user, workspace, role, permissions and token of the caller",
  "all.list-toolsets": "list_toolsets tells all toolsets and the tools in each that the caller may use",

  "all.enable-toolset":
    "enable_toolset lists a toolset for the session, or for the client and token where there is none, and tells the client; it never widens a token",

  "all.audit.list":
    "list_audit_events shows who, what, when, outcome and milliseconds, newest first, page by page",
  "all.audit.admin-only": "Only admins read it, and only their own workspace",
  "all.audit.masked":
    "Of arguments the shape is kept, bounded: names, types, sizes; values only of what names something, and no secret",
  "all.audit.denials":
    "Refused tokens and missing scopes are logged with the reason that the caller is not told",
  "all.audit.sign-ins": "Sign-ins are logged, those that fail too",
  "all.audit.pages":
    "Who looks at a dashboard, a widget or an embed is logged; the start page is no call of a tool",
  "all.audit.exports":
    "Every file that is made of a dashboard, widget or dataset is logged, and its download",
  "all.audit.commands":
    "Commands that change or take something are logged as the operator's, without values of their options",
  "all.audit.stop": "A normal stop loses no event",

  "all.session.unknown": "An unknown session id gets 404",
  "all.session.delete": "DELETE ends a session; after that it is unknown",
  "all.session.user": "A session of another user is unknown",
  "all.session.limit": "One user holds at most 100 sessions on an endpoint; the longest idle one makes room",
  "all.session.rights": "Rights in a session are those at its beginning and never more than the user has now",

  "all.protocol.default": "/mcp speaks 2025-11-25 to a client that names no version",
  "all.protocol.older":
    "2024-11-05, 2025-03-26, 2025-06-18 and 2025-11-25 are spoken on every endpoint, by negotiation",
  "all.protocol.newest":
    "2026-07-28 is spoken on every endpoint: server/discover, and requests that stand alone",
  "all.protocol.unknown": "A version nobody knows is answered with one that we speak",
  "all.protocol.client":
    "The official client connects, lists and calls on every endpoint, in its older and its newer mode",
  "all.protocol.accept": "No Accept, or */*, gets plain JSON; text/event-stream gets a stream",

  "all.limit.guessing":
    "An address that sends wrong tokens too often gets 429 with Retry-After; a good token from there still works",
  "all.limit.retry-after": "Every 429 of HTTP says when to come back",

  "all.http.host": "A Host that is neither APP_URL's nor loopback nor allowed gets 403",
  "all.http.origin": "A web page of a foreign origin gets 403",
  "all.http.cors": "Allowed origins get CORS headers for what MCP sends and reads",
  "all.http.body": "A body of more than 16 MiB gets 413, declared or not",
  "all.http.values":
    "Fields, values and levels of a body are counted before it is parsed, and nobody waits for it",
  "all.http.turns":
    "Requests take turns by token: many of one token delay another one's by a step, and not by all of them",
  "all.http.in-flight": "Bodies that are held at once are bounded: more get 429 with Retry-After",
  "all.http.headers": "More than 32 KiB of headers get 431",
  "all.http.json": "A body that is not JSON, not UTF-8 or nested too deeply gets 400 and -32700",
  "all.http.rpc": "JSON that is not JSON-RPC gets 400 and -32600",
  "all.http.batch": "A batch is answered as a batch; one of more than 50 messages gets 413",
  "all.http.methods": "Methods that an endpoint does not have get 405 with Allow",
  "all.http.not-found": "What is not served gets 404, the same for any caller",
  "all.http.security-headers": "Every answer carries the security headers and its request id",

  "all.ops.ready": "GET /api/health/ready says whether requests can be served",
  "all.ops.stop": "A stop takes no new requests, lets running calls end, and is not held up by open streams",
  "all.ops.metrics": "GET /metrics is for this machine alone, or for whoever has KENNING_METRICS_TOKEN",
});
