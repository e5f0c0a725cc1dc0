import type { Lineage, Result } from "../answer.ts";
import { columnName, keyName } from "../compile/columns.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import { lastDayBefore } from "../phases/data-period.ts";
import { datasetIn, metricsIn } from "../query/parts.ts";
import type { Link } from "../query/schema.ts";
import { type Ask, type Cond, isKey, type Key, type Num, type Rel } from "../query/semantic-query.ts";

type Filter = Lineage["filters"][number];

/** Where a result comes from: read off what was compiled, never guessed. */
export function lineageOf({ reading, compiled }: Result, { model, refreshedAt, live }: Knowledge): Lineage {
  const { datasets, links } = compiled.used;
  const windows = [...compiled.used.windows, ...compiled.used.earlier];
  const metrics = [...new Set(metricsIn(reading.ask))].flatMap((name) => {
    const metric = model.metrics.find((each) => each.name === name);
    return metric === undefined ? [] : [{ name, definition: metric.sql }];
  });
  const timeWindow = windowOf(windows.map(({ win }) => win));
  return {
    datasets: model.datasets
      .filter(({ name }) => datasets.has(name))
      .map(({ name, source }) => ({ name, source })),
    joins: [...links].map(joinOf),
    filters: distinct([...filtersOf(reading.ask), ...dateFilters(windows)]),
    ...(timeWindow !== undefined && { timeWindow }),
    grain: grainOf(reading.ask),
    sql: compiled.sql,
    metrics,
    freshness: [...datasets].flatMap((dataset) => {
      const at = refreshedAt?.get(dataset);
      if (at === undefined) return [];
      const isLive = live?.has(dataset) === true;
      return [
        { dataset, refreshedAt: (isLive ? new Date() : at).toISOString(), ...(isLive && { live: true }) },
      ];
    }),
    reading: reading.said,
    assumptions: reading.assumptions.map(({ choice }) => choice),
  };
}

/** Several periods are told one by one: together, "from" and "until" of each would contradict each other. */
function dateFilters(windows: Result["compiled"]["used"]["windows"]): Filter[] {
  const isOne = new Set(windows.map(({ win: { from, to } }) => `${from} ${to}`)).size === 1;
  return windows.flatMap(({ date, win: { from, to } }): Filter[] => {
    const { field } = date;
    if (!isOne && from !== null && to !== null) {
      return [{ field, operator: "BETWEEN", value: [from.slice(0, 10), lastDayBefore(to)] }];
    }
    return [
      ...(from === null ? [] : [{ field, operator: ">=", value: from }]),
      ...(to === null ? [] : [{ field, operator: "<", value: to }]),
    ];
  });
}

function joinOf({ from, to, columns }: Link): Lineage["joins"][number] {
  const on = columns.map((pair) => (pair.from === pair.to ? pair.from : `${pair.from} = ${pair.to}`));
  return { left: from, right: to, on };
}

/** From the first day to the last one of all periods; undefined where one of them is open. */
function windowOf(windows: readonly { from: string | null; to: string | null }[]): Lineage["timeWindow"] {
  const froms = windows.map(({ from }) => from);
  const tos = windows.map(({ to }) => to);
  if (windows.length === 0 || froms.includes(null) || tos.includes(null)) return undefined;
  const start = (froms as string[]).toSorted()[0] as string;
  const end = (tos as string[]).toSorted().at(-1) as string;
  return { start: start.slice(0, 10), end: lastDayBefore(end) };
}

/** What one row of the answer stands for. */
function grainOf(ask: Ask): string {
  if (ask.k === "table") return ask.by.length === 0 ? "total" : ask.by.map(keyName).join(", ");
  const [first] = ask.show;
  return datasetIn(ask.rel) ?? first?.ds ?? "row";
}

/** Periods are told with the date that they were applied to. */
function filtersOf(ask: Ask): Filter[] {
  return filtersIn(ask.k === "list" ? ask.rel : [ask.scope, ask.cols, ask.having]);
}

const OPPOSITE = { "=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

/** Every condition of a query, those under a negation turned round. */
function filtersIn(part: unknown, isNot = false): Filter[] {
  if (typeof part !== "object" || part === null) return [];
  if (Array.isArray(part)) return part.flatMap((each) => filtersIn(each, isNot));
  const node = part as Cond | Rel;
  switch (node.k) {
    case "not":
      return filtersIn(node.of, !isNot);
    case "is": {
      const { values, match } = node;
      const isOne = values.length === 1;
      const operator = match === "contains" ? "LIKE" : isOne ? "=" : "IN";
      const value = match === "contains" ? values.map((each) => `%${each}%`) : values;
      const opposite = operator === "=" ? "<>" : `NOT ${operator}`;
      return [
        { field: node.key.field, operator: isNot ? opposite : operator, value: isOne ? value[0] : value },
      ];
    }
    case "null":
      return [{ field: node.key.field, operator: isNot ? "IS NOT" : "IS", value: null }];
    case "cmp": {
      const { a, op, b } = node;
      const value = literalOf(b) ?? operandName(b);
      return [{ field: operandName(a), operator: isNot ? OPPOSITE[op] : op, value }];
    }
    case "link": {
      const within = filtersIn(node.to);
      if (node.count !== undefined) {
        const { op, n } = node.count;
        const field = `count of ${datasetIn(node.to) ?? "rows"}`;
        return [...within, { field, operator: isNot ? OPPOSITE[op] : op, value: n }];
      }
      if (!isNot) return within;
      return [{ field: datasetIn(node.to) ?? node.at, operator: "NOT EXISTS", value: within }];
    }
    case "top":
      return filtersIn(node.in);
    default:
      return filtersIn(Object.values(node), isNot);
  }
}

function literalOf(value: Num | Key): number | string | null | undefined {
  if (isKey(value)) return undefined;
  if (value.k === "day") return value.win.from ?? value.win.to;
  return value.k === "lit" ? value.v : undefined;
}

function operandName(value: Num | Key): string {
  return isKey(value) ? value.field : columnName(value);
}

function distinct(filters: readonly Filter[]): Filter[] {
  return [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
}
