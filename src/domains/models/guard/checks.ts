import { quoteName } from "../../../kernel/sql-text.ts";
import { clip, nearest } from "../../../kernel/text.ts";
import { LIMITS } from "../../../platform/analytics/limits.ts";
import { equivalentOf, FUNCTIONS, refusedFor } from "./functions/index.ts";
import {
  isInScope,
  keyOf,
  NAME_OF_EXPRESSION,
  type Node,
  namesIn,
  refuse,
  type Scope,
  text,
  type Visit,
} from "./tree.ts";

/** What the checks of one statement have in common. */
interface GuardContext {
  /** Datasets by their names in lower case. */
  known: ReadonlyMap<string, string>;
  columns: ReadonlyMap<string, readonly string[]> | undefined;
  /** Values of the parameters, where they are known. */
  params: readonly string[];
  /** Datasets that were met. */
  used: Set<string>;
}

/** Looks at one node of the tree, and fails when it must not be there. */
export type Check = (visit: Visit, context: GuardContext) => void;

/** Only the model's datasets by their bare names, and what the statement itself has named before. */
export const checkTables: Check = ({ node, scope }, context) => {
  if (node.type === NAME_OF_EXPRESSION) checkName(text(node.name));
  if (node.type !== "BASE_TABLE") return;
  const name = text(node.table_name);
  checkTableQualifier(node, name);
  if (isReserved(name)) throw reserved(name);
  if (node.at_clause !== undefined && node.at_clause !== null) {
    throw refuse("table", "forbidden", "AT is not allowed: a dataset has one version.", "Leave AT out.");
  }
  checkKnown(name, scope, context);
};

function checkTableQualifier(node: Node, name: string): void {
  const before = [text(node.catalog_name), text(node.schema_name)].filter((part) => part !== "");
  if (before.length === 0) return;
  const bad = before.find(isReserved);
  if (bad !== undefined) throw reserved(bad);
  const shown = clip([...before, name].join("."));
  const hint = `Write ${quoteName(clip(name))} alone.`;
  throw refuse("table", "forbidden", `${shown} names a schema or database, which is not allowed.`, hint);
}

function checkKnown(name: string, scope: Scope | undefined, { known, used }: GuardContext): void {
  const key = keyOf(name);
  if (isInScope(scope, key)) return;
  const dataset = known.get(key);
  if (dataset === undefined) throw unknownTable(name, known, scope);
  used.add(dataset);
}

/** A name of an expression must never mean anything else, even where the expression itself cannot be seen. */
function checkName(name: string): void {
  if (isReserved(name) || isCatalogView(name)) throw reserved(name);
  if (!looksLikeFile(name)) return;
  const message = `${quoteName(clip(name))} looks like a file, so it cannot be the name of an expression.`;
  throw refuse("table", "forbidden", message, "Use letters, digits and underscores.");
}

function reserved(name: string): Error {
  const message = `${clip(name)} belongs to the engine and is not allowed.`;
  return refuse("table", "forbidden", message, "Select from the datasets of the model by their names alone.");
}

function unknownTable(name: string, known: ReadonlyMap<string, string>, scope: Scope | undefined): Error {
  const datasets = [...known.values()];
  const message = looksLikeFile(name)
    ? `${quoteName(clip(name))} is no dataset of this model, and files cannot be read.`
    : `There is no dataset ${quoteName(clip(name))} in this model.`;
  const meant = nearest(name, [...datasets, ...namesIn(scope)]);
  const hint =
    meant === undefined
      ? `The datasets are ${clip(datasets.map(quoteName).join(", ") || "none", 500)}.`
      : `Did you mean ${quoteName(meant)}?`;
  return refuse("table", "bad_request", message, hint);
}

/** Functions that make rows out of nothing but their arguments. */
export const TABLE_FUNCTIONS: ReadonlySet<string> = new Set(
  "generate_series range unnest repeat from_json values json_each json_tree".split(" "),
);

/** What the contract lists but the engine has only as a function of one value, and as a word of its grammar. */
const NO_TABLES = new Set(["from_json", "values"]);

const WORKING = [...TABLE_FUNCTIONS].filter((name) => !NO_TABLES.has(name));

export const checkTableFunctions: Check = ({ node }) => {
  if (node.type !== "TABLE_FUNCTION") return;
  const called = (node.function ?? {}) as Node;
  const name = text(called.function_name);
  const isQualified = text(called.schema) !== "" || text(called.catalog) !== "";
  if (called.class === "FUNCTION" && !isQualified && TABLE_FUNCTIONS.has(keyOf(name))) return;
  const shown = [text(called.catalog), text(called.schema), name].filter((part) => part !== "").join(".");
  throw refuse(
    "table_function",
    "forbidden",
    `The table function ${clip(shown)} is not allowed.`,
    `Select from the datasets of the model; allowed are ${WORKING.join(", ")}.`,
  );
};

/** Where there is no such column, these words tell something about the engine. */
const WORDS = new Set(
  "current_catalog current_role current_schema current_user session_user user".split(" "),
);

export const checkColumns: Check = ({ node }, context) => {
  if (node.class === "STAR") checkParts([text(node.relation_name), "*"]);
  if (node.class !== "COLUMN_REF") return;
  const parts = Array.isArray(node.column_names) ? node.column_names.map(text) : [];
  checkParts(parts);
  const [name = ""] = parts;
  if (parts.length === 1 && WORDS.has(name.toLowerCase()) && !isColumn(name, context)) {
    const hint =
      "Select columns of the datasets; a name that the statement gives itself needs its table before.";
    throw refuse("column", "forbidden", `${name} is not allowed.`, hint);
  }
};

/** What stands before a column is the name of a table, and of a schema and database before that. */
function checkParts(parts: readonly string[]): void {
  const bad = parts.slice(0, -1).find((part) => /^(?:_scope_|duckdb_)/i.test(part));
  const isCatalog = parts.length > 2 && isReserved(parts[0] as string);
  if (bad === undefined && !isCatalog) return;
  const message = `${clip(parts.join("."))} is not allowed.`;
  throw refuse(
    "column",
    "forbidden",
    message,
    "Name columns alone, or with the dataset or its alias before.",
  );
}

function isColumn(name: string, { columns }: GuardContext): boolean {
  const key = name.toLowerCase();
  return [...(columns?.values() ?? [])].some((each) => each.some((column) => column.toLowerCase() === key));
}

/** Every kind of thing that a statement may consist of. What is not here is refused by its name. */
const QUERIES = ["SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"];

const TABLES = ["BASE_TABLE", "EMPTY", "EXPRESSION_LIST", "JOIN", "PIVOT", "SUBQUERY", "TABLE_FUNCTION"];

const MODIFIERS = ["DISTINCT_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER", "ORDER_MODIFIER"];

const ORDERS = ["ASCENDING", "DESCENDING", "ORDER_DEFAULT"];

const TYPES = ["ARRAY", "DECIMAL", "LIST", "STRUCT", "UNBOUND"].map((type) => `${type}_TYPE_INFO`);

const PLAIN = new Set([...QUERIES, ...TABLES, ...MODIFIERS, ...ORDERS, ...TYPES, NAME_OF_EXPRESSION]);

/** By their class. Windows have as many types as there are functions for them. */
const EXPRESSIONS: Readonly<Record<string, string>> = {
  BETWEEN: "COMPARE_BETWEEN",
  CASE: "CASE_EXPR",
  CAST: "OPERATOR_CAST",
  COLLATE: "COLLATE",
  COLUMN_REF: "COLUMN_REF",
  COMPARISON:
    "COMPARE_EQUAL COMPARE_NOTEQUAL COMPARE_LESSTHAN COMPARE_GREATERTHAN COMPARE_LESSTHANOREQUALTO " +
    "COMPARE_GREATERTHANOREQUALTO COMPARE_DISTINCT_FROM COMPARE_NOT_DISTINCT_FROM",
  CONJUNCTION: "CONJUNCTION_AND CONJUNCTION_OR",
  CONSTANT: "VALUE_CONSTANT",
  FUNCTION: "FUNCTION",
  LAMBDA: "LAMBDA",
  LAMBDA_REF: "LAMBDA_REF",
  OPERATOR:
    "ARRAY_CONSTRUCTOR ARRAY_EXTRACT ARRAY_SLICE COMPARE_IN COMPARE_NOT_IN GROUPING_FUNCTION OPERATOR_COALESCE " +
    "OPERATOR_IS_NULL OPERATOR_IS_NOT_NULL OPERATOR_NOT OPERATOR_TRY OPERATOR_UNPACK STRUCT_EXTRACT",
  PARAMETER: "VALUE_PARAMETER",
  POSITIONAL_REFERENCE: "POSITIONAL_REFERENCE",
  STAR: "STAR",
  SUBQUERY: "SUBQUERY",
};

const KNOWN = new Set(
  Object.entries(EXPRESSIONS).flatMap(([kind, types]) => types.split(" ").map((type) => `${kind} ${type}`)),
);

const SHOW_HINT =
  "DESCRIBE, SUMMARIZE and SHOW are not allowed. {tool:get_datasets} tells the columns of a dataset.";

export const checkKinds: Check = ({ node }) => {
  const { type, class: kind } = node;
  if (kind !== undefined) {
    const isKnown =
      KNOWN.has(`${kind} ${type}`) || (kind === "WINDOW" && /^WINDOW_[A-Z_]+$/.test(String(type)));
    if (!isKnown) throw unsupported(kind === type ? String(kind) : `${String(kind)} ${String(type)}`);
    return;
  }
  // The type of a value is an object, and that of everything else a word.
  if (type === undefined || typeof type === "object") return;
  if (!PLAIN.has(String(type))) throw unsupported(String(type));
};

function unsupported(kind: string): Error {
  const plain = "Write it with plain SELECT, joins, expressions and functions.";
  const hint = kind === "SHOW_REF" ? SHOW_HINT : plain;
  return refuse("kind", "forbidden", `${kind} is not allowed in a query.`, hint);
}

/** Types that the parser knows by their names only; all others it has resolved, or does not know. */
const NAMED = new Set(["json", "enum"]);

const COMMON = ["INTEGER", "BIGINT", "DOUBLE", "DECIMAL", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP", "JSON"];

export const checkTypes: Check = ({ node }) => {
  if (node.type !== "UNBOUND_TYPE_INFO") return;
  const name = text(node.name);
  const isQualified = text(node.schema) !== "" || text(node.catalog) !== "";
  if (!isQualified && NAMED.has(name.toLowerCase())) return;
  const meant = nearest(name, COMMON);
  const hint = meant === undefined ? `Types are ${COMMON.join(", ")} and so on.` : `Did you mean ${meant}?`;
  throw refuse("type", "bad_request", `There is no type ${clip(name)}.`, hint);
};

/** The values of a PIVOT may be named by a type, which only somebody who creates types could mean. */
export const checkPivots: Check = ({ node }) => {
  const name = text(node.pivot_enum);
  if (name === "") return;
  const hint = "Give the values: PIVOT t ON year IN (2023, 2024) USING sum(x).";
  throw refuse("pivot", "forbidden", `PIVOT over the type ${clip(name)} is not allowed.`, hint);
};

/** A language, or one of the engine's own, or several with dots between. */
const PART = /^(?:nocase|noaccent|nfc|binary|c|posix|icu_noaccent|[a-z]{2,3}(?:_[a-z]{2})?)$/i;

export const checkCollations: Check = ({ node }) => {
  if (node.class !== "COLLATE") return;
  const collation = text(node.collation);
  if (collation.split(".").every((part) => PART.test(part))) return;
  const message = `There is no collation ${clip(collation)}.`;
  throw refuse("collation", "bad_request", message, "Use NOCASE, NOACCENT or a language such as DE.");
};

/** Values come as a list, so that a parameter has a number. */
export const checkParameters: Check = ({ node }) => {
  if (node.class !== "PARAMETER") return;
  const name = text(node.identifier);
  const number = /^[1-9]\d{0,8}$/.test(name) ? Number(name) : 0;
  if (number > 0 && number <= LIMITS.analytics.params) return;
  const message = `$${clip(name)} is no parameter.`;
  throw refuse(
    "parameter",
    "bad_request",
    message,
    `Parameters are $1, $2 up to $${LIMITS.analytics.params}.`,
  );
};

/** Functions, operators, aggregates and windows alike: all have names, and all names are on a list. */
export const checkFunctions: Check = ({ node, field }) => {
  if (node.class !== "FUNCTION" && node.class !== "WINDOW") return;
  const name = text(node.function_name);
  // What stands in FROM has a list of its own.
  const isTable = field === "function";
  if (!isTable && !FUNCTIONS.has(keyOf(name))) throw unknown(name);
  checkFunctionQualifier(text(node.catalog), text(node.schema), name);
  if (node.export_state === true) {
    throw refuse("function", "forbidden", "EXPORT_STATE is not allowed.", "Leave EXPORT_STATE out.");
  }
};

/**
 * The parser itself writes `main.list_value`; and in `name.upper()` the column stands where a schema would. Other
 * schemas of the engine have no functions that would not be found without them.
 */
function checkFunctionQualifier(catalog: string, schema: string, name: string): void {
  const isOwn = catalog === "" && schema.toLowerCase() === "main";
  const bad = [catalog, schema].find((part) => part !== "" && isReserved(part));
  if (isOwn || bad === undefined) return;
  const message = `${clip(bad)}.${clip(name)} names a schema or database, which is not allowed.`;
  throw refuse("function", "forbidden", message, `Write ${clip(name)} alone.`);
}

function unknown(name: string): Error {
  const does = refusedFor(name);
  if (does !== undefined) {
    const message = `The function ${clip(name)} is not allowed, because it ${does}.`;
    return refuse("function", "forbidden", message, "Use functions on the columns of the datasets.");
  }
  const write = equivalentOf(name);
  const meant = write === undefined ? nearest(name, [...FUNCTIONS]) : undefined;
  const other = meant === undefined ? "Use functions of DuckDB's SQL." : `Did you mean ${meant}?`;
  const hint = write === undefined ? other : `In DuckDB's SQL write ${write}.`;
  return refuse("function", "forbidden", `The function ${clip(name)} is not known here.`, hint);
}

/** Names that are the engine's own, whatever a model calls its datasets. */
const RESERVED = new Set(
  "information_schema pg_catalog sqlite_master sqlite_schema sqlite_temp_master sqlite_temp_schema main memory temp system".split(
    " ",
  ),
);

const RESERVED_BEGINNING = /^(?:_scope_|duckdb_)/i;

export function isReserved(name: string): boolean {
  return RESERVED.has(name.toLowerCase()) || RESERVED_BEGINNING.test(name);
}

/** Views of the engine that are found without a schema: PostgreSQL's catalog and settings. */
export function isCatalogView(name: string): boolean {
  return /^(?:pg_|pragma_|sqlite_)/i.test(name);
}

/** Where there is no table of such a name, DuckDB looks for a file. */
export function looksLikeFile(name: string): boolean {
  return /[/\\:*?]|\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet|db|duckdb|gz|zst|xlsx|arrow|vortex)\b/i.test(
    name,
  );
}
