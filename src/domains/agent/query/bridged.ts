import { toOnePath } from "../compile/paths.ts";
import { type ManyWay, manyWay } from "../compile/told-by.ts";
import { isEqual, isSameField, nodesIn, relConds, whereAll } from "./parts.ts";
import type { Schema } from "./schema.ts";
import type { Cond, Key } from "./semantic-query.ts";

type Linked = Extract<Cond, { k: "link" }>;

/**
 * A condition on what rows belong to in several ways: that they belong to one of those of which it holds. What is
 * denied may mean that none is so, or that one is not.
 */
export function overBridge(schema: Schema, ds: string, cond: Cond, key: Key): Linked | undefined {
  const way = cond.k === "not" || cond.k === "null" ? undefined : manyWay(schema, ds, key);
  const keys = keysIn(cond);
  const isTold = ({ last }: ManyWay) =>
    keys.every((each) => toOnePath(schema, last, each.ds, each.path) !== undefined);
  if (way === undefined || !isTold(way)) return undefined;
  return { k: "link", at: way.at, path: [...way.hops], to: whereAll({ k: "all", ds: way.last }, [cond]) };
}

/** Adds it to those that one row can meet with it; no row is of two values. */
export function withBridged(conds: Cond[], linked: Linked): void {
  const i = conds.findIndex(
    (each) =>
      each.k === "link" &&
      each.at === linked.at &&
      isEqual(each.path, linked.path) &&
      !keysIn(each.to).some((key) => keysIn(linked.to).some((other) => isSameField(key, other))),
  );
  const fits = conds[i] as Linked | undefined;
  if (fits === undefined) conds.push(linked);
  else conds[i] = { ...fits, to: whereAll(fits.to, relConds(linked.to)) };
}

function keysIn(part: unknown): Key[] {
  return nodesIn(part).filter((node) => "ds" in node && "field" in node) as unknown as Key[];
}
