import type { Cond, Key, Num, Rel } from "../../query/semantic-query.ts";
import { unitNamed, unitsIn } from "../model/units.ts";
import type { Quantity, TableSense } from "../senses/fragment.ts";
import { entities, means, type RelSense, tableOf } from "../senses/make.ts";
import { asTable, chosenEntities } from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";

/** What is said in such units is how expensive, heavy or long something is. */
const MEASURES: ReadonlyMap<string, string> = new Map([
  ["money", "price"],
  ["weight", "heavy"],
  ["length", "long"],
]);

/** "orders over 1000 euros", "stops longer than 40 seconds": by what an entity is worth, costs or takes. */
export function costing(grammar: Grammar, rel: RelSense, quantity: Quantity): Combined[] {
  const { unit = "" } = quantity;
  const isMoney = unitNamed(unit) === "money";
  const metric = isMoney ? grammar.worthOf(rel.ds) : undefined;
  if (metric !== undefined) {
    const table: TableSense = tableOf({ k: "metric", name: metric });
    return chosenEntities(grammar, rel, { ...quantity, t: "having", table });
  }
  const dim = MEASURES.get(unitNamed(unit) ?? "");
  const key = dim === undefined ? grammar.timeOf(rel.ds, unit) : grammar.dimension(rel.ds, dim);
  const cond = key === undefined ? undefined : measuredCond(grammar, key, quantity);
  if (cond === undefined) return [];
  const made: Rel = { k: "where", in: rel.rel, if: cond };
  return means(entities(made, rel.ds, "made", rel.isTopped), 0.3);
}

/** A field beside a number, a range or its own average; none where they are measured in different things. */
export function measuredCond(
  grammar: Grammar,
  key: Key,
  { op, value, upTo, unit }: Quantity,
): Cond | undefined {
  const factor = unit === undefined ? 1 : factorOf(unit, grammar.unitOf(key));
  if (factor === undefined) return undefined;
  const b: Num =
    value === "average"
      ? { k: "agg", fn: "avg", of: key, in: { k: "all", ds: key.ds } }
      : { k: "lit", v: value * factor };
  const lower: Cond = { k: "cmp", a: key, op, b };
  if (upTo === undefined) return lower;
  return { k: "and", of: [lower, { k: "cmp", a: key, op: "<=", b: { k: "lit", v: upTo * factor } }] };
}

/** How many of what something is measured in make one of what was said. Where nobody says in what, it is that. */
function factorOf(said: string, own: string | undefined): number | undefined {
  if ((MEASURES.has(unitNamed(said) ?? "") || /^min(ute)?/.test(said)) && own === undefined) return 1;
  return own === undefined ? undefined : unitsIn(said, own);
}

/** Rules for what numbers are wanted in: "in minutes". */
export const UNIT_RULES: Rules = {
  "table unit": (grammar, { table }, { unit, scale, said }) => {
    const factors = table.cols.map((num) => (unit === "" ? 1 : factorOf(unit, grammar.unitOf(num))));
    if (factors.some((factor) => factor === undefined) || table.top !== null) return [];
    const cols = table.cols.map((num, i): Num => {
      const v = (factors[i] as number) * scale;
      return v === 1 ? num : { k: "calc", op: "/", a: num, b: { k: "lit", v, unit: said } };
    });
    return [asTable({ ...table, cols }, 0)];
  },
};
