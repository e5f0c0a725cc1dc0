import { clip } from "../../../../kernel/clip.ts";
import { nearest } from "../../../../kernel/nearest.ts";
import type { Check } from "../check.ts";
import { refuse } from "../refusal.ts";
import { text } from "../tree.ts";

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
