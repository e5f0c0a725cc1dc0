import { contract } from "./contract.ts";

/** What /mcp/knowledge-external promises: where it is, who may come in, its five tools, downloads and limits. */
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

  "knowledge.auth.module":
    "KENNING_KNOWLEDGE_AUTH names a module whose authenticate(token, request) says who calls, such as by X-User-Name from a trusted gateway",
  "knowledge.retrieval":
    "POST /retrieval answers Dify-like tools: {knowledge_id, query, retrieval_setting} gives records with metadata",

  "knowledge.roles":
    "Each tool and each file answers by who may read the base: everybody of the workspace, the members of a group, or its owner and those with whom it is shared",

  "knowledge.result.json": "A result is one JSON text",
  "knowledge.error.shape": "An error is one JSON text: {error, code}",
  "knowledge.error.codes":
    "code is one of bad_request, unauthorized, not_found, forbidden, file_unavailable, unsupported_media_type, rate_limited, rate_limit_unavailable, result_too_large, internal_error",

  "knowledge.bases.shape":
    "wegent_kb_list_knowledge_bases tells each base with its space, creator and number of documents, inactive ones included, by created_at descending",
  "knowledge.bases.access": "It lists what the user may read, and nothing else",
  "knowledge.bases.scope":
    "scope, group_name, query (name and description, whatever case) and owner_user_ids choose among them",
  "knowledge.bases.paging": "total, total_returned and has_more tell of pages by limit and offset",
  "knowledge.bases.bounds":
    "limit is 1 to 100, offset at least 0, and group_name is required, and not empty, when scope is group",

  "knowledge.nodes.shape": "wegent_kb_list_nodes tells folders and documents with what can be done with them",
  "knowledge.nodes.order": "Folders come before documents, and each by created_at descending",
  "knowledge.nodes.paging":
    "Without recursive, total_available and has_more tell of pages by limit and offset",
  "knowledge.nodes.recursive": "total_returned counts every node of a tree, of the root or of one folder",
  "knowledge.nodes.too-large":
    "A recursive listing of the root with more than 5,000 nodes is result_too_large; that of a folder counts only what is below it",
  "knowledge.nodes.orphans": "Orphans and rings are shown once, at the root, with warnings",
  "knowledge.nodes.inactive": "include_inactive is true by default, and false leaves inactive documents out",
  "knowledge.nodes.bounds": "recursive and include_inactive are strict booleans, limit is 1 to 500",
  "knowledge.nodes.access": "A base or folder that is not there, or not the user's to read, is not_found",

  "knowledge.content.shape":
    "wegent_kb_get_document_content returns the parsed text and the state of the index",
  "knowledge.content.paging": "has_more tells of more text, by offset and limit in characters",
  "knowledge.content.unavailable": "content_available is false where there is no text",
  "knowledge.content.bounds": "offset is at least 0, limit 1 to 100,000",
  "knowledge.content.access": "A document that the user may not read is forbidden",

  "knowledge.download.shape":
    "wegent_kb_get_document_download returns resource_url (beside the endpoint that was called), the header to send and what the file is",
  "knowledge.download.expiry": "Its token is good for 300 seconds",
  "knowledge.download.inline":
    "inline is for previewable types only, otherwise unsupported_media_type; disposition is inline or attachment",
  "knowledge.file.headers": "The file comes as it was, with nosniff and its name by RFC 5987",
  "knowledge.file.ranges": "Parts of the file can be asked for",
  "knowledge.file.token":
    "X-Wegent-Download-Token is required, and bound to user, document and disposition; a bearer is no use",
  "knowledge.file.recheck": "Permission is checked again: whoever lost it since gets forbidden",
  "knowledge.file.unavailable": "file_unavailable where the original is lost",
  "knowledge.file.inline":
    "What has become another type since is unsupported_media_type, with the status 415",

  "knowledge.search.records":
    "wegent_kb_search_content returns passages with score, title, document and base, and an estimate of their tokens",
  "knowledge.search.ignored": "Bases that the user may not read are ignored, and told with a warning",
  "knowledge.search.none": "not_found where none of the bases can be read",
  "knowledge.search.unique": "knowledge_base_ids are counted once each, before the limit",
  "knowledge.search.bounds":
    "query has at most 2,000 characters, knowledge_base_ids 1 to 100 ids, max_results is a strict integer from 1 to 50",

  "knowledge.limit.defaults":
    "Each limit has a switch, a number and a window of its own, with these defaults, whatever RATE_LIMIT_ENABLED says",
  "knowledge.limit.switches": "A limit that is switched off counts nothing",
  "knowledge.limit.keys": "No token stands in what is counted, in Redis or elsewhere",
  "knowledge.limit.transport": "Requests are counted by address and by token: either is enough to be refused",
  "knowledge.limit.search": "Searches are counted by user",
  "knowledge.limit.download-before":
    "Downloads are counted by address, and by address and document, before the token is looked at",
  "knowledge.limit.unavailable":
    "Where the counts cannot be reached, the answer is rate_limit_unavailable, and nothing else is done",
  "knowledge.limit.download-after": "Downloads are counted by user and document after it",
});
