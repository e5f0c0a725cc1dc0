import { allOf, isEqual, isSameField, opposite } from "../../query/parts.ts";
import type { Cond, DatePart, Grain, Key, Num, Rel, Scope, Window } from "../../query/semantic-query.ts";
import { isShared } from "../model/metric-facts.ts";
import type { Combined } from "../rules/chart.ts";
import type { Grammar } from "../rules/grammar.ts";
import { condOf, countedByDeeds, countedWhenDone, datasetsOf } from "./conditions.ts";
import type { By, Mod, Quantity, Sense, TableSense } from "./fragment.ts";
import { count, duringCost, entities, means, onWeekdays, type RelSense, tableOf } from "./make.ts";

export function asTable(table: TableSense, cost: number): Combined {
  return { sense: { t: "table", table }, cost };
}

export function more(each: Combined, cost: number): Combined {
  return { ...each, cost: each.cost + cost };
}

/** What becomes of each table among several meanings. */
export function ofTables(
  all: readonly Combined[],
  then: (table: TableSense) => readonly Combined[],
): Combined[] {
  return all.flatMap(({ sense, cost }) =>
    sense.t === "table" ? then(sense.table).map((each) => more(each, cost)) : [],
  );
}

export function again(
  sense: Extract<Sense, { t: "firstby" | "having" | "share" }>,
  { sense: made, cost }: Combined,
): Combined {
  return { sense: made.t === "table" ? { ...sense, table: made.table } : sense, cost };
}

export function column(table: TableSense, change: (num: Num) => Num, cost: number): Combined {
  return asTable({ ...table, cols: table.cols.map(change) }, cost);
}

export function within(grammar: Grammar, table: TableSense, win: Window): Combined[] {
  if (table.win !== null) return [];
  const [num] = table.cols;
  const counting = num?.k === "calc" ? num.a : num;
  const rel = counting?.k === "agg" ? counting.in : undefined;
  const isEvent = rel !== undefined && grammar.isEvent(grammar.datasetOf(rel));
  const counted =
    rel === undefined || (isEvent && num?.k === "calc") ? 0 : duringCost({ rel, form: "noun" }, isEvent);
  const whole = asTable({ ...table, win }, counted);
  if (rel === undefined || isEvent) return [whole];
  // "products sold per category in 2025": when they were sold.
  const then = grammar.doneThen(rel, grammar.datasetOf(rel), win);
  if (then === undefined) return [whole];
  const done = { ...counting, in: then } as Num;
  const col: Num = num?.k === "calc" ? { ...num, a: done } : done;
  return [whole, asTable({ ...table, cols: [col, ...table.cols.slice(1)] }, 0.2)];
}

/** A number of some rows only. */
export function limited(grammar: Grammar, table: TableSense, mod: Mod): Combined[] {
  switch (mod.m) {
    case "to": {
      if (mod.paths !== null) return [];
      return ofEntities(grammar, table, entities(mod.rel, mod.ds, mod.form), 0, mod.not);
    }
    case "is":
      if (contradicts(table.conds, mod.cond)) return [];
      return [mod.ds, ...datasetsOf(mod.cond)].every((ds) => grammar.reachedBy(table, ds))
        ? [
            asTable(
              { ...table, conds: [...table.conds, mod.cond] },
              countedCost(table) + farCost(grammar, table, mod.cond) + sharedCost(table),
            ),
          ]
        : [];
    case "during":
      return within(grammar, table, mod.win);
    case "weekdays": {
      const date = grammar.dateOf(table);
      return date === undefined
        ? []
        : [asTable({ ...table, conds: [...table.conds, onWeekdays(date, mod.days)] }, 0)];
    }
    case "unit": {
      const [num] = table.cols;
      return num?.k === "agg" && isSameField(num.of, mod.key) ? [asTable(table, 0)] : [];
    }
    case "all": {
      const cond = grammar.everywhereOf(table, mod);
      return cond === undefined ? [] : [asTable({ ...table, conds: [...table.conds, cond] }, 0)];
    }
    default:
      return [];
  }
}

export function ofEntities(
  grammar: Grammar,
  table: TableSense,
  rel: RelSense,
  cost: number,
  not = false,
): Combined[] {
  if (!grammar.reachedBy(table, rel.ds)) {
    const isNamed = (num: Num) => num.k === "metric" && grammar.isCalled(num.name, rel.ds);
    // "how satisfied are our customers": that it is theirs is in the name of the number.
    return rel.rel.k === "all" && !not && table.cols.some(isNamed) ? [asTable(table, cost + 0.3)] : [];
  }
  const done = not ? undefined : saidByNumber(grammar, table, rel.rel);
  if (done !== undefined) return ofEntities(grammar, done.table, { ...rel, rel: done.rel }, cost);
  if (rel.rel.k === "all") {
    if (not) return [];
    // "store revenue": of what belongs to some store.
    const some: Cond = { k: "link", at: rel.ds, path: [], to: rel.rel };
    const conds = grammar.isOptional(table, rel.ds) ? [...table.conds, some] : table.conds;
    return [asTable({ ...table, conds }, cost + 0.3)];
  }
  const cond: Cond = condOf(rel);
  const all = [...table.conds, not ? opposite(cond) : cond];
  return [asTable({ ...table, conds: all }, cost + countedCost(table))];
}

/** "units of products sold in March": that they were sold is in the number, and in March it was. */
function saidByNumber(
  grammar: Grammar,
  table: TableSense,
  rel: Rel,
): { table: TableSense; rel: Rel } | undefined {
  if (rel.k !== "where") return undefined;
  const [num] = table.cols;
  const { if: cond, in: rest } = rel;
  if (num?.k === "metric" && cond.k === "link" && cond.count === undefined && cond.path.length > 0) {
    const then = cond.to.k === "where" && cond.to.if.k === "during" ? cond.to.if.win : null;
    const deed = then !== null && cond.to.k === "where" ? cond.to.in : cond.to;
    const isThen = then === null || table.win === null;
    if (isThen && grammar.isMadeOf(num.name, deed))
      return { table: { ...table, win: table.win ?? then }, rel: rest };
  }
  const inner = saidByNumber(grammar, table, rest);
  return inner && { ...inner, rel: { ...rel, in: inner.rel } };
}

/** Of what a share is taken is said before: "share of the customers that is German". */
function sharedCost({ cols: [num] }: TableSense): number {
  return num?.k === "calc" && num.op === "/" ? 0.5 : 0;
}

/** What is said of counted entities belongs to them, before they are counted. */
function countedCost({ cols: [num] }: TableSense): number {
  return num?.k === "agg" && num.in !== undefined && num.of === undefined ? 0.4 : 0;
}

/** Of two fields of one name the nearer one is meant, by the author's rule for places too. */
export function farCost(grammar: Grammar, table: TableSense, cond: Cond): number {
  if (cond.k === "not") return farCost(grammar, table, cond.of);
  if (cond.k === "or") return Math.max(...cond.of.map((each) => farCost(grammar, table, each)));
  return cond.k === "is" && grammar.isFarther(table, cond.key) ? FAR_COST : 0;
}

/** Two different values of one field at once are nobody's. */
function contradicts(conds: readonly Cond[], cond: Cond): boolean {
  if (cond.k !== "is" || cond.match !== "equal") return false;
  return conds.some((each) => each.k === "is" && each.match === "equal" && isEqual(each.key, cond.key));
}

export function grouped(grammar: Grammar, table: TableSense, keys: Key[]): Combined[] {
  // Groups that were chosen by their numbers cannot be parted any more.
  if (keys.length === 0 || table.having !== null) return [];
  const over = averageOver(grammar, table, keys);
  if (over !== undefined) return [asTable(over, 0)];
  if (!keys.every((key) => grammar.reachedBy(table, key.ds))) {
    const done = countedByDeeds(grammar, table, keys);
    return done === undefined ? [] : grouped(grammar, done, keys).map((each) => more(each, 0.4));
  }
  const far = keys.some((key) => grammar.isFarther(table, key)) ? FAR_COST : 0;
  // Moments tell nothing apart; days and months do.
  const isMoment = (key: Key) =>
    key.bucket === undefined && key.part === undefined && (grammar.isDate(key) || grammar.isNumber(key));
  const moments = keys.some(isMoment) ? 1.5 : 0;
  return groupedBy(table, keys).map((each) => more(each, far + moments));
}

/** "average population by state": each state has one, so it is the average over the states. */
function averageOver(grammar: Grammar, table: TableSense, [key, ...others]: Key[]): TableSense | undefined {
  const [num] = table.cols;
  const isAverage = num?.k === "agg" && (num.fn === "avg" || num.fn === "median") && num.of?.ds === key?.ds;
  if (!isAverage || key === undefined || others.length > 0 || grammar.nameKey(key.ds)?.field !== key.field)
    return undefined;
  return { ...table, cols: [{ k: "each", fn: num.fn, of: { ...num, fn: "max" }, per: [key] }] };
}

/** Of two fields of one name, the nearer one is meant. */
export const FAR_COST = 0.4;

function groupedBy(table: TableSense, keys: Key[]): Combined[] {
  if (table.top === null) return [asTable({ ...table, by: [...table.by, ...keys] }, 0)];
  // The first ones of each.
  const top = { ...table.top, per: keys };
  return table.top.per === undefined ? [asTable({ ...table, by: [...keys, ...table.by], top }, 0)] : [];
}

export function divided(
  grammar: Grammar,
  table: TableSense,
  keys: Key[],
  by: By | null,
  isPer = false,
): Combined[] {
  if (by?.k === "num") {
    // "by revenue" is an order, and divides nothing.
    if (!isPer && by.table !== null) return [];
    const win = by.table?.win ?? null;
    if (win !== null && table.win !== null) return [];
    return isRatio(grammar, table, by.num) ? ratio(grammar, { ...table, win: table.win ?? win }, by.num) : [];
  }
  const [key] = keys;
  const isMeasure = isPer && keys.length === 1 && key !== undefined && grammar.isNumber(key);
  // "revenue per list price": nobody has so many list prices, and nobody tells them apart.
  if (isMeasure && !isShared(grammar, key) && !grammar.isLabel(key)) return [];
  const perUnit = isMeasure && isShared(grammar, key) ? ratio(grammar, table, { k: "field", key }) : [];
  return [...perUnit, ...grouped(grammar, table, keys).map((each) => more(each, perUnit.length > 0 ? 1 : 0))];
}

export function periods(grammar: Grammar, whole: TableSense, grain: Grain, isFiscal: boolean): Combined[] {
  const table = countedWhenDone(grammar, whole) ?? whole;
  const date = grammar.dateOf(table);
  // Of two periods beside each other none is a month of both.
  const isBeside = table.cols.length > 1 && table.cols.some((num) => "scope" in num && num.scope?.win);
  if (date === undefined || isBeside || table.by.some(({ bucket }) => bucket !== undefined)) return [];
  const key: Key = { ...date, bucket: grain, fiscal: isFiscal || undefined };
  return table.top === null ? [asTable({ ...table, by: [key, ...table.by] }, 0)] : groupedBy(table, [key]);
}

export function inPeriods(grammar: Grammar, tables: Combined[], { grain, part }: BySense): Combined[] {
  if (grain === undefined && part === undefined) return tables;
  return ofTables(tables, (table) => {
    if (grain !== undefined) return periods(grammar, table, grain, false);
    return part === undefined ? [] : inParts(grammar, table, part);
  });
}

type BySense = Extract<Sense, { t: "by" }>;

/** Days of the week or hours of the day, of the date that a number goes by. */
export function inParts(grammar: Grammar, table: TableSense, part: DatePart): Combined[] {
  const own = grammar.dateOf(table);
  const date = own !== undefined && part === "hour" ? grammar.momentOf(own) : own;
  if (date === undefined) return [];
  return [asTable({ ...table, by: [{ ...date, part }, ...table.by] }, 0)];
}

/** "each flagship store": numbers of these alone. */
export function ofSome(grammar: Grammar, whole: TableSense, { some, isShare }: BySense): TableSense {
  const table = isShare === true ? shareOfWhole(whole) : whole;
  if (some === undefined) return table;
  const done = saidByNumber(grammar, table, some.rel) ?? { table, rel: some.rel };
  if (done.rel.k === "all") return done.table;
  return { ...done.table, conds: [...table.conds, condOf({ rel: done.rel, ds: some.ds })] };
}

/** Remembers which groups were said with "per" or "each". */
export function per(grammar: Grammar, before: TableSense, by: BySense, tables: Combined[]): Combined[] {
  if (by.isPer !== true) return perOneOfEach(grammar, before, by, tables);
  return tables.map((each) => {
    if (each.sense.t !== "table" || each.sense.table.top !== null) return each;
    const { table } = each.sense;
    const fresh = table.by.filter((key) => !before.by.some((known) => isEqual(known, key)));
    return fresh.length === 0 ? each : asTable({ ...table, per: fresh }, each.cost);
  });
}

/** "revenue per customer by segment": each has one segment, so it is that of a customer, by segment. */
function perOneOfEach(
  grammar: Grammar,
  { per: [said, ...others] = [] }: TableSense,
  { keys }: BySense,
  tables: Combined[],
): Combined[] {
  const isTheirs = (key: Key) => key.ds === said?.ds && !isEqual(key, said) && !grammar.isDate(key);
  const isOne = said !== undefined && others.length === 0 && said.bucket === undefined;
  if (!isOne || keys.length === 0 || !keys.every(isTheirs)) return tables;
  return [
    ...ofTables(tables, (table) => averaged(grammar, table, "avg")),
    ...tables.map((each) => more(each, 1)),
  ];
}

/** Average monthly revenue: of the revenue of each month. Average orders per customer: of those of each. */
export function averaged(grammar: Grammar, table: TableSense, fn: "avg" | "median"): Combined[] {
  const { per: said, ...plain } = table;
  const [first] = table.by;
  const over = said ?? (first?.bucket === undefined ? [] : [first]);
  const [num] = table.cols;
  // An average or a ratio is one already.
  const isRatio = num?.k === "calc" && num.op === "/";
  const isAverage = isRatio || (num?.k === "metric" && grammar.isAverage(num.name));
  if (isAverage && fn === "avg") return [asTable(table, isRatio ? 0.7 : 0)];
  // "median response time": of the times, and not of their averages.
  const of = num?.k === "metric" ? grammar.averagedIn(num.name) : undefined;
  if (of !== undefined && table.cols.length === 1 && table.top === null && table.having === null)
    return [asTable({ ...table, cols: [{ k: "agg", fn, of, in: { k: "all", ds: of.ds } }] }, 0.2)];
  if (over.length === 0) return [];
  if (table.top !== null || table.having !== null) return [];
  const each = table.cols.map((of): Num => ({ k: "each", fn, of, per: over }));
  const by = table.by.filter((key) => !over.some((other) => isEqual(other, key)));
  return [asTable({ ...plain, cols: each, by }, said === undefined ? 0.3 : 0)];
}

/** A number that was limited already is the part; otherwise the part is still to come. */
export function shared(table: TableSense): Combined[] {
  // That it belongs to some store is no part of anything that says which.
  const conds = table.conds.toSorted((a, b) => Number(isAny(b)) - Number(isAny(a)));
  const last = conds.at(-1);
  const waiting: Combined = { sense: { t: "share", table, rel: null, ds: null }, cost: 0 };
  if (last === undefined && table.by.length > 0 && table.top === null)
    return [asTable(shareOfWhole(table), 0.1)];
  if (last === undefined) return [waiting];
  const whole = { ...table, conds: conds.slice(0, -1) };
  const share = (num: Num): Num => ({ k: "calc", op: "/", a: scoped(num, { if: last }), b: num });
  return [waiting, column(whole, share, isAny(last) ? 0.4 : 0)];
}

export function isAny(cond: Cond): boolean {
  return cond.k === "link" && cond.path.length === 0 && cond.to.k === "all";
}

/** Averages are divided by nothing, and what is no part of something has no number for each of it. */
function isRatio(grammar: Grammar, { cols: [num] }: TableSense, per: Num): boolean {
  // Of an average there are not so and so many.
  if (per.k === "metric" ? grammar.isAverage(per.name) : per.k === "agg" && per.fn === "avg") return false;
  if (num?.k === "metric") return !grammar.isAverage(num.name) && !isLeftOut(grammar, num.name, per);
  if (num?.k !== "agg") return true;
  if (num.fn === "avg" || num.fn === "median") return false;
  const ds = num.in === undefined ? undefined : grammar.datasetOf(num.in);
  if (ds === undefined || grammar.isEvent(ds)) return true;
  const of = per.k === "agg" && per.in !== undefined ? grammar.datasetOf(per.in) : undefined;
  return of !== undefined && grammar.reachedBy(tableOf(num), of);
}

/** "revenue per cancelled order": of these it has none. */
function isLeftOut(grammar: Grammar, name: string, per: Num): boolean {
  const rows = per.k === "agg" ? per.in : undefined;
  if (rows === undefined) return false;
  return grammar.leavesOut(name, { k: "link", at: grammar.datasetOf(rows), path: [], to: rows });
}

function ratio(grammar: Grammar, table: TableSense, per: Num): Combined[] {
  if (table.top !== null || table.having !== null) return [];
  return [column(table, (num) => ({ k: "calc", op: "/", a: num, b: ofSameRows(grammar, num, per) }), 0.1)];
}

/** "revenue per order": money of completed orders is divided by these, where nothing else is said of them. */
export function ofSameRows(grammar: Grammar, num: Num, per: Num): Num {
  if (num.k !== "metric") return per;
  const said = grammar.columnsOf(per);
  const conds = grammar
    .rowsOf(num.name)
    .filter(({ key }) => grammar.reachedBy(tableOf(per), key.ds) && !said.includes(`${key.ds}.${key.field}`));
  const all = allOf(conds);
  return all === undefined || (per.k !== "metric" && per.k !== "agg") ? per : scoped(per, { if: all });
}

/** "win rate": of all that could have been counted, those that were. */
export function rated(grammar: Grammar, table: TableSense): Combined[] {
  const [num, ...others] = table.cols;
  const ds = num?.k === "metric" && others.length === 0 ? grammar.countedAmong(num.name) : undefined;
  return ds === undefined ? [] : ratio(grammar, table, count({ k: "all", ds }));
}

/** A number beside another; the average is that of all groups. */
export function compareWith(a: Num, { op, value, upTo }: Quantity, per: Key[]): Cond {
  const b: Num =
    value === "average"
      ? { k: "each", fn: "avg", of: a, per, scope: { whole: true } }
      : { k: "lit", v: value };
  const lower: Cond = { k: "cmp", a, op, b };
  if (upTo === undefined) return lower;
  return { k: "and", of: [lower, { k: "cmp", a, op: "<=", b: { k: "lit", v: upTo } }] };
}

export function scoped(num: Num, scope: Scope): Num {
  if (num.k === "metric" || num.k === "agg" || num.k === "each")
    return { ...num, scope: { ...num.scope, ...scope } };
  if (num.k === "calc") return { ...num, a: scoped(num.a, scope), b: scoped(num.b, scope) };
  return num;
}

/** The rows that the numbers of a table are made of. */
export function scopeOf({ conds, win }: Pick<TableSense, "conds" | "win">): Scope {
  const all = allOf(conds);
  return { ...(all !== undefined && { if: all }), ...(win !== null && { win }) };
}

/** The same as entities, so that they can be counted. */
export function chosenEntities(
  grammar: Grammar,
  rel: RelSense,
  { table, ...quantity }: Extract<Sense, { t: "having" }>,
): Combined[] {
  const [num] = table.cols;
  const { conds } = table;
  if (num === undefined || (conds.length > 0 && num.k !== "metric")) return [];
  const scope = scopeOf({ conds, win: table.win });
  const counted = num.k === "agg" && num.in !== undefined ? num.in : undefined;
  const way = counted === undefined ? undefined : grammar.path(rel.ds, grammar.datasetOf(counted), null);
  if (counted !== undefined && way === undefined) return [];
  // Of what each has one of, nobody has several.
  const isMany = quantity.op.startsWith(">") && quantity.value !== 0;
  if (way?.path.every(({ dir }) => dir === "one") && grammar.schema.datasets.get(rel.ds)?.isKeyed && isMany)
    return [];
  if (num.k === "agg" && num.fn === "distinct" && num.of !== undefined && grammar.belongs(rel.ds, num.of))
    return [];
  const a: Num = way === undefined ? scoped(num, scope) : ({ ...num, path: way.path, scope } as Num);
  const key = grammar.nameKey(rel.ds);
  if (quantity.value === "average" && (key === undefined || counted !== undefined)) return [];
  const made: Rel = { k: "where", in: rel.rel, if: compareWith(a, quantity, key === undefined ? [] : [key]) };
  return means(entities(made, rel.ds), 0.6);
}

export function shareOfWhole(table: TableSense): TableSense {
  return {
    ...table,
    cols: table.cols.map((num) => ({ k: "calc", op: "/", a: num, b: scoped(num, { whole: true }) })),
  };
}
