import { columnName } from "../compile/columns.ts";
import { type Compiled, compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/compile-error.ts";
import { homesIn, toOnePath } from "../compile/paths.ts";
import { daysBy, type Knowledge } from "../knowledge/build-knowledge.ts";
import { periodEnd, periodStart } from "../phases/periods.ts";
import { findMetric, isDate, keysNamed, qualified } from "../query/names.ts";
import { datasetIn, isSameField } from "../query/parts.ts";
import type { Link } from "../query/schema.ts";
import type { Ask, Key } from "../query/semantic-query.ts";
import type { QueryWish } from "./query-wish.ts";

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
  ];
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

/** Of several ways that are equally good the model takes one. */
function waysOf({ ask, compiled, knowledge: { schema } }: Made): string[] {
  const costOf = (links: ReadonlySet<Link>) => [...links].reduce((sum, { cost }) => sum + cost, 0);
  const { links } = compiled.used;
  const said = [...links].flatMap((link) => {
    const without = { ...schema, links: new Map([...schema.links].filter(([name]) => name !== link.name)) };
    const other = ifCarried(() => compile(without, ask))?.used.links;
    if (other === undefined || costOf(other) > costOf(links)) return [];
    const names = [...other].filter((each) => !links.has(each)).map(({ name }) => name);
    return names.length === 0
      ? []
      : [`${link.to} is reached via ${link.name}, and not via ${names.join(", ")}`];
  });
  return [...new Set(said)];
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
