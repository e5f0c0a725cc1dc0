import { z } from "zod";
import { LIMITS } from "./limits.ts";
import {
  AGGREGATES,
  CHART_TYPES,
  filterShape,
  GRAINS,
  placeShape,
  type WidgetSpec,
  widgetSpec,
} from "./shapes.ts";

/** How a widget is described on `/mcp`: the same words in every tool that makes or changes one. */
export const widgetFields = {
  chart_type: z.enum(CHART_TYPES).optional(),
  x_axis: z.string().optional().describe("Field along the axis"),
  y_axis: z
    .array(z.string())
    .max(LIMITS.bi.series)
    .optional()
    .describe("Fields of numbers; none counts rows"),
  group_by: z.string().optional().describe("Field of the legend"),
  aggregate: z.enum(AGGREGATES).optional().describe("Default: sum, avg of rates and prices"),
  grain: z.enum(GRAINS).optional().describe("Of dates; default by their range"),
  filters: z.array(filterShape).max(LIMITS.bi.filters).optional(),
  c9ql: z.string().optional().describe("Applied before the chart; $c9_name$ is a dashboard parameter"),
  top: widgetSpec.shape.top.describe("Values shown; the rest is Other"),
  format: z.string().optional().describe("number, integer, percent, percent:whole or money:EUR"),
  target: z.number().optional().describe("Of a gauge"),
};

export const newWidget = z.strictObject({
  name: z.string(),
  dataset_id: z.int(),
  ...widgetFields,
  place: placeShape.optional().describe("24 columns; first free place if left out"),
});

export type WidgetInput = z.output<z.ZodObject<typeof widgetFields>>;

/** The fields that were given, as parts of a specification. */
export function specOf(input: WidgetInput, before: Partial<WidgetSpec> = {}): WidgetSpec {
  const { chart_type: chart, x_axis: x, y_axis: y, group_by: group, ...rest } = input;
  const given = { chart, x, y, group, ...rest };
  const all = {
    chart: "column",
    ...before,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  return widgetSpec.parse(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
}
