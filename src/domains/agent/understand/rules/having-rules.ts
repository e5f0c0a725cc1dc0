import type { Cond, Key, Num, Rel } from "../../query/semantic-query.ts";
import { unitNamed, unitsIn } from "../model/metric-facts.ts";
import { condOf } from "../senses/conditions.ts";
import { measuredBy } from "../senses/entity-senses.ts";
import type { Quantity, Sense, TableSense } from "../senses/fragment.ts";
import { count, entities, means, type RelSense, tableOf, where } from "../senses/make.ts";
import {
  again,
  asTable,
  chosenEntities,
  compareWith,
  more,
  scoped,
  scopeOf,
  within,
} from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";

/** How often something happened is no amount of money, and what is heavier than 5 kg is so by a field of its own. */
function isCounting(grammar: Grammar, { isTimes, unit }: Quantity, table: TableSense): boolean {
  if (["weight", "length"].includes(unitNamed(unit ?? "") ?? "")) return false;
  if (unitNamed(unit ?? "") === "time" && grammar.unitOf(table.cols[0] as Num) === undefined) return false;
  return (
    isTimes !== true ||
    table.cols.every((num) => num.k !== "metric" || grammar.isCounting(num.name) !== false)
  );
}

function countOf(rel: RelSense, quantity: Quantity): Sense {
  const table = tableOf(count(rel.rel));
  return { ...quantity, t: "having", table };
}

/** "customers over 40": a bare number beside people is their age. */
function isAge({ value, unit, isTimes, upTo }: Quantity): boolean {
  const isYears = unit === undefined || /^(years?|jahren?)$/.test(unit);
  return isYears && isTimes !== true && typeof value === "number" && Math.max(value, upTo ?? 0) <= OLDEST;
}

const OLDEST = 120;

/** The field that an adjective compares by; of an age that nobody named, only a number of which there is one. */
function measureFor(grammar: Grammar, ds: string, dim: string): Key | undefined {
  if (dim !== "age") return grammar.dimension(ds, dim);
  const [key, ...others] = grammar.dimensions(ds, "age").filter((each) => grammar.isNumber(each));
  return others.length === 0 ? key : undefined;
}

/** The dataset whose rows a number counts. */
function countedIn(grammar: Grammar, table: TableSense): string | undefined {
  const [num] = table.cols;
  const counted = num?.k === "agg" && num.in !== undefined ? grammar.datasetOf(num.in) : undefined;
  return counted ?? grammar.dateOf(table)?.ds;
}

/** How many different values of a field there are in some rows. */
function different(key: Key, rows: Rel): TableSense {
  return tableOf({ k: "agg", fn: "distinct", of: key, in: rows });
}

/** "bought from three categories", "products of two brands": among what was bought, or among the products. */
function amongThese(grammar: Grammar, rel: RelSense, having: Extract<Sense, { t: "having" }>): Combined[] {
  const [num] = having.table.cols;
  const isLabel = num?.k === "agg" && num.fn === "distinct" && num.of !== undefined && num.in?.k === "all";
  if (!isLabel || rel.isTopped || rel.form === "name" || !grammar.belongs(rel.ds, num.of as Key)) return [];
  const table = { ...having.table, ...different(num.of as Key, rel.rel), win: having.table.win };
  return means({ ...having, table }, 0.1);
}

/** "sold more than 50 tracks": pieces, and not kinds of them. */
export function ofPieces(
  grammar: Grammar,
  { verb, rel }: RelSense,
  counted: TableSense,
): TableSense | undefined {
  const [num] = counted.cols;
  const things = num?.k === "agg" && num.fn === "count" && num.of === undefined ? num.in : undefined;
  const metric = verb?.metric;
  if (things === undefined || metric == null || !grammar.isMadeOf(metric, rel)) return undefined;
  const ds = grammar.datasetOf(things);
  if (!grammar.countsPieces(metric, ds)) return undefined;
  const conds = things.k === "all" ? counted.conds : [...counted.conds, condOf({ rel: things, ds })];
  return { ...counted, cols: [{ k: "metric", name: metric }], conds };
}

/** Rules for numbers beside others: what is above, below or between them. */
export const HAVING_RULES: Rules = {
  "quantity table": (grammar, quantity, { table }) =>
    isCounting(grammar, quantity, table) ? means({ ...quantity, t: "having", table }) : [],
  "table quantity": (grammar, { table }, quantity) => {
    const [num] = table.cols;
    if (!isCounting(grammar, quantity, table)) return [];
    if (table.by.length === 0) return means({ ...quantity, t: "having", table }, 0.1);
    if (num === undefined || table.having !== null || table.top !== null) return [];
    return [asTable({ ...table, having: compareWith(num, quantity, table.by) }, 0.3)];
  },
  // "more than three categories", "more than 200 horsepower"
  "quantity field": (grammar, quantity, { key }) =>
    typeof quantity.value === "number" && quantity.unit === undefined && grammar.isLabel(key)
      ? means({ ...quantity, t: "having", table: different(key, { k: "all", ds: key.ds }) }, 0.2)
      : // An average is called like what it is of, which costs the field its name elsewhere.
        measuredBy(grammar, key, quantity).map((each) =>
          grammar.averageOf(key) === undefined ? each : more(each, -0.4),
        ),
  "quantity rel": (_grammar, quantity, rel) => {
    // "more than the average store"
    if (quantity.value === "average") return rel.form === "noun" ? means(quantity, 0.1) : [];
    return quantity.unit !== undefined ? [] : means(countOf(rel, quantity), 0.2);
  },
  "rel quantity": (grammar, rel, quantity) => {
    if (quantity.value === "average") return [];
    // "bought more than once": in so many orders.
    if (quantity.isTimes === true && rel.verb?.times !== undefined)
      return means({ ...quantity, t: "having", table: different(rel.verb.times, rel.rel) });
    const dim = quantity.dim ?? (isAge(quantity) ? "age" : undefined);
    const key = dim === undefined ? undefined : measureFor(grammar, rel.ds, dim);
    if (key !== undefined)
      return measuredBy(grammar, key, quantity).flatMap(({ sense, cost }) =>
        sense.t === "cond"
          ? grammar.apply(rel, { m: "is", ds: sense.ds, cond: sense.cond }).map((each) => more(each, cost))
          : [],
      );
    return quantity.unit !== undefined ? costing(grammar, rel, quantity) : means(countOf(rel, quantity), 0.6);
  },
  // "opened at least three tickets"
  "field having": (grammar, { key }, having) =>
    grammar.isDate(key) && countedIn(grammar, having.table) === key.ds ? means(having, 0.1) : [],
  // "cancelled more than 2 orders": of what is counted.
  "cond having": (grammar, { ds, cond }, having) => {
    const { table } = having;
    const [num] = table.cols;
    if (num === undefined || countedIn(grammar, table) !== ds) return [];
    const only: Num =
      num.k === "agg" && num.in !== undefined
        ? { ...num, in: { k: "where", in: num.in, if: cond } }
        : scoped(num, { if: cond });
    return means({ ...having, table: { ...table, cols: [only] } }, -0.5);
  },
  "having window": (grammar, having, { win }) =>
    within(grammar, having.table, win).map((each) => again(having, each)),
  // "at least 30 customers and more than 200k revenue"
  "having op": (_grammar, having, { op }) =>
    op === "and" || op === "but" || op === "comma" ? means({ ...having, isOpen: true }) : [],
  "having having": (_grammar, { isOpen, also = [], ...left }, right) =>
    isOpen === true ? means({ ...right, also: [...also, left] }) : [],
  "op having": (_grammar, { op }, having) => (op === "has" || op === "prep" ? means(having) : []),
  "rel having": (grammar, rel, having) => {
    const pieces = ofPieces(grammar, rel, having.table);
    if (pieces !== undefined) return means({ ...having, table: pieces }, -0.6);
    const all = [having, ...(having.also ?? [])];
    const chosen = all.reduce<Combined[]>(
      (made, each) =>
        made.flatMap(({ sense, cost }) =>
          sense.t === "rel" ? chosenEntities(grammar, sense, each).map((next) => more(next, cost)) : [],
        ),
      means(rel),
    );
    return having.isOpen === true ? [] : [...amongThese(grammar, rel, having), ...chosen];
  },
};

/** What is said in such units is how expensive, heavy or long something is. */
const MEASURES: ReadonlyMap<string, string> = new Map([
  ["money", "price"],
  ["weight", "heavy"],
  ["length", "long"],
]);

/** "orders over 1000 euros", "stops longer than 40 seconds": by what an entity is worth, costs or takes. */
function costing(grammar: Grammar, rel: RelSense, quantity: Quantity): Combined[] {
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

type VerbTable = TableSense & { isVerb: true };

function isVerb(table: TableSense): table is VerbTable {
  return table.isVerb === true && table.cols.length === 1 && table.by.length === 0 && table.having === null;
}

/** "without revenue": of what adds up there can be none. */
function isDoable(table: TableSense): boolean {
  const [num] = table.cols;
  return (
    isVerb({ ...table, isVerb: true }) && (table.isVerb === true || num?.k === "metric") && table.win === null
  );
}

/** "drivers who won a race in 2012": those of whom there is one. */
function done(grammar: Grammar, rel: RelSense, table: TableSense, not = false): Combined[] {
  const [num] = table.cols;
  if (!isVerb(table) || num === undefined || table.top !== null) return [];
  if (rel.form === "name" || !grammar.reachedBy(table, rel.ds)) return [];
  const cond: Cond = { k: "cmp", a: scoped(num, scopeOf(table)), op: ">", b: { k: "lit", v: 0 } };
  const made = where(rel, cond, not);
  return means({ ...made, form: "made" }, 0.3);
}

/** Rules for numbers that are said by a verb: "won", "sold". */
export const VERB_RULES: Rules = {
  "rel table": (grammar, rel, { table }) => done(grammar, rel, table),
  "op table": (_grammar, { op }, { table }) =>
    op === "not" && isDoable(table) ? means({ t: "undone", table: { ...table, isVerb: true } }) : [],
  "undone window": (_grammar, { table }, { win }) =>
    table.win === null ? means({ t: "undone", table: { ...table, win } }, 0.1) : [],
  "rel undone": (grammar, rel, { table }) => done(grammar, rel, table, true),
};
