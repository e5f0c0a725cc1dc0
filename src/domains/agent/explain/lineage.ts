import type { Lineage, Result } from "../answer.ts";
import { columnName, keyName } from "../compile/columns.ts";
import type { Knowledge } from "../knowledge/build-knowledge.ts";
import type { Link } from "../query/schema.ts";
import {
  type Ask,
  type Cond,
  isKey,
  type Key,
  type Num,
  type Rel,
  type Scope,
} from "../query/semantic-query.ts";

type Filter = Lineage["filters"][number];

/** Where a result comes from: read off what was compiled, never guessed. */
export function lineageOf({ reading, compiled }: Result, { model, refreshedAt }: Knowledge): Lineage {
  const { datasets, links, windows } = compiled.used;
  const metrics = [...metricsOf(reading.ask)].flatMap((name) => {
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
      return at === undefined ? [] : [{ dataset, refreshedAt: at.toISOString() }];
    }),
    reading: reading.said,
    assumptions: reading.assumptions.map(({ choice }) => choice),
  };
}

/** Several periods are told one by one: together, "from" and "until" of each would contradict each other. */
function dateFilters(windows: Result["compiled"]["used"]["windows"]): Filter[] {
  const isOne = new Set(windows.map(({ win: { from, to } }) => `${from} ${to}`)).size === 1;
  return windows.flatMap(({ date, win: { from, to } }): Filter[] => {
    const field = fieldName(date);
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

function lastDayBefore(end: string): string {
  const isMidnight = !/T(?!00:00(:00)?)/.test(end);
  const day = new Date(`${end.slice(0, 10)}T00:00:00Z`);
  if (isMidnight) day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, 10);
}

/** What one row of the answer stands for. */
function grainOf(ask: Ask): string {
  if (ask.k === "table") return ask.by.length === 0 ? "total" : ask.by.map(keyName).join(", ");
  const [first] = ask.show;
  return entityOf(ask.rel) ?? first?.ds ?? "row";
}

function entityOf(rel: Rel): string | undefined {
  if (rel.k === "all") return rel.ds;
  if (rel.k === "where" || rel.k === "top") return entityOf(rel.in);
  return rel.k === "set" ? entityOf(rel.a) : undefined;
}

function filtersOf(ask: Ask): Filter[] {
  if (ask.k === "list") return ofRel(ask.rel);
  return [
    ...ofScope(ask.scope),
    ...ask.cols.flatMap(ofNum),
    ...(ask.having === undefined ? [] : ofCond(ask.having, false)),
  ];
}

function ofScope(scope: Scope | undefined): Filter[] {
  return scope?.if === undefined ? [] : ofCond(scope.if, false);
}

function ofRel(rel: Rel): Filter[] {
  switch (rel.k) {
    case "all":
      return [];
    case "where":
      return [...ofRel(rel.in), ...ofCond(rel.if, false)];
    case "via":
      return ofRel(rel.from);
    case "top":
      return ofRel(rel.in);
    case "set":
      return [...ofRel(rel.a), ...ofRel(rel.b)];
  }
}

function ofNum(num: Num): Filter[] {
  switch (num.k) {
    case "metric":
      return ofScope(num.scope);
    case "agg":
      return [...(num.in === undefined ? [] : ofRel(num.in)), ...ofScope(num.scope)];
    case "each":
      return [...ofNum(num.of), ...ofScope(num.scope)];
    case "calc":
      return [...ofNum(num.a), ...ofNum(num.b)];
    case "lag":
    case "running":
      return ofNum(num.of);
    default:
      return [];
  }
}

const OPPOSITE = { "=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<" } as const;

function ofCond(cond: Cond, isNot: boolean): Filter[] {
  switch (cond.k) {
    case "and":
    case "or":
      return cond.of.flatMap((each) => ofCond(each, isNot));
    case "not":
      return ofCond(cond.of, !isNot);
    case "is": {
      const { values, match } = cond;
      const isOne = values.length === 1;
      const operator = match === "contains" ? "LIKE" : isOne ? "=" : "IN";
      const value = match === "contains" ? values.map((each) => `%${each}%`) : values;
      const opposite = operator === "=" ? "<>" : `NOT ${operator}`;
      return [
        {
          field: fieldName(cond.key),
          operator: isNot ? opposite : operator,
          value: isOne ? value[0] : value,
        },
      ];
    }
    case "null":
      return [{ field: fieldName(cond.key), operator: isNot ? "IS NOT" : "IS", value: null }];
    case "during":
      // Periods are told with the date that they were applied to.
      return [];
    case "cmp": {
      const value = operandValue(cond.b);
      return [{ field: operandName(cond.a), operator: isNot ? OPPOSITE[cond.op] : cond.op, value }];
    }
    case "link": {
      const within = ofRel(cond.to);
      if (cond.count !== undefined) {
        const { op, n } = cond.count;
        return [
          ...within,
          { field: `count of ${entityOf(cond.to) ?? "rows"}`, operator: isNot ? OPPOSITE[op] : op, value: n },
        ];
      }
      if (!isNot) return within;
      return [{ field: entityOf(cond.to) ?? cond.at, operator: "NOT EXISTS", value: within }];
    }
  }
}

function operandValue(value: Num | Key): unknown {
  return !isKey(value) && value.k === "lit" ? value.v : operandName(value);
}

function operandName(value: Num | Key): string {
  return isKey(value) ? fieldName(value) : columnName(value);
}

function fieldName({ field }: Key): string {
  return field;
}

function metricsOf(ask: Ask): Set<string> {
  const names = new Set<string>();
  // Whatever node of the query a metric stands in, it looks the same.
  JSON.stringify(ask, (_, value) => {
    if (typeof value === "object" && value !== null && value.k === "metric") names.add(value.name);
    return value;
  });
  return names;
}

function distinct(filters: readonly Filter[]): Filter[] {
  return [...new Map(filters.map((filter) => [JSON.stringify(filter), filter])).values()];
}
