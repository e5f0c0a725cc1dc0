import { mapBounded } from "../../kernel/map-bounded.ts";
import type { BoundModel } from "./bind/index.ts";
import { isAggregate } from "./bind/index.ts";
import { pathTo } from "./format/index.ts";
import type { Serialize } from "./guard/index.ts";
import { LIMITS } from "./limits.ts";
import { type Expression, foreignDialect, type Problem, type SemanticModel } from "./model.ts";

/** Expressions that can be computed, but hardly mean what their author thinks. */
export async function checkExpressions(
  { datasets, metrics }: SemanticModel,
  bound: BoundModel,
  serialize: Serialize,
): Promise<Problem[]> {
  const fields = datasets.flatMap((dataset) =>
    dataset.fields.flatMap(({ name, expression }) =>
      inOtherDialect(
        expression,
        `field ${name} of ${dataset.name}`,
        pathTo("datasets", dataset.name, "fields", name),
      ),
    ),
  );
  const ofMetrics = metrics.flatMap(({ name, expression }) =>
    inOtherDialect(expression, `metric ${name}`, pathTo("metrics", name)),
  );
  return [...fields, ...ofMetrics, ...(await plainMetrics(bound, serialize))];
}

function inOtherDialect(expression: Expression, what: string, path: string): Problem[] {
  const dialect = foreignDialect(expression);
  if (dialect === undefined) return [];
  return [
    {
      severity: "warning",
      message: `The ${what} has an expression for ${dialect} only, which is taken as DuckDB's SQL.`,
      hint: "Add one for ANSI_SQL or DUCKDB, and compare what both give.",
      path,
    },
  ];
}

async function plainMetrics({ metrics }: BoundModel, serialize: Serialize): Promise<Problem[]> {
  const found = await mapBounded(
    metrics,
    LIMITS.models.askedAtOnce,
    async ({ metric: { name }, sql, datasets }): Promise<Problem[]> => {
      if (datasets.length === 0 || (await isAggregate(sql, serialize))) return [];
      return [
        {
          severity: "warning",
          message: `The metric ${name} is no aggregate: ${sql} has a value for each row.`,
          hint: "Say how rows are put together, such as SUM(…) or COUNT(…), or make it a field.",
          path: pathTo("metrics", name),
        },
      ];
    },
  );
  return found.flat();
}
