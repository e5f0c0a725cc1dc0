import { column, descending, type RowQuery, rowQuery, truncated } from "../../data/index.ts";
import type { Grain, WidgetSpec } from "../shapes.ts";
import { isTime, labelOf, planOf } from "./plan.ts";
import { grainOf, rawRows } from "./points.ts";
import { isNumber, type Source } from "./source.ts";

/** The rows that a widget is drawn of, under names that people know; undefined where it shows rows as they are. */
export async function rowsOfWidget(spec: WidgetSpec, source: Source): Promise<RowQuery | undefined> {
  const plan = planOf(spec, source);
  const { chart, x, group, measures } = plan;
  const isRaw =
    chart === "datagrid2" ||
    chart === "recommendation" ||
    (chart === "scatter" && x !== undefined && isNumber(x));
  if (isRaw) return rawRows(spec, plan);
  const grain = x !== undefined && isTime(x) ? (spec.grain ?? (await grainOf(x, source))) : undefined;
  const along = x === undefined ? [] : [grain === undefined ? x.name : truncatedAs(x.name, grain)];
  const keys = [...along, ...(group === undefined ? [] : [group.name])];
  const values = measures.map((measure) => [labelOf(measure), measure.value] as const);
  const byKeys = keys.map((_, i) => i + 1);
  const isOrdered = x === undefined || isTime(x) || isNumber(x);
  const orderBy = isOrdered ? byKeys : [descending(keys.length + 1), ...byKeys];
  return rowQuery({
    select: [...keys, ...values],
    ...(keys.length > 0 && { groupBy: keys.length, orderBy }),
  });
}

function truncatedAs(name: string, grain: Grain) {
  return [name, truncated(column(name), grain)] as const;
}
