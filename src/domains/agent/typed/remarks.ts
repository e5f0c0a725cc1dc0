import { columnName } from "../compile/columns.ts";
import type { Compiled } from "../compile/compile.ts";
import { homesIn, toOnePath } from "../compile/paths.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { periodEnd, periodStart } from "../phases/periods.ts";
import { findMetric, isDate, keysNamed, qualified } from "../query/names.ts";
import { condsOf, datasetIn, isSameField, nodesIn } from "../query/parts.ts";
import type { Ask, Cond, Key } from "../query/semantic-query.ts";
import type { QueryWish } from "./query-wish.ts";
import { homesOf } from "./ways.ts";

interface Made {
  ask: Ask;
  compiled: Compiled;
  knowledge: Knowledge;
}

/** What the model has settled and the wish has not said. */
export function remarksOn(wish: QueryWish, made: Made): string[] {
  const own = ownDates(made);
  return [
    ...authors(wish, made),
    ...(own.length > 0 ? own : otherDate(made)),
    ...begunLate(made),
    ...waysOf(made),
    ...sharedNames(wish, made),
    ...otherFields(made),
    ...withoutAny(made),
    ...ofSome(made),
  ];
}

/** An average of what each has is one of those who have any. */
function ofSome({ ask }: Made): string[] {
  const each = ask.k === "table" ? nodesIn(ask.cols).filter(({ k }) => k === "each") : [];
  const told = each.map(({ per }) => (per as Key[]).filter(({ bucket }) => bucket === undefined));
  const names = told.flatMap((keys) => (keys.length === 0 ? [] : [keys.map(({ ds }) => ds)[0]]));
  return [...new Set(names)].map((ds) => `${ds} without any are left out of what is said of each`);
}

/** A period that only the author of the model says. */
function authors({ period, compare }: QueryWish, { ask }: Made): string[] {
  const win = ask.k === "table" ? ask.scope?.win : undefined;
  if (win === undefined || period !== undefined || compare !== undefined) return [];
  return [`without a period the model takes ${win.said}`];
}

/** The date of a period, where rows are told apart by another one. */
function otherDate({ ask, compiled }: Made): string[] {
  const time = timeOf(ask);
  const own = compiled.used.windows.filter(({ win: { on } }) => on === undefined).map(({ date }) => date);
  const others = time === undefined ? [] : own.filter((date) => !isSameField(time, date));
  return [...new Set(others.map(qualified))].map((date) => `the period goes by ${date}`);
}

/** A number that does not reach the date goes by one of its own. */
function ownDates({ ask, knowledge: { schema } }: Made): string[] {
  const time = timeOf(ask);
  if (ask.k === "list" || time === undefined) return [];
  return ask.cols.flatMap((num) => {
    const { formula, date = null } = (num.k === "metric" && schema.metrics.get(num.name)) || {};
    const counted = num.k === "agg" && num.in !== undefined ? (datasetIn(num.in) ?? []) : [];
    const homes = [
      ...(formula?.aggregates ?? []).flatMap((each) => homesIn(schema, each).slice(0, 1)),
      counted,
    ];
    const far = homes.flat().find((home) => toOnePath(schema, home, time.ds, time.path) === undefined);
    const own = far === undefined ? null : (date ?? schema.datasets.get(far)?.date ?? null);
    return own === null
      ? []
      : [`${columnName(num)} goes by ${qualified(own)}, as ${qualified(time)} is no date of it`];
  });
}

/** What is held against days before the first one of the data is held against less. */
function begunLate({ ask, compiled, knowledge }: Made): string[] {
  const lag = ask.k === "table" ? ask.cols.find((num) => num.k === "lag") : undefined;
  const data = daysBy(compiled.used.windows.find(({ win }) => win.on === undefined)?.date, knowledge);
  if (ask.k === "list" || lag === undefined || data === undefined) return [];
  const grain = timeOf(ask)?.bucket;
  const isWhole = grain !== undefined && periodStart(data.first, grain) === data.first.slice(0, 10);
  const late = Array.from({ length: lag.n }).reduce<string>((day) => periodEnd(day, lag.grain), data.first);
  if (isWhole || (ask.scope?.win?.from ?? "") >= late) return [];
  return [`the data begin on ${data.first.slice(0, 10)}, so what lies before ${late} is held against less`];
}

function timeOf(ask: Ask): Key | undefined {
  const keys = ask.k === "table" ? ask.by : [];
  return keys.find(({ bucket, part }) => bucket !== undefined || part !== undefined);
}

/** Of several ways to a dataset the model takes one, unless one is said. */
function waysOf({ ask, compiled, knowledge: { schema } }: Made): string[] {
  const said = new Set(nodesIn(ask).flatMap(({ link }) => (typeof link === "string" ? [link] : [])));
  const homes = [...homesOf(ask, schema)];
  const isNear = (from: string) => homes.some((home) => toOnePath(schema, home, from) !== undefined);
  return [...compiled.used.links].flatMap((link) => {
    const others = [...schema.links.values()].filter(
      ({ name, from, to, isSoft }) =>
        to === link.to && from !== to && name !== link.name && isSoft !== true && isNear(from),
    );
    const names = others.map(({ name }) => name);
    return said.has(link.name) || names.length === 0
      ? []
      : [
          `${link.to} is reached via ${link.name}, and not via ${names.join(", ")} (say "${link.to}.… via ${names[0]}" for that)`,
        ];
  });
}

/** A name that a metric and a field share means the metric. */
function sharedNames({ where = [] }: QueryWish, { knowledge: { schema } }: Made): string[] {
  return where.flatMap(({ field }) => {
    const name = findMetric(schema, field);
    const others = name === undefined ? [] : keysNamed(schema, field).filter((key) => !isDate(schema, key));
    return others.length === 0
      ? []
      : [`${name} in where is the metric, and not ${others.map(qualified).join(", ")}`];
  });
}

const MOST_VALUES = 10;

/** A value may be one of another field too: a region, and a brand. */
function otherFields({ ask, knowledge: { values } }: Made): string[] {
  const conds = nodesIn(ask) as unknown as Cond[];
  const said = conds.flatMap((cond) =>
    cond.k === "is" && cond.match === "equal" ? cond.values.map((value) => ({ key: cond.key, value })) : [],
  );
  return said.slice(0, MOST_VALUES).flatMap(({ key, value }) => {
    const others = values.filter((each) => !isSameField(each, key) && each.values.includes(String(value)));
    const isNamesake = (each: Pick<Key, "field">) => each.field === key.field;
    const names = others.filter((each) => !isNamesake(each)).map(qualified);
    return typeof value !== "string" || names.length === 0
      ? []
      : [`${value} is taken as ${qualified(key)}; it is also a ${names.join(", a ")}`];
  });
}

/** The fewest are of those that have some. */
function withoutAny({ ask }: Made): string[] {
  if (ask.k === "list" || ask.by.length === 0) return [];
  const isBelow = condsOf(ask.having).some((cond) => cond.k === "cmp" && /^<=?$/.test(cond.op));
  if (ask.top?.dir !== "min" && !isBelow) return [];
  const [{ ds } = { ds: "" }] = ask.by;
  return [`only those that have some at all: who has none is found by where "count(…) per ${ds}" = 0`];
}
