import { isEqual, isSameField } from "../../query/parts.ts";
import type { Comparison, Cond, Key, Num, Rel, Scope } from "../../query/semantic-query.ts";
import { isOfTime } from "../languages/language.ts";
import { condOf } from "../senses/conditions.ts";
import type { Group, Mod, Place, Quantity, Sense, TableSense } from "../senses/fragment.ts";
import { count, entities, means, placed, type RelSense, tableOf } from "../senses/make.ts";
import {
  asTable,
  compareWith,
  FAR_COST,
  grouped,
  inParts,
  limited,
  more,
  ofEntities,
  ofTables,
  periods,
  scoped,
  within,
} from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import { shareOf } from "./comparison-rules.ts";
import type { Grammar, Rules } from "./grammar.ts";
import { ofPieces } from "./having-rules.ts";

const NO_GROUP: Group = { keys: [], grain: null, rel: null, ds: null, n: null, mods: [] };

/** Whether a word can choose among groups: which of them are first, or above a number. */
export function choosesGroups(sense: Sense): boolean {
  if (sense.t === "op") return sense.op === "more" || (sense.op === "growth" && sense.arg !== undefined);
  return sense.t === "sup" || sense.t === "quantity";
}

/** What a noun, a field or a period can tell numbers apart by. */
export function groupsOf(grammar: Grammar, sense: Sense): Combined[] {
  const asGroup = (group: Partial<Group>, cost: number): Combined[] =>
    means({ t: "group", group: { ...NO_GROUP, ...group } }, cost);
  if (sense.t === "grain") {
    return asGroup({ grain: sense.grain, isFiscal: sense.isFiscal || undefined }, 0);
  }
  if (sense.t === "field" && grammar.isLabel(sense.key)) return asGroup({ keys: [sense.key] }, 0);
  if (sense.t === "attr" && sense.keys.length === 1 && grammar.isLabel(sense.keys[0] as Key)) {
    return sense.rel.k === "all" ? [] : asGroup({ keys: sense.keys, rel: sense.rel, ds: sense.ds }, 0.2);
  }
  if (sense.t !== "rel" || sense.isTopped || sense.form === "name" || sense.verb !== undefined) return [];
  const key = grammar.nameKey(sense.ds);
  return key === undefined ? [] : asGroup({ keys: [key], rel: sense.rel, ds: sense.ds }, 0.1);
}

/** Numbers by groups, with what was said of the groups. */
function byGroup(grammar: Grammar, table: TableSense, group: Group): Combined[] {
  const { rel, ds, mods, grain } = group;
  const said = mods.reduce(
    (tables, mod) => ofTables(tables, (each) => limited(grammar, each, mod)),
    [asTable(table, 0)],
  );
  const some = rel === null || ds === null || rel.k === "all" ? [] : [condOf({ rel, ds })];
  return ofTables(said, (each) => {
    const own = { ...each, conds: [...each.conds, ...some] };
    if (group.part !== undefined) return inParts(grammar, own, group.part);
    return grain === null
      ? grouped(grammar, own, group.keys)
      : periods(grammar, own, grain, group.isFiscal === true);
  });
}

function nonEmpty(keys: Key[]): Key[] | undefined {
  return keys.length === 0 ? undefined : keys;
}

/** The first groups by a number. */
function firstGroups(
  grammar: Grammar,
  table: TableSense,
  group: Group,
  place: Place,
  per: Key[] = [],
): Combined[] {
  if (table.cols.length === 0 || table.top !== null || table.by.length > 0 || table.having !== null)
    return [];
  if (!per.every((key) => grammar.reachedBy(table, key.ds))) return [];
  const far = per.some((key) => grammar.isFarther(table, key)) ? FAR_COST : 0;
  const top = { ...placed({ ...place, n: place.n ?? group.n }), per: nonEmpty(per) };
  return ofTables(byGroup(grammar, table, group), (each) => [
    asTable({ ...each, by: [...per, ...each.by], top: { ...top, by: each.cols[0] as Num } }, far),
  ]);
}

function firstOf(
  grammar: Grammar,
  { group }: Extract<Sense, { t: "group" }>,
  { table, of, t: _, ...place }: Extract<Sense, { t: "firstby" }>,
): Combined[] {
  if (of === "people" && !grammar.isPeople(group.ds ?? "")) return [];
  if (typeof of === "object" && !group.keys.some((key) => grammar.countsPieces(of.pieces, key.ds))) return [];
  return firstGroups(grammar, table, group, place);
}

/** The groups whose number is above or below another, or the average of all. */
function chosenGroups(grammar: Grammar, table: TableSense, group: Group, quantity: Quantity): Combined[] {
  if (table.cols.length === 0 || table.having !== null || table.top !== null) return [];
  return ofTables(byGroup(grammar, table, group), (each) => [
    asTable({ ...each, having: compareWith(each.cols[0] as Num, quantity, each.by) }, 0),
  ]);
}

/** How many rows there are of what a field belongs to; of a period or an hour, of what everything belongs to. */
function rowsOf(grammar: Grammar, group: Group): TableSense | undefined {
  const ds = group.keys[0]?.ds ?? grammar.main;
  return ds === undefined ? undefined : tableOf(count({ k: "all", ds }));
}

/** "our ten biggest customers of that year by revenue": when they were the biggest. */
function ofTheirPeriod(group: Group, num: Num): { group: Group; num: Num } {
  const [mod] = group.mods;
  const isThen = group.mods.length === 1 && mod?.m === "during" && num.k === "metric" && !num.scope?.win;
  return isThen ? { group: { ...group, mods: [] }, num: scoped(num, { win: mod.win }) } : { group, num };
}

/** The same as entities, of which something can be said. */
function firstEntities(group: Group, by: Num | Key, place: Place, cost: number, per: Key[] = []): Combined[] {
  if (group.rel === null || group.ds === null || group.mods.length > 0) return [];
  const rel: Rel = {
    k: "top",
    in: group.rel,
    by,
    ...placed({ ...place, n: place.n ?? group.n }),
    per: nonEmpty(per),
  };
  return means(entities(rel, group.ds, "made", true), cost);
}

/** The first ones by the number that something is said of. */
function firstBy(
  { cols: [num] }: TableSense,
  { group, per, t: _, ...place }: Extract<Sense, { t: "topgroup" }>,
): Combined[] {
  if (num?.k !== "metric" || per.length > 0) return [];
  const then = ofTheirPeriod(group, num);
  return firstEntities(then.group, then.num, place, 0.2);
}

/** "top agents by resolved tickets": by how many rows there are of each, where groups are a column of these. */
function countedRows(
  grammar: Grammar,
  { rel, keys: [own] }: Group,
  [key, ...others]: readonly Key[],
  some: { rel: Rel; ds: string } | undefined,
): Rel | undefined {
  const ds = key?.ds ?? some?.ds;
  if (rel !== null || own === undefined || ds !== own.ds || others.length > 0) return undefined;
  const name = grammar.nameKey(ds);
  const isNumber = name !== undefined && grammar.schema.datasets.get(ds)?.key.includes(name.field);
  const isNamed = key === undefined || (isNumber && isSameField(name, key));
  return isNamed ? (some?.rel ?? { k: "all", ds }) : undefined;
}

function commonest(grammar: Grammar, group: Group, place: Place): Combined[] {
  // Of entities each is there once, unless they are rows with the same name.
  if (group.rel !== null && !grammar.isRepeated(group.ds ?? "")) return [];
  const table = rowsOf(grammar, group);
  return table === undefined ? [] : firstGroups(grammar, table, group, place);
}

const with_ = (group: Group, mod: Mod): Combined[] =>
  means({ t: "group", group: { ...group, mods: [...group.mods, mod] } }, 0.1);

/** How many there are of something is said without a period, whatever else is said of one. */
function ownPeriod(grammar: Grammar, num: Num, win: TableSense["win"]): Scope {
  if (win !== null) return { win };
  const isThere = num.k === "agg" && num.in !== undefined && !grammar.isEvent(grammar.datasetOf(num.in));
  return isThere ? { win: { from: null, to: null, said: "any time" } } : {};
}

/** Rules for groups: which of them are first, which are chosen by their numbers. */
export const GROUP_RULES: Rules = {
  // "launch year": the year of that date.
  "field grain": (grammar, { key }, { grain, isBare }) =>
    isBare === true && grammar.isDate(key) && key.bucket === undefined
      ? means({ t: "field", key: { ...key, bucket: grain, isNamed: true } }, -0.2)
      : [],
  "group firstby": firstOf,
  "firstby group": (grammar, first, group) => firstOf(grammar, group, first).map((each) => more(each, 0.5)),
  // "donated the most money": that it was donated is in the number.
  "table firstby": (_grammar, { table }, first) =>
    isEqual({ ...table, isVerb: undefined }, { ...first.table, isVerb: undefined }) ? means(first, 0.1) : [],
  // "sold the most units": that they were sold is in the number.
  "rel firstby": (grammar, rel, first) =>
    rel.verb !== undefined && grammar.reachedBy(first.table, rel.ds) ? means(first, 0.1) : [],
  "sup group": (grammar, { dim, isCount, dir, n, skip }, { group }) => {
    const place: Place = { dir, n, skip };
    if (dim === "common") return commonest(grammar, group, place);
    if (isCount || (dim !== null && group.ds !== null && grammar.dimension(group.ds, dim) !== undefined))
      return [];
    if (isOfTime(dim)) return [];
    return means({ t: "topgroup", group, per: [], ...place }, dim === null ? 0 : 0.2);
  },
  // "which hour is the busiest"
  "group sup": (grammar, { group }, { dim, dir, n, skip }) =>
    dim === "common" ? commonest(grammar, group, { dir, n, skip }) : [],
  // "second largest"
  "op sup": (_grammar, { op, arg }, sup) => {
    const { n, skip } = sup;
    if (op === "ordinal" && skip === undefined && n === null)
      return means({ ...sup, skip: Number(arg) }, -0.1);
    return [];
  },
  "number group": (_grammar, { value }, { group }) =>
    Number.isInteger(value) && value > 0 && value <= 1000 && group.n === null
      ? means({ t: "group", group: { ...group, n: value } })
      : [],
  // "which month of 2025", "which cities in Germany"; of entities it is said before.
  "group window": (_grammar, { group }, { win }) =>
    group.rel === null ? with_(group, { m: "during", win }) : [],
  "group mod": (grammar, { group }, { mod }) => {
    if (mod.m === "first" && mod.by.k === "count") {
      // Entities are first by what they have; other groups by what there is of them.
      const table = tableOf(count(mod.by.rel));
      return group.rel === null ? firstGroups(grammar, table, group, mod) : [];
    }
    return group.rel === null && (mod.m === "is" || mod.m === "to") ? with_(group, mod) : [];
  },
  // "at what hour do most tickets arrive"
  "group supby": (grammar, { group }, { by, t: _, ...place }) =>
    by.k === "count" && group.rel === null
      ? firstGroups(grammar, tableOf(count(by.rel)), group, place).map((each) => more(each, 0.3))
      : [],
  "topgroup window": (_grammar, top, { win }) =>
    means({ ...top, group: { ...top.group, mods: [...top.group.mods, { m: "during", win }] } }),
  "topgroup by": (grammar, { group, per, t: _, ...place }, { keys, by, some }) => {
    // First by a share of themselves is nobody.
    if (by?.k === "num" && by.num.k === "calc" && by.num.op === "/" && by.num.b.k === "metric") return [];
    if (by?.k === "num") {
      const table = by.table ?? tableOf(by.num);
      const num = table.win === null ? by.num : scoped(by.num, { win: table.win });
      const then = ofTheirPeriod(group, num);
      return [
        ...firstGroups(grammar, table, group, place, per),
        ...(per.length > 0 ? [] : firstEntities(then.group, then.num, place, 0.3)),
      ];
    }
    const counted = countedRows(grammar, group, keys, some);
    if (counted !== undefined) return firstGroups(grammar, tableOf(count(counted)), group, place, per);
    const [key] = keys;
    if (key === undefined || some !== undefined) return [];
    if (grammar.isNumber(key)) {
      // "by refund amount": all of them together, unless it is a field of the entities themselves.
      const measure = group.ds === null ? undefined : grammar.measure(group.ds, { k: "key", key });
      if (measure !== undefined) return firstEntities(group, measure.by, place, 0, per);
      return firstGroups(grammar, tableOf({ k: "agg", fn: "sum", of: key }), group, place, per);
    }
    const isOther = keys.every(
      (each) => grammar.isLabel(each) && !group.keys.some((key) => isSameField(key, each)),
    );
    return isOther && per.length === 0 ? means({ t: "topgroup", group, per: keys, ...place }) : [];
  },
  // "best quarter for gross margin"
  "topgroup table": (grammar, { group, per, t: _, ...place }, { table }) =>
    firstGroups(grammar, table, group, place, per).map((each) => more(each, 0.3)),
  "table topgroup": (grammar, { table }, top) =>
    firstBy(table, top).flatMap(({ sense, cost }) =>
      sense.t === "rel" ? ofEntities(grammar, table, sense, cost) : [],
    ),
  "share topgroup": (grammar, share, top) =>
    firstBy(share.table, top).flatMap(({ sense, cost }) =>
      sense.t === "rel"
        ? shareOf(grammar, share, {
            m: "to",
            rel: sense.rel,
            ds: sense.ds,
            form: "made",
            paths: null,
            not: false,
          }).map((each) => more(each, cost))
        : [],
    ),
  "op group": (_grammar, { op, arg }, { group }) =>
    group.part !== undefined && group.mods.length === 0 && (op === "by" || op === "each")
      ? means({
          t: "by",
          keys: [],
          by: null,
          part: group.part,
          isPer: op === "each" || arg === "per" || undefined,
        })
      : [],
  "group having": (grammar, { group }, { table, t: _, also = [], isOpen, ...quantity }) => {
    if (isOpen === true) return [];
    const others = also.map(({ table: { cols, win }, ...each }): Cond | undefined =>
      cols[0] === undefined
        ? undefined
        : compareWith(scoped(cols[0], ownPeriod(grammar, cols[0], win)), each, group.keys),
    );
    return ofTables(chosenGroups(grammar, table, group, quantity), (each) => {
      if (each.having === null || others.includes(undefined)) return [];
      const having: Cond = { k: "and", of: [each.having, ...(others as Cond[])] };
      return [asTable(others.length === 0 ? each : { ...each, having }, 0)];
    });
  },
  "rel outdid": (_grammar, rel, { table, op, than }) => {
    const pair = outdone(table, op, than);
    // Of one that is named, both numbers are wanted.
    if (pair === undefined || rel.isTopped || rel.form === "name" || table.conds.length > 0) return [];
    return means({ ...rel, rel: { k: "where", in: rel.rel, if: pair.cond }, form: "made" });
  },
  "outdo window": (grammar, { table, op }, { win }) =>
    ofTables(within(grammar, table, win), (each) => means({ t: "outdo", table: each, op })),
  "outdo than": (grammar, { table, op }, { win, cond }) => {
    if (win !== null) return table.win === null ? [] : means({ t: "outdid", table, op, than: win }, -0.2);
    // "is revenue in the West higher than in the East"
    const last = table.conds.at(-1);
    if (cond?.k !== "is" || last?.k !== "is" || !isEqual(cond.key, last.key)) return [];
    const both: Cond = { ...last, values: [...last.values, ...cond.values] };
    return grouped(grammar, { ...table, conds: [...table.conds.slice(0, -1), both] }, [last.key]);
  },
};

function outdone(
  { cols: [num], win }: TableSense,
  op: Comparison,
  than: NonNullable<TableSense["win"]>,
): { cols: Num[]; cond: Cond } | undefined {
  if (num?.k !== "metric" || win === null) return undefined;
  const a: Num = { ...num, scope: { ...num.scope, win } };
  const b: Num = { ...num, scope: { ...num.scope, win: than } };
  return { cols: [a, b], cond: { k: "cmp", a, op, b } };
}

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
