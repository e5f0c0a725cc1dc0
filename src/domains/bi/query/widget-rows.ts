import type { WidgetSpec } from "../shapes.ts";
import { isTime, labelOf, planOf } from "./plan.ts";
import { grainOf, rawRows } from "./points.ts";
import { isNumber, quoted, type Source } from "./source.ts";

/** C9QL for the rows that a widget is drawn of, under names that people know; empty where it shows rows as they are. */
export async function rowsOfWidget(spec: WidgetSpec, source: Source): Promise<string> {
  const plan = planOf(spec, source);
  const { chart, x, group, measures } = plan;
  const isRaw =
    chart === "datagrid2" ||
    chart === "recommendation" ||
    (chart === "scatter" && x !== undefined && isNumber(x));
  if (isRaw) return rawRows(spec, plan);
  const grain = x !== undefined && isTime(x) ? (spec.grain ?? (await grainOf(x, source))) : undefined;
  const keys = [
    ...(x === undefined
      ? []
      : [
          grain === undefined
            ? quoted(x.name)
            : `date_trunc(${quoted(x.name)}, ${grain}) as ${quoted(x.name)}`,
        ]),
    ...(group === undefined ? [] : [quoted(group.name)]),
  ];
  const values = measures.map((measure) => `${measure.formula} as ${quoted(labelOf(measure))}`);
  const by = keys.map((_, i) => i + 1).join(", ");
  const isOrdered = x === undefined || isTime(x) || isNumber(x);
  const order = isOrdered ? by : `${keys.length + 1} desc, ${by}`;
  return `select ${[...keys, ...values].join(", ")}${keys.length === 0 ? "" : ` group by ${by} order by ${order}`}`;
}
