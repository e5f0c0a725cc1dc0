import { clip } from "../../../../kernel/clip.ts";
import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { keyOf, type Node, text } from "../tree.ts";

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
