import { contract } from "./contract.ts";

/** What /mcp/<workspace-slug>/mcp promises: the endpoint, its six tools, and the rules of their SQL. */
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

  "models.digest": "get_semantic_model and get_datasets serve a markdown digest, not the YAML of the model",
  "models.digest.tokens": "The digest uses 3-5 times fewer tokens than the YAML",

  "models.list.parameters": "list_semantic_models has no parameters",
  "models.list.returns": "It gives names and descriptions of models",
  "models.list.scopes": "It lists only models that the token has access to",
  "models.list.published": "It reads what is published, not what is being worked on",

  "models.model.name": "get_semantic_model takes a modelName: the file's name without .yaml",
  "models.model.overview":
    "Without a scope it gives the first page of each section: datasets, relationships and metrics",
  "models.model.scope": "scope: datasets, relationships or metrics gives that section alone",
  "models.model.page": "page counts within the scope, from 1, which is its default",
  "models.model.page-size": "Items per page are set for each workspace",
  "models.model.page-alone": "page means nothing without a scope",
  "models.model.tables": "Each dataset has its quoted table name for use in queries",

  "models.datasets.several": "get_datasets shows several datasets in one call",
  "models.datasets.limits": "It takes 1 to 10 datasets",
  "models.datasets.page": "Each dataset has its own page of fields, 1 by default",
  "models.datasets.returns":
    "Fields come with data types, expressions, dimension info, enums, examples, synonyms and instructions",

  "models.query.placeholders": "execute_query takes DuckDB SQL with bare names and $1, $2, … placeholders",
  "models.query.params": "params is a list of texts, empty by default",
  "models.query.store":
    "store is true by default: the query is stored and its storedQueryId comes back; false stores nothing",
  "models.query.returns": "It answers JSON with columns, rows and, when stored, storedQueryId",
  "models.query.rows": "At most 1,000 rows come back, with truncated: true when there are more",
  "models.query.timeout": "A query may take 30 seconds",

  "models.sql.parser": "Every query is parsed by DuckDB's own parser and must match an allowlisted shape",
  "models.sql.one": "Exactly one statement, whatever separators stand in literals",
  "models.sql.select": "It is a SELECT, a set operation or a recursive CTE",
  "models.sql.explain": "EXPLAIN is allowed around any of these",
  "models.sql.analyze": "EXPLAIN ANALYZE is rejected, also with comments between its words",
  "models.sql.bare": "Tables are bare dataset names, without schema or catalog",
  "models.sql.catalogs":
    "information_schema, pg_catalog, sqlite_master, main, temp and system are rejected however they are quoted",
  "models.sql.scopes": "Schemas and tables that begin with _scope_ or duckdb_ are rejected",
  "models.sql.table-functions":
    "Table functions are on a small allowlist; read_*, parse_sql, json_serialize_sql and duckdb_* are rejected",
  "models.sql.scalar-functions":
    "read_*, pg_read_*, pg_ls_dir, duckdb_*, nextval, currval, parse_sql and json_serialize_sql are rejected anywhere in the tree",
  "models.sql.words": "Parser failures, malformed, empty and comment-only inputs are told verbatim",
  "models.sql.sole": "There is no fallback validator and no switch that turns the check off",

  "models.engine.external": "No file reads, network access or COPY",
  "models.engine.limits": "Two threads and 512 MB for a query",
  "models.engine.search-path": "Bare dataset names resolve to the views of the model",

  "models.stored.run": "execute_stored_query runs a stored query again by its storedQueryId",
  "models.stored.params": "params override the stored values; without them the stored ones are used",
  "models.stored.limits": "It answers like execute_query, with the same limits",

  "models.improve.parameters": "request_improvement takes modelName, title and description, all required",
  "models.improve.limits": "title has at most 200 characters, description at most 2,000",
  "models.improve.returns": "It confirms that the request was submitted",
});
