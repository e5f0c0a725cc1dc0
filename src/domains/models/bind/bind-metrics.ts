import { mapBounded } from "../../../kernel/map-bounded.ts";
import { quoteName } from "../../../kernel/sql-text.ts";
import type { Column } from "../../data/index.ts";
import { pathTo } from "../format/index.ts";
import { LIMITS } from "../limits.ts";
import { type Metric, type Problem, sqlOf } from "../model.ts";
import type { Engine } from "./engine.ts";
import { readExpression } from "./expression.ts";
import { orReason } from "./reason.ts";

export interface BoundMetric {
  metric: Metric;
  sql: string;
  type: string;
  /** The datasets that it is computed from. */
  datasets: string[];
}

/** The columns that a metric names, with the dataset where it says which. */
export async function metricColumns(
  metric: Metric,
  engine: Engine,
): Promise<{ table: string | null; column: string }[]> {
  const columns = await readExpression(sqlOf(metric.expression), engine.serialize);
  return columns.map((parts) =>
    parts.length > 1
      ? { table: parts[0] as string, column: parts[1] as string }
      : { table: null, column: parts[0] as string },
  );
}

/** Lets the engine compute each metric over views without rows: what it cannot is a problem, and is left out. */
export async function bindMetrics(
  metrics: readonly Metric[],
  views: ReadonlyMap<string, readonly Column[]>,
  engine: Engine,
): Promise<{ metrics: BoundMetric[]; problems: Problem[] }> {
  const bound: BoundMetric[] = [];
  const problems: Problem[] = [];
  const results = await mapBounded(metrics, LIMITS.models.askedAtOnce, async (metric) => {
    const sql = sqlOf(metric.expression).trim();
    return { metric, sql, result: await orReason(bindMetric(metric, sql, views, engine)) };
  });
  for (const { metric, sql, result } of results) {
    if ("value" in result) bound.push({ metric, sql, ...result.value });
    else {
      problems.push({
        severity: "error",
        message: `The metric ${metric.name} cannot be computed as ${sql}: ${result.reason}`,
        hint: "Name columns as dataset.column, with names of this model.",
        path: pathTo("metrics", metric.name),
      });
    }
  }
  return { metrics: bound, problems };
}

async function bindMetric(
  metric: Metric,
  sql: string,
  views: ReadonlyMap<string, readonly Column[]>,
  engine: Engine,
): Promise<{ type: string; datasets: string[] }> {
  const columns = await metricColumns(metric, engine);
  const names = [...views.keys()];
  const named = (table: string) => names.find((name) => name.toLowerCase() === table.toLowerCase());
  const having = (column: string) =>
    names.find((name) => views.get(name)?.some((each) => each.name.toLowerCase() === column.toLowerCase()));
  const used = new Set(
    columns.flatMap(({ table, column }) => {
      const name = (table === null ? undefined : named(table)) ?? having(table ?? column);
      return name === undefined ? [] : [name];
    }),
  );
  const sources = new Map([...views].filter(([name]) => used.has(name)));
  const from = sources.size === 0 ? "" : ` FROM ${[...sources.keys()].map(quoteName).join(", ")}`;
  const [column] = await engine.describe(`SELECT (${sql}\n) AS metric${from}`, sources);
  return { type: column?.type ?? "VARCHAR", datasets: [...used] };
}
