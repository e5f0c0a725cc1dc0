import type { Ask, Cond, Rel } from "../query/semantic-query.ts";
import type { Found } from "./candidates.ts";

/** What says when, where or of whom, and never how much. */
const CIRCUMSTANCES: ReadonlySet<string> = new Set(["window", "windows", "cond", "all", "number"]);
const LIGHT_OPS: ReadonlySet<string> = new Set(["prep", "and", "or", "how much"]);

/** "Outdoor last year": names and a period are known, but nothing says which number of them is wanted. */
export function namesNoNumber(found: readonly Found[], ask: Ask | undefined): boolean {
  if (ask?.k === "list" && isNameAlone(ask)) return true;
  const isNoun = found.some(({ sense }) => sense.t === "rel" && sense.form !== "name");
  if (isNoun) return false;
  // That something of this name was there in a period is no question.
  if (ask !== undefined) return ask.k === "list" && isNamedThen(ask.rel);
  const isCircumstance = ({ sense }: Found) =>
    CIRCUMSTANCES.has(sense.t) ||
    sense.t === "rel" ||
    (sense.t === "op" && (LIGHT_OPS.has(sense.op) || (sense.op === "agg" && sense.arg === "sum")));
  return found.some(({ sense }) => sense.t !== "op") && found.every(isCircumstance);
}

/** "how is the Alpine region doing": that it is called so was known. */
function isNameAlone({ rel, show }: Extract<Ask, { k: "list" }>): boolean {
  const [only, ...others] = show;
  if (
    others.length > 0 ||
    only?.path !== undefined ||
    rel.k !== "where" ||
    rel.in.k !== "all" ||
    rel.if.k !== "is"
  )
    return false;
  return rel.if.match === "equal" && rel.if.key.field === only?.field && rel.if.key.ds === only.ds;
}

function isNamedThen(rel: Rel): boolean {
  const conds: Cond[] = [];
  for (let each = rel; each.k === "where"; each = each.in) conds.push(each.if);
  return conds.some(({ k }) => k === "during") && conds.some(({ k }) => k === "is");
}
