import { clip } from "../../../../kernel/clip.ts";
import type { Check, GuardContext } from "../check.ts";
import { isReserved } from "../names.ts";
import { refuse } from "../refusal.ts";
import { text } from "../tree.ts";

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
