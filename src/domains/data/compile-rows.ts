import type { JsonValue } from "../../platform/analytics/index.ts";
import type { RowsOptions } from "../../registry/asset-kind.ts";
import {
  type CompiledQuery,
  compileOn,
  type ParameterValue,
  parse,
  refuseUnknownParameters,
} from "./c9ql/index.ts";
import type { Column } from "./dataset.ts";

/** C9QL as SQL over the view "rows"; `ask` runs what must be known of the rows first. */
export function compileRows(
  { c9ql, parameters: values = {}, timeZone: timezone = "UTC" }: Omit<RowsOptions, "signal">,
  columns: readonly Column[],
  now: Date,
  ask: (sql: string, params: readonly string[]) => Promise<{ rows: JsonValue[][] }>,
): Promise<CompiledQuery> {
  const query = parse(c9ql ?? "", { columns });
  // Which values fit depends on the query: compiling checks them.
  const parameters = values as Readonly<Record<string, ParameterValue>>;
  refuseUnknownParameters(query, parameters);
  const options = { columns, source: '"rows"', parameters, now, timezone };
  return compileOn(query, options, async (sql, params) =>
    (await ask(sql, params)).rows.map(([value]) => value as string | null),
  );
}
