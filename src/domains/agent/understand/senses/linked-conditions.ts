import { bare, relConds, whereAll } from "../../query/parts.ts";
import { type Cond, type Hop, isKey, type Rel } from "../../query/semantic-query.ts";
import type { Facts } from "../model/facts.ts";

/** "placed their first order in March": the first one of each, and it was in March. */
export function firstOfEach(facts: Facts, ds: string, rel: Rel, path: readonly Hop[]): Rel | undefined {
  const isOwn =
    rel.k === "top" && rel.n === 1 && rel.per === undefined && isKey(rel.by) && facts.isDate(rel.by);
  const [id, ...others] = facts.schema.datasets.get(ds)?.key ?? [];
  const isTheirs = path.length > 0 && path.every(({ dir }) => dir === "many");
  if (!isOwn || id === undefined || others.length > 0 || !isTheirs) return undefined;
  const { during = [], before = [] } = Object.groupBy(relConds(rel.in), ({ k }) =>
    k === "during" ? "during" : "before",
  );
  return whereAll({ ...rel, in: whereAll(bare(rel.in), before), per: [{ ds, field: id }] }, during);
}

/** "bought Audio but not Lighting": no single item is both, so it is said of whoever bought. */
export function linkedTo(
  at: string,
  path: Hop[],
  { rel: to, not, isOne }: { rel: Rel; not: boolean; isOne: boolean },
): Cond {
  const [base, conds] = [bare(to), relConds(to)];
  const link = (some: Cond[]): Cond => ({ k: "link", at, path, to: whereAll(base, some) });
  const field = (cond: Cond) =>
    cond.k === "is" && cond.match === "equal" ? JSON.stringify(cond.key) : undefined;
  const without = conds.find(
    (cond) =>
      cond.k === "not" &&
      field(cond.of) !== undefined &&
      conds.some((each) => field(each) === field(cond.of)),
  );
  const several = not ? undefined : conds.find((cond) => cond.k === "is" && cond.all === true);
  const isApart = without !== undefined || several !== undefined;
  // What belongs to one only: it is for whoever has several of these to say.
  if (isApart && base.k === "all" && isOne) return { k: "and", of: conds };
  if (without?.k === "not") {
    const others = conds.filter((cond) => cond !== without);
    const positive = others.filter((cond) => field(cond) !== field(without.of));
    return { k: "and", of: [link(others), { k: "not", of: link([...positive, without.of]) }] };
  }
  if (several?.k === "is") {
    const others = conds.filter((cond) => cond !== several);
    const { all: _, ...one } = several;
    return { k: "and", of: several.values.map((value) => link([...others, { ...one, values: [value] }])) };
  }
  return { k: "link", at, path, to };
}
