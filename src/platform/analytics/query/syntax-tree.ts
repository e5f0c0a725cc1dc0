import { AppError } from "../../../kernel/errors.ts";

/** Parser output. */
export interface Tree {
  error: boolean;
  error_type?: string;
  error_message?: string;
  position?: string;
  statements?: unknown[];
}

/** Texts, which stay as they are, and what DuckDB writes for numbers that no double holds: JSON has no word for it. */
const ENDLESS_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\b(?:Infinity|NaN)\b/g;

/** Reads the tree of DuckDB's own parser, which is JSON but for endless numbers: those are refused. */
export function parseTree(text: string): Tree {
  try {
    return JSON.parse(text) as Tree;
  } catch (error) {
    JSON.parse(text.replace(ENDLESS_NUMBERS, (part) => (part.startsWith('"') ? part : "0")));
    throw new AppError("bad_request", "A number in the SQL is out of range.", {
      hint: "Numbers can have about 308 digits; write 'inf'::DOUBLE for one without end.",
      cause: error,
    });
  }
}

/**
 * What a SELECT may touch, read off the tree of DuckDB's own parser: the views that it was given, and no
 * other source. Without this it could name the files below a view and so get around the view's policy,
 * or call one of the functions of the engine that the lock on its settings does not hold (`enable_logging`
 * writes files). Which other functions are allowed is left to the guard before this.
 */

/** Functions that make rows out of nothing but their arguments. */
const TABLE_FUNCTIONS = new Set(
  "range generate_series unnest repeat json_each json_tree from_json values".split(" "),
);

/** What tells of rows that a policy hides (their statistics), or of the engine, or writes. */
const REFUSED_FUNCTIONS = new Set(["stats", "current_setting", "getvariable", "write_log", "nextval"]);

/** Views of the engine that are found without a schema; all of them begin so. */
const ENGINE_VIEW = /^(?:duckdb_|pg_|pragma_|sqlite_)/;

/** Table references of a statement, or why it is not one SELECT. */
export function readSources(tree: Tree): Sources | AppError {
  const { error, error_type, error_message = "", statements = [] } = tree;
  if (error && error_type === "not implemented") return onlySelect();
  if (error) return new AppError("bad_request", error_message);
  if (statements.length === 0) return new AppError("bad_request", "There is no SELECT.");
  if (statements.length > 1) {
    return new AppError("bad_request", `The SQL has ${statements.length} statements.`, {
      hint: "Send one SELECT.",
    });
  }
  return sourcesOf(statements[0]);
}

export function onlySelect(): AppError {
  return new AppError("forbidden", "Only SELECT is allowed.", { hint: "Send one SELECT." });
}

export interface Sources {
  tables: { name: string; isQualified: boolean }[];
  /** Table functions. */
  functions: string[];
  /** All other functions, in lower case. */
  calls: Set<string>;
  /** Names of common table expressions, in lower case. */
  expressions: Set<string>;
}

/** Fails when a SELECT has other sources than `tableViews` (in lower case). */
export function checkSources(
  { tables, functions, calls, expressions }: Sources,
  tableViews: ReadonlySet<string>,
): void {
  const refused = [...REFUSED_FUNCTIONS].find((name) => calls.has(name));
  if (refused !== undefined) throw new AppError("forbidden", `The function ${refused} is not allowed.`);
  const called = functions.find((name) => !TABLE_FUNCTIONS.has(name.toLowerCase()));
  if (called !== undefined) {
    throw new AppError("forbidden", `The table function ${called} is not allowed.`, {
      hint: "Select from the datasets by their names.",
    });
  }
  for (const { name, isQualified } of tables) {
    const key = name.toLowerCase();
    const isTableView = tableViews.has(key) && !isQualified;
    // Where an expression can be seen is not looked at, so its name must not be one that means a file or a view
    // of the engine elsewhere.
    const isElsewhere = /[/\\]/.test(name) || ENGINE_VIEW.test(key);
    const isExpression = expressions.has(key) && !isQualified && !isElsewhere;
    if (!isTableView && !isExpression) throw unknownTable(name, isQualified);
  }
}

function unknownTable(name: string, isQualified: boolean): AppError {
  const shown = name.slice(0, 100).toWellFormed();
  if (isQualified) {
    return new AppError("forbidden", `"${shown}" stands behind a schema or database, which is not allowed.`, {
      hint: "Select from the datasets by their names alone.",
    });
  }
  return new AppError("bad_request", `There is no dataset "${shown}".`, {
    hint: "Select from the datasets by their names.",
    data: { table: shown },
  });
}

/** Goes over the whole tree without recursion, however deep it is. */
function sourcesOf(statement: unknown): Sources {
  const sources: Sources = { tables: [], functions: [], calls: new Set(), expressions: new Set() };
  const open: unknown[] = [statement];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (!Array.isArray(node)) note(node as Record<string, unknown>, sources);
    for (const child of Object.values(node)) if (typeof child === "object") open.push(child);
  }
  return sources;
}

function note(node: Record<string, unknown>, { tables, functions, calls, expressions }: Sources): void {
  // SHOW names tables by words of its own; DESCRIBE and SUMMARIZE of a SELECT name none.
  const isTable = node.type === "BASE_TABLE" || (node.type === "SHOW_REF" && Boolean(node.table_name));
  if (isTable) {
    const schema = String(node.schema_name ?? "");
    const catalog = String(node.catalog_name ?? "");
    tables.push({ name: String(node.table_name), isQualified: schema !== "" || catalog !== "" });
  } else if (node.type === "TABLE_FUNCTION") {
    const { function_name, schema, catalog } = (node.function ?? {}) as Record<string, unknown>;
    const isQualified = Boolean(schema) || Boolean(catalog);
    functions.push(isQualified ? `${String(schema)}.${String(function_name)}` : String(function_name));
  } else if (typeof node.function_name === "string") {
    calls.add(node.function_name.toLowerCase());
  }
  const { map } = (node.cte_map ?? {}) as { map?: { key: string }[] };
  for (const { key } of map ?? []) expressions.add(key.toLowerCase());
}
