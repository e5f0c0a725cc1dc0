import { toOnePath } from "../compile/paths.ts";
import { allOf } from "../query/parts.ts";
import type { Schema } from "../query/schema.ts";
import type { Cond, Num, Scope } from "../query/semantic-query.ts";
import { linkedTo, ofThemselves, ownKeys } from "./linked.ts";
import { homesOfLeaf, leavesOf } from "./out-of-reach.ts";

/** Conditions that hold for all numbers, and how to say the others of each of them. */
interface Spread {
  rows: Cond[];
  spread: (num: Num) => Num;
}

/**
 * A condition on what only some of the numbers' rows belong to is said of each number in its own way: orders with an
 * item of that product, and items of it.
 */
export function spreadOver(conds: readonly Cond[], cols: readonly Num[], schema: Schema): Spread {
  const homes = [...new Set(cols.flatMap(leavesOf).flatMap((leaf) => homesOfLeaf(leaf, schema)))];
  const [only = "", ...others] = homes;
  const rows = others.length > 0 ? conds : conds.map((cond) => ofThemselves(only, cond));
  const isFar = (home: string, cond: Cond) =>
    ownKeys(cond).some((key) => toOnePath(schema, home, key.ds, key.path) === undefined);
  // The date of one number is that of the others, each by its own.
  const isDate = (cond: Cond) => cond.k === "during" && homes.some((home) => !isFar(home, cond));
  const far = rows.filter((cond) => !isDate(cond) && homes.some((home) => isFar(home, cond)));
  if (far.length === 0) return { rows: [...rows], spread: (num) => num };
  const scopeOf = (own: readonly string[], scope: Scope | undefined): Scope => {
    const [home, ...more] = own;
    const isSame = own.every((each) => far.every((cond) => !isFar(each, cond)));
    const said =
      home === undefined || more.length > 0 || isSame ? far : linkedTo(home, far, undefined, schema);
    return { ...scope, if: allOf([...(scope?.if ? [scope.if] : []), ...said]) as Cond };
  };
  const spread = (num: Num): Num => {
    switch (num.k) {
      case "metric":
      case "agg":
        return { ...num, scope: scopeOf(homesOfLeaf(num, schema), num.scope) };
      case "calc":
        return { ...num, a: spread(num.a), b: spread(num.b) };
      case "each":
      case "lag":
      case "running":
        return { ...num, of: spread(num.of) };
      default:
        return num;
    }
  };
  return { rows: rows.filter((cond) => !far.includes(cond)), spread };
}
