import { clip } from "../../../../kernel/clip.ts";
import { nearest } from "../../../../kernel/nearest.ts";
import { quoteName } from "../../../../kernel/sql-text.ts";
import type { Check, GuardContext } from "../check.ts";
import { isCatalogView, isReserved, looksLikeFile } from "../names.ts";
import { refuse } from "../refusal.ts";
import { isInScope, keyOf, NAME_OF_EXPRESSION, type Node, namesIn, type Scope, text } from "../tree.ts";

/** Only the model's datasets by their bare names, and what the statement itself has named before. */
export const checkTables: Check = ({ node, scope }, context) => {
  if (node.type === NAME_OF_EXPRESSION) checkName(text(node.name));
  if (node.type !== "BASE_TABLE") return;
  const name = text(node.table_name);
  checkQualification(node, name);
  if (isReserved(name)) throw reserved(name);
  if (node.at_clause !== undefined && node.at_clause !== null) {
    throw refuse("table", "forbidden", "AT is not allowed: a dataset has one version.", "Leave AT out.");
  }
  checkKnown(name, scope, context);
};

function checkQualification(node: Node, name: string): void {
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
