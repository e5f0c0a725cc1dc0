import { isEqual } from "../../query/parts.ts";
import type { Aggregate, Grain, Num } from "../../query/semantic-query.ts";
import { DIMENSIONS } from "../languages/english/english.ts";
import {
  besideEachOther,
  compareEarlier,
  differing,
  growing,
  moreThan,
  overSeries,
} from "../senses/comparison-senses.ts";
import type { TableSense } from "../senses/fragment.ts";
import {
  count,
  EMPTY_TABLE,
  means,
  periodsIn,
  type RelSense,
  saysWhatTheyDid,
  someOf,
  tableOf,
} from "../senses/make.ts";
import {
  asTable,
  averaged,
  column,
  divided,
  grouped,
  inPeriods,
  limited,
  more,
  ofEntities,
  ofSameRows,
  ofSome,
  ofTables,
  per,
  periods,
  rated,
  scoped,
  scopeOf,
  shared,
  within,
} from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import { ofEach } from "./comparison-rules.ts";
import type { Grammar, Rules } from "./grammar.ts";

function isPer(op: string, arg: string | undefined): { isPer?: true } {
  return op === "each" || arg === "per" ? { isPer: true } : {};
}

/** "how high was the rate" is said of any number; how far something is, of a distance alone. */
function measures({ cols: [num, ...others] }: TableSense, dim: string): boolean {
  if (num === undefined || others.length > 0) return false;
  if (dim === "high" || dim === "big") return true;
  const name = num.k === "metric" ? num.name : num.k === "agg" ? (num.of?.field ?? "") : "";
  const words = [...(DIMENSIONS.get(dim) ?? []), ...(dim === "long" || dim === "fast" ? TIMES : [])];
  return name.split("_").some((part) => words.some((word) => part.toLowerCase().startsWith(word)));
}

const TIMES = ["time", "hour", "day", "minut", "second", "week", "month", "zeit", "stund", "tag"];

/** "how many" wants a number of things and not of money; "how much" rather not. */
function askedCost(grammar: Grammar, op: "count" | "how much", table: TableSense): number | undefined {
  const [num] = table.cols;
  if (op === "count" && isMoney(table)) return undefined;
  const isCounting = num?.k === "metric" ? grammar.isCounting(num.name) : undefined;
  if (isCounting === undefined) return 0;
  if (op === "count") return isCounting ? 0 : undefined;
  return isCounting ? 0.4 : 0;
}

/** Money is counted by nobody: of how many sales there were, their sum is no answer. */
function isMoney({ cols: [num] }: TableSense): boolean {
  return num?.k === "metric" && /(^|_)(revenue|sales|turnover|profit|spend)$/.test(num.name);
}

/** What was lost or gained is no growth: only whether there was any, and of whom most. */
function isLoss(arg: string | undefined): boolean {
  return arg?.endsWith("abs") === true;
}

/** "whose margin fell": those of which it did. */
function growingBy(table: TableSense, arg: string | undefined): Combined[] {
  const op = arg?.[0];
  if (op !== "<" && op !== ">") return [];
  return ofTables(growing(table), (each) =>
    each.by.length === 0 ? means({ t: "having", table: each, op, value: 0 }, 0.4) : [],
  );
}

/** "included children": of rows that say how many, those that have some. */
function withSome(grammar: Grammar, table: TableSense): Combined[] {
  const [num, ...others] = table.cols;
  const key = num?.k === "metric" && others.length === 0 ? grammar.tallyOf(num.name) : undefined;
  if (key === undefined || !isEqual({ ...table, cols: [] }, EMPTY_TABLE)) return [];
  return means({ t: "cond", ds: key.ds, cond: someOf(key) }, 0.2);
}

/** "how many months had more than 500k": of the groups, those that were chosen. */
function countedGroups({ cols: [of], by, having, ...table }: TableSense): Combined[] {
  const [key, ...others] = by;
  if (of === undefined || key === undefined || others.length > 0 || having === null) return [];
  // Entities are counted themselves.
  if (key.bucket === undefined && /(^|_)(id|name)$/.test(key.field)) return [];
  return [
    asTable({ ...table, by: [], cols: [{ k: "each", fn: "count", of, per: by, having }], having: null }, 0.1),
  ];
}

/** A name beside a number is as good as any other value. */
function besideCost({ form }: RelSense): number {
  return form === "name" ? 0.3 : 0.5;
}

/** Rules for numbers: by what they are grouped, limited and compared. */
export const TABLE_RULES: Rules = {
  "table window": (grammar, { table }, { win }) => within(grammar, table, win),
  "window table": (grammar, { win }, { table }) => within(grammar, table, win),
  "table mod": (grammar, { table }, { mod }) => limited(grammar, table, mod),
  "mod table": (grammar, { mod }, { table }) => limited(grammar, table, mod).map((each) => more(each, 0.2)),
  "table cond": (grammar, { table }, { ds, cond }) =>
    limited(grammar, table, { m: "is", ds, cond }).map((each) => more(each, 0.1)),
  "cond table": (grammar, { ds, cond }, { table }) =>
    limited(grammar, table, { m: "is", ds, cond }).map((each) => more(each, 0.1)),
  "table rel": (grammar, { table }, rel) => {
    const [num] = table.cols;
    // "units of discontinued products sold": that they were sold is in the number.
    if (rel.verb !== undefined && num?.k === "metric" && grammar.isMadeOf(num.name, rel.rel))
      return [asTable(table, 0)];
    // "most populous city" is the city.
    const isExtreme = num?.k === "agg" && (num.fn === "max" || num.fn === "min");
    return isExtreme && rel.rel.k === "all" ? [] : ofEntities(grammar, table, rel, besideCost(rel));
  },
  "rel table": (grammar, rel, { table }) => ofEntities(grammar, table, rel, besideCost(rel)),
  "table by": (grammar, { table: all }, by) => {
    const table = ofSome(grammar, all, by);
    return per(
      grammar,
      table,
      by,
      inPeriods(
        grammar,
        by.keys.length === 0 && by.by === null
          ? [asTable(table, 0)]
          : divided(grammar, table, by.keys, by.by, by.isPer === true),
        by,
      ),
    );
  },
  "by table": (grammar, by, { table: every }) => {
    if (by.by?.k === "num") return [];
    const table = ofSome(grammar, every, by);
    const all = by.keys.length === 0 ? [asTable(table, 0)] : grouped(grammar, table, by.keys);
    return per(grammar, table, by, inPeriods(grammar, all, by)).map((each) => more(each, 0.1));
  },
  "table grain": (grammar, { table }, { grain, isFiscal }) => periods(grammar, table, grain, isFiscal),
  "grain table": (grammar, { grain, isFiscal }, { table }) => periods(grammar, table, grain, isFiscal),
  // "weekly orders": how many there were in each week.
  "grain rel": (grammar, { grain, isFiscal, isBare, isEvery }, rel) => {
    const isNoun = rel.form === "noun" && !rel.isTopped && rel.verb === undefined && grammar.isEvent(rel.ds);
    if (!isNoun || isBare === true || isEvery === true) return [];
    return periods(grammar, tableOf(count(rel.rel)), grain, isFiscal).map((each) => more(each, 0.3));
  },
  "op table": (grammar, { op, arg }, { table }) => {
    if (op === "count" && table.top !== null) return [];
    if (op === "count" && table.having !== null) return countedGroups(table);
    if (op === "prep") return [asTable(table, 0.3)];
    if (op === "how") return measures(table, arg ?? "") ? [asTable(table, 0.2)] : [];
    if (op === "count" || op === "how much") {
      const cost = askedCost(grammar, op, table);
      return cost === undefined ? [] : [asTable(table, cost)];
    }
    if (op === "agg" && arg === "sum") return means({ t: "table", table }, 0.1);
    const some = op === "has" && arg !== "their" ? withSome(grammar, table) : [];
    if (some.length > 0) return some;
    // "stores with their revenue": by it, as "stores by revenue".
    if (op === "by" || (op === "has" && arg !== "any")) {
      const [num] = table.cols;
      return num === undefined || table.by.length > 0
        ? []
        : means(
            { t: "by", keys: [], by: { k: "num", num, table }, ...isPer(op, arg) },
            num.k === "agg" ? 1 : op === "has" && arg !== "their" ? 0.5 : 0,
          );
    }
    if (op === "agg" && (arg === "avg" || arg === "median")) return averaged(grammar, table, arg);
    if (op === "difference") return differing(table);
    if (op === "compare them") return besideEachOther(grammar, table);
    if (op === "share" && table.conds.length > 0) return shared(table).map((each) => more(each, 0.2));
    if (op === "share") return means({ t: "share", table, rel: null, ds: null });
    if (op === "growth") return [...(isLoss(arg) ? [] : growing(table)), ...growingBy(table, arg)];
    if (op === "running") return running(grammar, table);
    if (op === "series") return overSeries(grammar, table, arg as Grain);
    if (op === "versus period") return compareEarlier(table, arg as Grain);
    if (op === "more")
      return [
        ...besideEachOther(grammar, table).map((each) => more(each, 0.1)),
        { sense: { t: "outdo", table, op: arg === "<" ? "<" : ">" }, cost: 0 },
      ];
    return [];
  },
  "table op": (grammar, { table }, { op, arg }) => {
    if (op === "and" || op === "comma") return means({ t: "tableand", table, op: "beside" });
    if (op === "versus") return means({ t: "tableand", table, op: "beside" }, 0.1);
    if (op === "compare them") return besideEachOther(grammar, table);
    if (op === "ratio") return means({ t: "tableand", table, op: "/" });
    if (op === "less") return means({ t: "tableand", table, op: "-" });
    if (op === "more") return means({ t: "outdo", table, op: arg === "<" ? "<" : ">" });
    if (op === "count" || op === "how much") return [asTable(table, 0.2)];
    if (op === "growth") return [...(isLoss(arg) ? [] : growing(table)), ...growingBy(table, arg)];
    if (op === "rate") return rated(grammar, table);
    if (op === "share") return shared(table);
    if (op === "versus period") return compareEarlier(table, arg as Grain);
    if (op === "series") return overSeries(grammar, table, arg as Grain);
    if (op === "running") return running(grammar, table);
    if (op === "agg" && arg === "sum") return means({ t: "table", table }, 0.1);
    if (op === "agg" && (arg === "avg" || arg === "median")) return averaged(grammar, table, arg);
    return [];
  },
  "op rel": (grammar, { op, arg }, rel) => {
    if (op === "share") return shareOf(rel);
    if (op === "more") return [asTable(tableOf(count(rel.rel)), 0.3)];
    if (op === "across" && rel.form === "noun") {
      const key = grammar.nameKey(rel.ds);
      return key === undefined || rel.rel.k !== "all" ? [] : means({ t: "by", keys: [key], by: null }, 0.2);
    }
    return op === "by" || op === "each" ? byEntities(grammar, { op, arg }, rel) : [];
  },
  "op field": (_grammar, { op, arg }, { key }) =>
    op === "by" || op === "each" || op === "across"
      ? means({ t: "by", keys: [key], by: null, ...isPer(op, arg) })
      : [],
  // "support tickets per segment": how many.
  "rel by": (grammar, rel, by) => {
    const { keys } = by;
    const name = grammar.nameKey(rel.ds);
    // "returns per 100 orders"
    if (by.by?.k === "num" && by.by.table === null && rel.form !== "name" && rel.verb === undefined)
      return divided(grammar, tableOf(count(rel.rel)), [], by.by);
    // "stores by revenue": with it, the largest first.
    if (by.by?.k === "num" && rel.form !== "name" && !rel.isTopped && rel.verb === undefined) {
      const numbers = by.by.table ?? tableOf(by.by.num);
      const own = rel.rel.k === "all" ? numbers : ofSome(grammar, numbers, { ...by, some: rel });
      return name === undefined ? [] : grouped(grammar, own, [name]).map((each) => more(each, 0.6));
    }
    const table = ofSome(grammar, tableOf(count(rel.rel)), by);
    if (by.by !== null || rel.isTopped || rel.verb !== undefined) return [];
    const all = keys.length === 0 ? [asTable(table, 0)] : grouped(grammar, table, keys);
    return per(grammar, table, by, inPeriods(grammar, all, by)).map((each) =>
      more(each, keys[0]?.ds === rel.ds ? 0.5 : 0.3),
    );
  },
  "by by": (grammar, left, right) => {
    // A number is what something is divided by.
    const isPlain = ![...left.keys, ...right.keys].some((key) => grammar.isNumber(key));
    if (left.by !== null || right.by !== null || !isPlain) return [];
    if (left.some !== undefined && right.some !== undefined) return [];
    // What is said with "per" may be meant on average, and stays apart.
    if (left.isPer !== right.isPer) return [];
    const some = left.some ?? right.some;
    return means({ t: "by", keys: [...left.keys, ...right.keys], by: null, some });
  },
  // "in each segment"
  "op by": (_grammar, { op }, by) => {
    if (op === "share" && by.by === null) return means({ ...by, isShare: true });
    return op === "prep" ? means(by) : [];
  },
  // "by country of the customer": whose it is.
  "by mod": (grammar, by, { mod }) => {
    if (mod.m !== "to" || mod.not || mod.form !== "noun" || by.by !== null) return [];
    const keys = by.keys.map((key) => grammar.sameOf(key, mod.ds) ?? grammar.throughOf(key, mod.ds));
    return keys.some((key) => key !== undefined)
      ? means({ ...by, keys: keys.map((key, i) => key ?? (by.keys[i] as (typeof by.keys)[number])) }, -0.3)
      : [];
  },
  // "in every quarter of 2025"
  "grain window": (_grammar, { grain, isEvery }, { win }) => {
    const n = isEvery === true ? periodsIn(win, grain) : undefined;
    return n === undefined ? [] : means({ t: "mod", mod: { m: "every", grain, n, win } });
  },
  "by op": (_grammar, by, { op }) => (op === "and" || op === "comma" ? means({ ...by, isOpen: true }) : []),
  "by field": (_grammar, by, { key }) =>
    by.by === null ? means({ ...by, keys: [...by.keys, key] }, by.isOpen ? 0.1 : 1.2) : [],
  "by rel": (grammar, by, rel) => {
    const key = grammar.nameKey(rel.ds);
    return by.by === null && rel.form === "noun" && key !== undefined
      ? means({ ...by, keys: [...by.keys, key] }, by.isOpen ? 0.1 : 1.2)
      : [];
  },
  // "median order value": of each order.
  "op worth": (grammar, { op, arg }, { metric, ds }) => {
    const key = grammar.nameKey(ds);
    if (op !== "agg" || arg === "sum" || key === undefined) return [];
    const of = { k: "metric" as const, name: metric };
    // The average is mostly a metric itself.
    const cost = arg === "avg" ? 0.5 : 0;
    return [asTable(tableOf({ k: "each", fn: arg as Aggregate, of, per: [key] }), cost)];
  },
  "table than": (grammar, { table }, than) => moreThan(grammar, table, than),
  // "by region and month"
  "op grain": (_grammar, { op, arg }, { grain }) =>
    op === "by" || op === "each" ? means({ t: "by", keys: [], by: null, grain, ...isPer(op, arg) }) : [],
  "by grain": (_grammar, by, { grain }) =>
    by.by === null && by.grain === undefined ? means({ ...by, grain }) : [],
  "tableand table": (grammar, left, { table }) => {
    const isPlain = [left.table, table].every(({ top, having }) => top === null && having === null);
    if (!isPlain || left.table.by.length > 0) return [];
    if (left.op === "beside" && isEqual(left.table.cols, table.cols)) return ofEach(left.table, table);
    const [a, b] = [left.table.cols[0], table.cols[0]];
    // "revenue of German stores and revenue from German customers": each with its own.
    if (left.table.conds.length > 0 && left.op === "beside" && table.by.length === 0 && a && b) {
      const isOneWin = left.table.win === null || table.win === null;
      const own = ({ conds, win }: TableSense, num: Num): Num =>
        scoped(num, scopeOf({ conds, win: isOneWin ? null : win }));
      const cols = [own(left.table, a), own(table, b)];
      return [asTable({ ...EMPTY_TABLE, cols, win: isOneWin ? (table.win ?? left.table.win) : null }, 0.3)];
    }
    if (left.table.conds.length > 0) return [];
    const win = table.win ?? left.table.win;
    if (left.op !== "beside") {
      // Money and numbers of things have no difference.
      if (a === undefined || b === undefined || (left.op === "-" && a.k !== b.k)) return [];
      const by = left.op === "/" ? ofSameRows(grammar, a, b) : b;
      return [asTable({ ...table, cols: [{ k: "calc", op: left.op, a, b: by }], win }, 0)];
    }
    return [asTable({ ...table, cols: [...left.table.cols, ...table.cols], win }, 0)];
  },
};

/** "cumulative revenue this year": month after month, where no other periods are named. */
function running(grammar: Grammar, table: TableSense): Combined[] {
  const summed = (each: TableSense, cost: number) => column(each, (of) => ({ k: "running", of }), cost);
  const monthly = ofTables(periods(grammar, table, "month", false), (each) => [summed(each, 0.1)]);
  return [summed(table, monthly.length > 0 ? 0.4 : 0), ...monthly];
}

/** "percentage of German customers" */
function shareOf({ rel, ds, form }: RelSense): Combined[] {
  const part = count(rel);
  const table = tableOf(part);
  const share = means({ t: "share", table, rel, ds });
  if (rel.k !== "where" || form !== "made") return share;
  return [...share, column(table, () => ({ k: "calc", op: "/", a: part, b: count(rel.in) }), 0.3)];
}

/** "by customer", "per order", "for each store": told apart by entities, of those, or divided by their number. */
function byEntities(
  grammar: Grammar,
  { op, arg }: { op: string; arg: string | undefined },
  rel: RelSense,
): Combined[] {
  const num = count(rel.rel);
  // "returns per 100 orders"
  if (rel.n !== undefined) {
    const hundreds: Num = { k: "calc", op: "/", a: num, b: { k: "lit", v: rel.n } };
    return arg === "per"
      ? means({ t: "by", keys: [], by: { k: "num", num: hundreds, table: null } }, -0.4)
      : [];
  }
  // "opened by customers who bought …" says whose they are, and not by what they are told apart.
  const isDoer = rel.isMany === true && rel.form === "made" && grammar.isPeople(rel.ds);
  const isClause = op === "by" && arg !== "per" && (isDoer || saysWhatTheyDid(rel.rel));
  const mod = { m: "to" as const, rel: rel.rel, ds: rel.ds, form: rel.form, paths: null, not: false };
  const to = op === "by" && rel.form !== "noun" ? means({ t: "mod", mod }, isClause ? 0.3 : 0.9) : [];
  if (rel.isTopped || rel.verb !== undefined || rel.form === "name") return to;
  // Numbers of each order are seldom wanted; more often they are divided by their number.
  const isRatio = arg === "per" && grammar.isEvent(rel.ds);
  const ratio = isRatio ? means({ t: "by", keys: [], by: { k: "num", num, table: null } }, 0.2) : [];
  const key = grammar.nameKey(rel.ds);
  // Rows that have no name are something to be counted: "top owners by donations".
  const isRows = key === undefined && op === "by" && arg !== "per" && rel.isMany === true;
  const rows = isRows ? means({ t: "by", keys: [], by: null, some: { rel: rel.rel, ds: rel.ds } }, 0.3) : [];
  if (key === undefined) return [...to, ...ratio, ...rows];
  const cost = isClause ? 1.5 : isRatio ? 0.9 : op === "by" && grammar.isEvent(rel.ds) ? 0.4 : 0;
  const some = rel.rel.k === "all" ? {} : { some: { rel: rel.rel, ds: rel.ds } };
  return [...to, ...ratio, ...means({ t: "by", keys: [key], by: null, ...isPer(op, arg), ...some }, cost)];
}
