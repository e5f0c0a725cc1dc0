import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { NAME_OF_EXPRESSION } from "../tree.ts";

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
    if (!isKnown) throw unknown(kind === type ? String(kind) : `${String(kind)} ${String(type)}`);
    return;
  }
  // The type of a value is an object, and that of everything else a word.
  if (type === undefined || typeof type === "object") return;
  if (!PLAIN.has(String(type))) throw unknown(String(type));
};

function unknown(kind: string): Error {
  const plain = "Write it with plain SELECT, joins, expressions and functions.";
  const hint = kind === "SHOW_REF" ? SHOW_HINT : plain;
  return refuse("kind", "forbidden", `${kind} is not allowed in a query.`, hint);
}
