import {
  type Aggregate,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Rel,
} from "../../query/semantic-query.ts";
import { isOfTime } from "../languages/language.ts";
import { endOf } from "../model/model-words.ts";
import { compared, first, measuredBy, neighbours, ofEverything } from "../senses/entity-senses.ts";
import type { Mod, Sense, TableSense } from "../senses/fragment.ts";
import {
  aggregate,
  attr,
  count,
  entities,
  means,
  placeOf,
  type RelSense,
  someOf,
  supBy,
  table,
  tableOf,
  where,
} from "../senses/make.ts";
import { grouped, more } from "../senses/table-senses.ts";
import type { Combined } from "./chart.ts";
import type { Grammar, Rules } from "./grammar.ts";

function labelled(key: Key, value: number): Combined[] {
  const cond: Cond = { k: "is", key, values: [value], match: "equal" };
  return means({ t: "cond", ds: key.ds, cond }, -0.2);
}

function daysUntil(grammar: Grammar, { start, isOpen }: Extract<Sense, { t: "days" }>, end: Key): Combined[] {
  const key = isOpen ? grammar.daysBetween(start, end) : undefined;
  return key === undefined ? [] : means({ t: "field", key }, -0.3);
}

/** "capital austin", "points higher than the highest point of Texas" */
function isSaidOf(key: Key, cond: Cond): boolean {
  const own = cond.k === "is" ? cond.key : cond.k === "cmp" && isKey(cond.a) ? cond.a : undefined;
  if (own?.ds !== key.ds) return false;
  if (cond.k === "is") return own.field === key.field;
  const isCompared = cond.k === "cmp" && !isKey(cond.b) && cond.b.k === "agg";
  return isCompared && own.field.split("_")[0] === key.field.split("_")[0];
}

function missing(grammar: Grammar, key: Key): Cond {
  const empty: Cond = { k: "null", key };
  return grammar.isNumber(key) || grammar.isNumberLabel(key)
    ? { k: "or", of: [empty, { k: "is", key, values: [0], match: "equal" }] }
    : empty;
}

/** "finished repairs": those with a date of it; on the date that rows go by, all of them happened. */
function happened(grammar: Grammar, rel: RelSense, key: Key): Combined[] {
  if (key.ds !== rel.ds || rel.form === "name") return [];
  if (grammar.isEvent(rel.ds) && isOwnDate(grammar, key)) return means(rel, 0.2);
  return means({ ...where(rel, missing(grammar, key), true), form: "made" }, 0.2);
}

function isOwnDate(grammar: Grammar, { ds, field }: Key): boolean {
  return grammar.dimension(ds, "date")?.field === field;
}

/** The same of a number of them: "closed tickets". */
function numberOfThose(grammar: Grammar, sum: TableSense, key: Key): Combined[] {
  const [num] = sum.cols;
  const isOf =
    num?.k === "metric" && grammar.isCounting(num.name) === true && grammar.dateOf(sum)?.ds === key.ds;
  if (!isOf) return [];
  if (isOwnDate(grammar, key)) return means({ t: "table", table: sum }, 0.2);
  const cond: Cond = { k: "not", of: missing(grammar, key) };
  return means({ t: "table", table: { ...sum, conds: [...sum.conds, cond] } }, 0.2);
}

/** "solved the most tickets": the most of those that are. */
function ofThose(supby: Extract<Sense, { t: "supby" }>, ds: string, cond: Cond): Combined[] {
  const { by } = supby;
  if (by.k !== "count" || by.ds !== ds) return [];
  const those = { ...by, rel: { k: "where" as const, in: by.rel, if: cond } };
  return means({ t: "mod", mod: { m: "first", by: those, ...placeOf(supby) } }, 0.2);
}

/** The metric that adds a field up, where there is one: then that is what such numbers are for. */
function sumOf(grammar: Grammar, key: Key): string | undefined {
  return grammar.isFraction(key)
    ? undefined
    : grammar.metricsOf(key).find((name) => !grammar.isAverage(name));
}

/** An average of all rows is the author's own, where there is one. */
function aggregated(grammar: Grammar, fn: Aggregate, key: Key, rel: Rel): Num {
  const own = fn === "avg" && rel.k === "all" ? grammar.averageOf(key) : undefined;
  return own === undefined ? aggregate(fn, key, rel) : { k: "metric", name: own };
}

/** A number of each entity; of what several share, all of theirs together or on average. */
function told(
  grammar: Grammar,
  { rel, ds, keys: [key, ...more] }: Extract<Sense, { t: "attr" }>,
  { keys, by, some, grain, part }: Extract<Sense, { t: "by" }>,
): Combined[] {
  const isPlain = by === null && some === undefined && grain === undefined && part === undefined;
  if (key === undefined || more.length > 0 || !isPlain || !grammar.isNumber(key)) return [];
  if (keys.length === 0 || !keys.every((each) => grammar.isLabel(each) && grammar.belongs(ds, each)))
    return [];
  const name = grammar.nameKey(ds);
  const isEach = keys.length === 1 && keys[0]?.ds === ds && keys[0].field === name?.field;
  if (isEach) return [attr(rel, ds, [...keys, key], 0)];
  const usual = grammar.usualOf(key, rel);
  const nums =
    usual === undefined ? (["sum", "avg"] as const).map((fn) => aggregated(grammar, fn, key, rel)) : [usual];
  return nums.map((num) => ({
    sense: { t: "table", table: { ...tableOf(num), by: keys } },
    cost: usual === undefined ? 1 : 0.5,
  }));
}

/** What stands for one entity beside others: its name. */
function shownFor(grammar: Grammar, { rel, ds, form, isMany, verb }: RelSense): Key | undefined {
  const isOne = rel.k === "all" && form === "noun" && isMany !== true && verb === undefined;
  return isOne ? grammar.nameKey(ds) : undefined;
}

/** Several fields of somebody who is named. */
function allOf(
  { keys, isOpen }: Extract<Sense, { t: "fields" }>,
  { rel, ds, form }: Pick<RelSense, "rel" | "ds" | "form">,
): Combined[] {
  const isOwn = form === "name" && !isOpen && keys.every((key) => key.ds === ds);
  return isOwn ? [attr(rel, ds, keys, 0)] : [];
}

/** "longest flippers": of a flipper length. */
function isLong(dim: string | null, { field }: Key): boolean {
  return dim === "long" && /(^|_)(length|duration|distance|time)(_|$)/i.test(field);
}

/** "capitals with more than 500000 people": cities have people as well. */
function isSaidOfBoth(grammar: Grammar, { k }: Rel, mod: Mod, entity: string | undefined): boolean {
  if (k !== "all" || mod.m !== "is" || mod.cond.k !== "cmp" || entity === undefined) return false;
  return isKey(mod.cond.a) && grammar.sameOf(mod.cond.a, entity) !== undefined;
}

/** Rules for fields: whose they are, and what is said of them. */
export const FIELD_RULES: Rules = {
  "op attr": (grammar, { op, arg }, { rel, ds, keys }) => {
    const [key] = keys as [Key];
    if (op === "how") {
      const measured = grammar.measureOf(key, arg ?? "");
      return measured === undefined ? [] : [attr(rel, ds, [measured], 0)];
    }
    if (op === "agg" && grammar.isNumber(key) && !(arg === "sum" && grammar.isFraction(key)))
      return [
        // Of a sum the author may have a metric.
        { sense: table(aggregated(grammar, arg as Aggregate, key, rel)), cost: arg === "sum" ? 0.1 : 0 },
      ];
    if (op === "where" || (op === "when" && grammar.isDate(key))) return [attr(rel, ds, keys, 0)];
    if (op === "count" && grammar.isNumber(key))
      return [
        attr(rel, ds, keys, 0),
        // "how many passengers did yellow cabs have": all of theirs together.
        ...(sumOf(grammar, key) === undefined ? [] : means(table(aggregate("sum", key, rel)), 0.3)),
      ];
    if (op === "count" && grammar.isDate(key)) return means(table(count(rel)), 0.2);
    if (op === "count" && !grammar.isBoolean(key))
      return means(table({ k: "agg", fn: "distinct", of: key, in: rel }), 0.1);
    if (op === "prep") return means({ t: "mod", mod: { m: "attr", rel, ds, key } });
    if (op === "has") return first(grammar, key);
    if (op === "by" && rel.k === "all" && key.isNamed === true) return means({ t: "by", keys, by: null });
    if ((op === "by" || op === "each") && rel.k === "where" && grammar.isLabel(key))
      return means({ t: "by", keys, by: null, some: { rel, ds } });
    if (op === "compare") return compared(grammar, arg ?? "", { rel, key });
    return [];
  },
  "op field": (grammar, { op, arg }, { key }) => {
    if ((op === "count" || op === "how much") && grammar.isNumber(key)) {
      const sum = sumOf(grammar, key);
      const summed = sum === undefined ? [] : means(table({ k: "metric", name: sum }), 0.3);
      return [...means({ t: "field", key }), ...summed];
    }
    if (op === "time to") {
      const time = grammar.isDate(key) ? grammar.timeTo(key) : undefined;
      return time === undefined ? [] : means({ t: "field", key: time }, -0.3);
    }
    if (op === "days" && grammar.isDate(key)) return means({ t: "days", start: key, isOpen: false });
    // "with a discount", "included children": what has some.
    const isSome = arg === "any" ? !grammar.isBoolean(key) : arg === undefined && grammar.isTally(key);
    if (op === "has" && isSome && !grammar.isLabel(key)) {
      const cond: Cond = grammar.isTally(key) ? someOf(key) : { k: "not", of: missing(grammar, key) };
      return [{ sense: { t: "cond", ds: key.ds, cond }, cost: 0.3 }, ...first(grammar, key)];
    }
    if (op === "has") {
      const firsts = first(grammar, key);
      return firsts.length > 0 ? firsts : means({ t: "mod", mod: { m: "show", keys: [key] } }, 0.3);
    }
    // "and when they opened"
    if (op === "when" && grammar.isDate(key))
      return means({ t: "mod", mod: { m: "show", keys: [key] } }, 0.2);
    // "how long does it take to resolve"
    if (op === "how" && arg === "long" && grammar.isDate(key)) {
      const time = grammar.timeOf(key.ds, null);
      return time === undefined ? [] : means({ t: "field", key: time }, 0.2);
    }
    // "in square metres"
    if (op === "prep" && grammar.isNumber(key)) return means({ t: "mod", mod: { m: "unit", key } });
    // "without a rating": what has none, or nothing in it.
    if (op === "not" && !grammar.isBoolean(key))
      return means({ t: "cond", ds: key.ds, cond: missing(grammar, key) }, 0.2);
    if (op === "by" || op === "prep") {
      return means({ t: "by", keys: [key], by: { k: "key", key } }, op === "by" ? 0 : 0.5);
    }
    if (op === "agg" && grammar.isNumber(key) && !(arg === "sum" && grammar.isFraction(key))) {
      return means(table(aggregated(grammar, arg as Aggregate, key, { k: "all", ds: key.ds })), 0.2);
    }
    return [];
  },
  // "a high point higher than that of Colorado"
  "field beyond": (grammar, { key }, { arg, rel, ds }) =>
    grammar
      .attributes(key, entities(rel, ds))
      .flatMap(({ sense, cost }) =>
        sense.t === "attr"
          ? compared(grammar, arg, { rel: sense.rel, key }).map((each) => ({ ...each, cost: cost + 0.1 }))
          : [],
      ),
  "days op": (_grammar, days, { op }) => (op === "and" ? means({ ...days, isOpen: true }) : []),
  "days field": (grammar, days, { key }) => daysUntil(grammar, days, key),
  "attr op": (grammar, { rel, keys }, { op, arg }) =>
    op === "agg" && grammar.isNumber(keys[0] as Key) && !(arg === "sum" && grammar.isFraction(keys[0] as Key))
      ? means(table(aggregated(grammar, arg as Aggregate, keys[0] as Key, rel)), 0.1)
      : [],
  // "seats by shop"
  // "German federal states", "Lighting subcategories"
  "cond attr": (grammar, { ds, cond }, { rel, ds: own, keys }) =>
    rel.k === "all" && grammar.isLabel(keys[0] as Key) && !isSaidOf(keys[0] as Key, cond)
      ? grammar
          .apply(entities(rel, own), { m: "is", ds, cond })
          .flatMap(({ sense, cost }) => (sense.t === "rel" ? [attr(sense.rel, own, keys, cost)] : []))
      : [],
  "attr by": (grammar, attribute, by) => told(grammar, attribute, by),
  // "in which state is the highest point"
  "mod attr": (grammar, { mod }, { rel, ds }) =>
    mod.m === "to" && mod.form === "noun" && !mod.not
      ? neighbours(grammar, entities(mod.rel, mod.ds, "noun"), entities(rel, ds), 0.2)
      : [],
  // "launched in 2026": the field says which date is meant.
  "field window": (grammar, { key, isDone }, { win }) =>
    grammar.schema.datasets.get(key.ds)?.fields.get(key.field)?.kind === "date"
      ? means({ t: "cond", ds: key.ds, cond: { k: "during", win: { ...win, on: key } } }, isDone ? -0.9 : 0)
      : [],
  "attr order": (grammar, sense, { dir, dim }) => {
    const by = grammar.dimension(sense.ds, dim);
    return by === undefined ? [] : means({ ...sense, order: [{ by, dir }] });
  },
  "sup field": (grammar, sup, { key }) =>
    (grammar.isNumber(key) ? !isOfTime(sup.dim) : grammar.isDate(key) && isOfTime(sup.dim))
      ? means(
          supBy(sup, { k: "key", key }),
          // The highest temperature is none of the lowest ones.
          (isLong(sup.dim, key) ? 0 : sup.dim === "long" ? 1 : 0) +
            (endOf([key.field], sup.dir).length === 0 ? 0.5 : 0),
        )
      : [],
  "field sup": (grammar, { key }, sup) => {
    // "was precipitation highest"
    if (sup.dim === "high" && grammar.isNumber(key)) return means(supBy(sup, { k: "key", key }), 0.2);
    // "hired last"
    return grammar.isDate(key) && isOfTime(sup.dim)
      ? means({ t: "mod", mod: { m: "first", by: { k: "key", key }, ...placeOf(sup) } }, 0.1)
      : [];
  },
  "field mod": (grammar, { key }, { mod }) => {
    if (mod.m === "attr") {
      const shares = mod.key.field.split("_")[0] === key.field.split("_")[0];
      return mod.ds === key.ds && shares ? [attr(mod.rel, mod.ds, [key], 0)] : [];
    }
    if (mod.m === "all") return ofEverything(grammar, key, mod);
    // "brands with no discontinued products"
    if (mod.m === "to" && mod.not && mod.ds === key.ds && mod.rel.k === "where" && grammar.isLabel(key)) {
      const none: Cond = { k: "not", of: { k: "link", at: key.ds, path: [], to: mod.rel } };
      return [attr({ k: "where", in: { k: "all", ds: key.ds }, if: none }, key.ds, [key], -0.2)];
    }
    if (mod.m !== "to" || mod.not) return [];
    const rel: RelSense = entities(mod.rel, mod.ds, mod.form);
    return grammar.attributes(key, rel);
  },
  "field rel": (grammar, { key, isDone }, rel) => [
    ...(isDone ? happened(grammar, rel, key) : grammar.attributes(key, rel).map((each) => more(each, 0.7))),
    // "opened a ticket"
    ...(key.ds === rel.ds && isDone !== true && grammar.isDate(key) ? means(rel, 0.1) : []),
  ],
  "rel field": (grammar, rel, { key, isDone }) => [
    ...(isDone ? happened(grammar, rel, key) : grammar.attributes(key, rel).map((each) => more(each, 0.5))),
    // "driver nationality": whose it is.
    ...(rel.rel.k === "all" && rel.form === "noun" && key.ds === rel.ds && grammar.isLabel(key)
      ? means({ t: "field" as const, key }, -0.1)
      : []),
  ],
  "attr mod": (grammar, { rel, ds, keys }, { mod }) => {
    // Of a capital that is the largest, it is the city that is large.
    const entity = grammar.softLink(keys[0] as Key)?.to;
    const isOfEntity =
      mod.m === "first" || ("ds" in mod && mod.ds === entity) || isSaidOfBoth(grammar, rel, mod, entity);
    const cost = entity !== undefined && isOfEntity ? 0.6 : 0.2;
    return grammar
      .apply(entities(rel, ds, "made", rel.k === "top"), mod)
      .flatMap((each) => (each.sense.t === "rel" ? [attr(each.sense.rel, ds, keys, each.cost + cost)] : []));
  },
  // "a list price over 300"
  "field quantity": (grammar, { key }, quantity) => measuredBy(grammar, key, quantity),
  "number field": (grammar, { value }, field) => {
    if (!Number.isInteger(value)) return [];
    // "8 cylinders": of what is averaged, how much there is of it.
    const isOwn = grammar.isNumber(field.key) && grammar.averageOf(field.key) !== undefined;
    return grammar.isNumberLabel(field.key) || isOwn ? labelled(field.key, value) : means(field, 0.6);
  },
  // "brands by return rate"
  "field by": (grammar, { key }, { keys, by }) =>
    by?.k === "num" && keys.length === 0 && grammar.isLabel(key)
      ? grouped(grammar, by.table ?? tableOf(by.num), [key]).map((each) => more(each, 0.6))
      : [],
  // "with city and opening date"
  "field op": (_grammar, { key }, { op }) =>
    op === "and" || op === "comma" ? means({ t: "fields", keys: [key], isOpen: true }) : [],
  // "with their region and hire date"
  "rel op": (grammar, rel, { op }) => {
    const name = op === "and" || op === "comma" ? shownFor(grammar, rel) : undefined;
    return name === undefined ? [] : means({ t: "fields", keys: [name], isOpen: true }, 0.3);
  },
  "fields rel": (grammar, { keys, isOpen }, rel) => {
    const name = isOpen ? shownFor(grammar, rel) : undefined;
    return name === undefined ? [] : means({ t: "fields", keys: [...keys, name], isOpen: false }, 0.2);
  },
  "fields op": (_grammar, fields, { op }) =>
    op === "and" || (op === "comma" && !fields.isOpen) ? means({ ...fields, isOpen: true }) : [],
  "fields field": (_grammar, { keys, isOpen }, { key }) =>
    means({ t: "fields", keys: [...keys, key], isOpen: false }, isOpen ? 0 : 0.2),
  // "phone and contact name of Orbis", "Orbis's phone and contact name"
  "fields mod": (_grammar, fields, { mod }) => (mod.m === "to" && !mod.not ? allOf(fields, mod) : []),
  "rel fields": (_grammar, rel, fields) => allOf(fields, rel),
  // "season 2019", "rated 1 or 2"
  "field number": (grammar, { key }, { value }) => {
    if (Number.isInteger(value) && grammar.isNumberLabel(key)) return labelled(key, value);
    return grammar.isNumber(key) && !(value >= 1900 && value <= 2100)
      ? means({ t: "cond", ds: key.ds, cond: { k: "is", key, values: [value], match: "equal" } }, 0.2)
      : [];
  },
  "field field": (_grammar, left, right) =>
    // "netto Umsatz": both say the same.
    left.key.ds === right.key.ds && left.key.field === right.key.field
      ? means(left)
      : means({ t: "fields", keys: [left.key, right.key], isOpen: false }, 0.9),
  "table field": (grammar, { table: sum }, { key, isDone }) =>
    isDone ? numberOfThose(grammar, sum, key) : [],
  "field table": (grammar, { key, isDone }, { table: sum }) =>
    isDone ? numberOfThose(grammar, sum, key) : [],
  "op fields": (_grammar, { op }, { keys, isOpen }) =>
    op === "has" && !isOpen ? means({ t: "mod", mod: { m: "show", keys } }, 0.1) : [],
  // "time until a repair is finished"
  "op rel": (_grammar, left, { rel, form }) =>
    left.op === "time to" && rel.k === "all" && form === "noun" ? means(left, 0.1) : [],
  "field supby": (grammar, { key, isDone }, supby) =>
    isDone && !isOwnDate(grammar, key) ? ofThose(supby, key.ds, { k: "not", of: missing(grammar, key) }) : [],
  // "capital austin": the field says which column the value is in.
  "field cond": (_grammar, { key }, { ds, cond }) =>
    isSaidOf(key, cond) ? means({ t: "cond", ds, cond }, -0.2) : [],
  "cond field": (_grammar, { ds, cond }, { key }) =>
    cond.k === "is" && cond.key.ds === key.ds && cond.key.field === key.field
      ? means({ t: "cond", ds, cond })
      : [],
};
