import { MS } from "../../kernel/clock.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Dataset } from "../data/index.ts";
import type { Alert } from "./alerts.store.ts";
import type { EvaluationParts } from "./evaluate.ts";
import { LIMITS } from "./limits.ts";

/** On how many days of the past an alert would have found rows. */
export interface Backtest {
  days: number;
  matchedDays: number;
}

/**
 * By the date that the rows which match have; null where they have none, or several: what a sum over all rows was
 * on a day that is past cannot be said.
 */
export async function backtest(
  { data, clock }: Pick<EvaluationParts, "data" | "clock">,
  caller: Caller,
  dataset: Dataset,
  { type, c9ql, zone }: Pick<Alert, "type" | "c9ql" | "zone">,
  signal: AbortSignal,
): Promise<Backtest | null> {
  if (type !== "conditional" || c9ql === null || dataset.columns.length === 0) return null;
  const { columns } = await data.read(caller, dataset, { c9ql, timeZone: zone, limit: 1, signal });
  const dated = columns.filter(({ name, type }) => /^(?:DATE|TIMESTAMP)/.test(type) || isDay(name, type));
  const [column] = dated;
  if (column === undefined || dated.length > 1) return null;
  const { backtestDays: days } = LIMITS.alerts;
  const from = new Date(clock.now().getTime() - days * MS.day).toISOString().slice(0, 10);
  const name = `\`${column.name.replaceAll("`", "``")}\``;
  const day = isDay(column.name, column.type) ? name : `date_trunc(${name}, day)`;
  const asked = `${c9ql};\nselect ${day} as k9d, count(*) as k9n where ${name} >= '${from}' group by 1`;
  const found = await data.read(caller, dataset, { c9ql: asked, timeZone: zone, limit: 1, signal });
  return { days, matchedDays: found.totalRows };
}

/** As conditions on numbers of each day write it. */
function isDay(name: string, type: string): boolean {
  return name === "day" && type === "VARCHAR";
}
