import { isOfTime } from "../languages/language.ts";
import type { Sense } from "../senses/fragment.ts";
import { count, means, placed, type RelSense, tableOf } from "../senses/make.ts";
import { asTable, ofEntities, ofTables } from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";
import { ofPieces } from "./having-rules.ts";

/** How many are asked for; 2025 is a year. */
function isSmall(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= 1000;
}

/** "bought the most": people for the most money, things in the most pieces; "sold best": things by either. */
export function mostDone(
  grammar: Grammar,
  rel: RelSense,
  { dim, isCount, t: _, ...place }: Extract<Sense, { t: "sup" }>,
): Combined[] {
  if (rel.verb?.times === undefined || dim !== null) return [];
  const first = (name: string, of: Extract<Sense, { t: "firstby" }>["of"]) =>
    ofTables(ofEntities(grammar, tableOf({ k: "metric", name }), rel, 0), (table) =>
      means({ ...place, t: "firstby", table, of }),
    );
  const money = grammar.moneyOf(rel.ds);
  const { metric: pieces } = rel.verb;
  const ofThings = pieces === null ? [] : first(pieces, { pieces });
  if (money === undefined) return ofThings;
  if (isCount) return [...first(money, "people"), ...ofThings];
  return pieces === null ? [] : [...first(money, { pieces }), ...ofThings];
}

/** Rules for the first and the last by a number. */
export const SUPERLATIVE_RULES: Rules = {
  "sup table": (grammar, { dim, isCount: _, ...place }, { table }) => {
    const [num] = table.cols;
    const [period, ...others] = table.by;
    // "highest monthly revenue": of the months.
    if (num !== undefined && period?.bucket !== undefined && others.length === 0 && place.n === null) {
      const fn = place.dir === "max" ? ("max" as const) : ("min" as const);
      const isPlain = table.top === null && table.having === null && !isOfTime(dim);
      return isPlain
        ? [asTable({ ...table, by: [], cols: [{ k: "each", fn, of: num, per: [period] }] }, 0.2)]
        : [];
    }
    if (num === undefined || table.by.length > 0 || isOfTime(dim) || dim === "common") return [];
    // The largest sum is seldom meant by "highest population".
    const isOfEvents = num.k === "agg" && num.of !== undefined && grammar.isEvent(num.of.ds);
    const cost = num.k === "agg" && num.of !== undefined ? (isOfEvents ? 0.2 : 1.5) : 0;
    return means({ ...place, t: "firstby", table }, cost);
  },
  // "the strongest by revenue"
  "sup by": (_grammar, { dim, isCount: _, t: __, ...place }, { keys, by }) =>
    dim === null && keys.length === 0 && by?.k === "num"
      ? means({ ...place, t: "firstby", table: by.table ?? tableOf(by.num) }, 0.1)
      : [],
  "rel sup": mostDone,
  // "bought the most bikes"
  "rel supby": (grammar, rel, { by, t: _, ...place }) => {
    const pieces = by.k === "count" ? ofPieces(grammar, rel, tableOf(count(by.rel))) : undefined;
    return pieces === undefined ? [] : means({ ...place, t: "firstby", table: pieces }, -0.4);
  },
  "op firstby": (_grammar, { op }, first) => (op === "has" || op === "prep" ? means(first) : []),
  "sup number": (_grammar, sup, { value }) => (isSmall(value) ? means({ ...sup, n: value }) : []),
  "number sup": (_grammar, { value }, sup) => (isSmall(value) ? means({ ...sup, n: value }) : []),
  "table sup": (_grammar, { table }, { dim, isCount: _, ...place }) => {
    const [num] = table.cols;
    const isGrowth = num?.k === "calc" && num.op === "growth";
    if ((dim !== null && dim !== "high") || num === undefined) return [];
    // "spent the most", "grew the fastest", "tips are highest"
    const isOne = table.by.length === 0 && table.having === null && table.top === null;
    if (isGrowth || isOne) return means({ ...place, t: "firstby", table }, isGrowth ? 0 : 0.3);
    // "revenue by country, top 3"
    const isGrouped = table.by.length > 0 && table.top === null && place.n !== null;
    return isGrouped ? [asTable({ ...table, top: { ...placed(place), by: num } }, 0.2)] : [];
  },
  // "highest first"
  "table order": (_grammar, { table }, { dir, dim }) => {
    const [by] = table.cols;
    return by === undefined || isOfTime(dim) || table.by.length === 0
      ? []
      : [asTable({ ...table, order: [{ by, dir }] }, 0)];
  },
};
