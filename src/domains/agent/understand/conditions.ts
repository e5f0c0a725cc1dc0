import type { Cond } from "../query/semantic-query.ts";
import type { RelSense } from "./make.ts";

/** Conditions on an entity's own fields hold of whatever belongs to it. */
export function condOf({ rel, ds }: Pick<RelSense, "rel" | "ds">): Cond {
  const plain: Cond[] = [];
  let inner = rel;
  while (inner.k === "where" && isPlain(inner.if)) {
    plain.unshift(inner.if);
    inner = inner.in;
  }
  if (inner.k === "all" && plain.length > 0)
    return plain.length === 1 ? (plain[0] as Cond) : { k: "and", of: plain };
  return { k: "link", at: ds, path: [], to: rel };
}

function isPlain(cond: Cond): boolean {
  return cond.k === "is" || cond.k === "null" || (cond.k === "not" && isPlain(cond.of));
}
