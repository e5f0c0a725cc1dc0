import { type Compiled, compile } from "../compile/compile.ts";
import { ifCarried } from "../compile/compile-error.ts";
import { homesIn, toOnePath } from "../compile/paths.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { findMetric, isDate, keysNamed, qualified } from "../query/names.ts";
import { isSameField } from "../query/parts.ts";
import type { Link } from "../query/schema.ts";
import type { Ask } from "../query/semantic-query.ts";
import type { QueryWish } from "./query-wish.ts";

interface Made {
  ask: Ask;
  compiled: Compiled;
  knowledge: Knowledge;
}

/** What the model has settled and the wish has not said. */
export function remarksOn(wish: QueryWish, made: Made): string[] {
  return [...datesOf(wish, made), ...ownDates(made), ...waysOf(made), ...sharedNames(wish, made)];
}

/** A period that only the author of the model says, and its date where rows are told apart by another one. */
function datesOf({ period, compare }: QueryWish, { ask, compiled }: Made): string[] {
  if (ask.k === "list") return [];
  const { scope: { win } = {}, by } = ask;
  const isAuthors = period === undefined && compare === undefined && win !== undefined;
  const own = compiled.used.windows.filter(({ win: { on } }) => on === undefined).map(({ date }) => date);
  const times = by.filter(({ bucket, part }) => bucket !== undefined || part !== undefined);
  const others = own.filter((date) => times.some((time) => !isSameField(time, date)));
  return [
    ...(isAuthors ? [`without a period the model takes ${win.said}`] : []),
    ...[...new Set(others.map(qualified))].map((date) => `the period goes by ${date}`),
  ];
}

/** A number that does not reach the date goes by one of its own. */
function ownDates({ ask, knowledge: { schema } }: Made): string[] {
  if (ask.k !== "table") return [];
  const time = ask.by.find(({ bucket, part }) => bucket !== undefined || part !== undefined);
  if (time === undefined) return [];
  return ask.cols.flatMap((num) => {
    const { formula, date } = (num.k === "metric" && schema.metrics.get(num.name)) || {};
    const far = (formula?.aggregates ?? [])
      .flatMap((aggregate) => homesIn(schema, aggregate).slice(0, 1))
      .find((home) => toOnePath(schema, home, time.ds, time.path) === undefined);
    const own = far === undefined ? undefined : (date ?? schema.datasets.get(far)?.date);
    return num.k !== "metric" || own == null
      ? []
      : [`${num.name} goes by ${qualified(own)}, as ${qualified(time)} is no date of it`];
  });
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
