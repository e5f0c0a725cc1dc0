import { allOf, relConds } from "../../query/parts.ts";
import type { Ask, Cond, Rel } from "../../query/semantic-query.ts";
import type { RelSense } from "./make.ts";

/** Conditions on an entity's own fields hold of whatever belongs to it. */
export function condOf({ rel, ds }: Pick<RelSense, "rel" | "ds">): Cond {
  const plain: Cond[] = [];
  let inner = rel;
  while (inner.k === "where" && isPlain(inner.if)) {
    plain.unshift(inner.if);
    inner = inner.in;
  }
  const all = inner.k === "all" ? allOf(plain) : undefined;
  return all ?? { k: "link", at: ds, path: [], to: rel };
}

function isPlain(cond: Cond): boolean {
  return cond.k === "is" || cond.k === "null" || (cond.k === "not" && isPlain(cond.of));
}

/** The datasets of which one of several conditions holds; of a single one it is known already. */
export function datasetsOf(cond: Cond): string[] {
  if (cond.k === "or") return cond.of.flatMap((each) => (each.k === "is" ? [each.key.ds] : datasetsOf(each)));
  return cond.k === "not" ? datasetsOf(cond.of) : [];
}

/** What is listed or counted. */
export function entitiesOf(ask: Ask): Rel | undefined {
  if (ask.k === "list") return ask.rel;
  const [num] = ask.cols;
  return num?.k === "agg" ? num.in : undefined;
}

/** How many things are said of what is listed or counted. */
export function conditionsIn(ask: Ask): number {
  const rel = entitiesOf(ask);
  const { scope, having } = ask.k === "table" ? ask : {};
  return (
    (rel === undefined ? 0 : relConds(rel).length) +
    [scope?.if, scope?.win, having].filter((each) => each !== undefined).length
  );
}
