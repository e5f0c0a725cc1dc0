import type { Num } from "../query/semantic-query.ts";
import { measuredBy } from "./entity-senses.ts";
import type { Quantity, Sense, TableSense } from "./fragment.ts";
import { type Grammar, type Rules, rule } from "./grammar.ts";
import { EMPTY_TABLE, type RelSense } from "./make.ts";
import { again, asTable, chosenEntities, compareWith, more, within } from "./table-senses.ts";
import { costing } from "./unit-rules.ts";
import { unitNamed } from "./units.ts";

/** How often something happened is no amount of money. */
function isCounting(grammar: Grammar, { isTimes, unit }: Quantity, table: TableSense): boolean {
  if (unitNamed(unit ?? "") === "time" && grammar.unitOf(table.cols[0] as Num) === undefined) return false;
  return (
    isTimes !== true ||
    table.cols.every((num) => num.k !== "metric" || grammar.isCounting(num.name) !== false)
  );
}

function countOf(rel: RelSense, quantity: Quantity): Sense {
  const table = { ...EMPTY_TABLE, cols: [{ k: "agg" as const, fn: "count" as const, in: rel.rel }] };
  return { ...quantity, t: "having", table };
}

/** Rules for numbers beside others: what is above, below or between them. */
export const HAVING_RULES: Rules = {
  "quantity table": [
    rule<"quantity", "table">((grammar, quantity, { table }) =>
      isCounting(grammar, quantity, table) ? [{ sense: { ...quantity, t: "having", table }, cost: 0 }] : [],
    ),
  ],
  "table quantity": [
    rule<"table", "quantity">((grammar, { table }, quantity) => {
      const [num] = table.cols;
      if (!isCounting(grammar, quantity, table)) return [];
      if (table.by.length === 0) return [{ sense: { ...quantity, t: "having", table }, cost: 0.1 }];
      if (num === undefined || table.having !== null || table.top !== null) return [];
      return [asTable({ ...table, having: compareWith(num, quantity, table.by) }, 0.3)];
    }),
  ],
  "quantity rel": [
    rule<"quantity", "rel">((_grammar, quantity, rel) => {
      // "more than the average store"
      if (quantity.value === "average") return rel.form === "noun" ? [{ sense: quantity, cost: 0.1 }] : [];
      return quantity.unit !== undefined ? [] : [{ sense: countOf(rel, quantity), cost: 0.2 }];
    }),
  ],
  "rel quantity": [
    rule<"rel", "quantity">((grammar, rel, quantity) => {
      if (quantity.value === "average") return [];
      const key = quantity.dim === undefined ? undefined : grammar.dimension(rel.ds, quantity.dim);
      if (key !== undefined)
        return measuredBy(grammar, key, quantity).flatMap(({ sense, cost }) =>
          sense.t === "cond"
            ? grammar.apply(rel, { m: "is", ds: sense.ds, cond: sense.cond }).map((each) => more(each, cost))
            : [],
        );
      return quantity.unit !== undefined
        ? costing(grammar, rel, quantity)
        : [{ sense: countOf(rel, quantity), cost: 0.6 }];
    }),
  ],
  "having window": [
    rule<"having", "window">((_grammar, having, { win }) =>
      within(having.table, win).map((each) => again(having, each)),
    ),
  ],
  "op having": [
    rule<"op", "having">((_grammar, { op }, having) =>
      op === "has" || op === "prep" ? [{ sense: having, cost: 0 }] : [],
    ),
  ],
  "rel having": [rule<"rel", "having">((grammar, rel, having) => chosenEntities(grammar, rel, having))],
};
