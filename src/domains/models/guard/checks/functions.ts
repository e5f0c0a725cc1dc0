import { clip } from "../../../../kernel/clip.ts";
import { nearest } from "../../../../kernel/nearest.ts";
import type { Check } from "../check.ts";
import { equivalentOf } from "../functions/equivalents.ts";
import { FUNCTIONS } from "../functions/index.ts";
import { refusedFor } from "../functions/refused.ts";
import { isReserved } from "../names.ts";
import { refuse } from "../refusal.ts";
import { keyOf, text } from "../tree.ts";

/** Functions, operators, aggregates and windows alike: all have names, and all names are on a list. */
export const checkFunctions: Check = ({ node, field }) => {
  if (node.class !== "FUNCTION" && node.class !== "WINDOW") return;
  const name = text(node.function_name);
  // What stands in FROM has a list of its own.
  const isTable = field === "function";
  if (!isTable && !FUNCTIONS.has(keyOf(name))) throw unknown(name);
  checkQualification(text(node.catalog), text(node.schema), name);
  if (node.export_state === true) {
    throw refuse("function", "forbidden", "EXPORT_STATE is not allowed.", "Leave EXPORT_STATE out.");
  }
};

/**
 * The parser itself writes `main.list_value`; and in `name.upper()` the column stands where a schema would. Other
 * schemas of the engine have no functions that would not be found without them.
 */
function checkQualification(catalog: string, schema: string, name: string): void {
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
