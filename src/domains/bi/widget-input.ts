import { z } from "zod";
import { LIMITS } from "./limits.ts";
import {
  CHART_TYPES,
  dashboardAccess,
  dashboardFilter,
  dashboardSettings,
  placeShape,
  type WidgetSpec,
  widgetSpec,
} from "./shapes.ts";

// Schemas in full would cost every client some hundred tokens more than these words, in each of four tools: so
// arguments that are seldom needed are described, and checked all the same.
const { chart: _chart, x: _x, y: _y, group: _group, filters: _, ...more } = widgetSpec.shape;
const options = z.strictObject({ ...more, filters: widgetSpec.shape.filters.removeDefault() }).partial();

/** How a widget is described on `/mcp`: the same words in every tool that makes or changes one. */
export const widgetFields = {
  chart_type: z.string().pipe(z.enum(CHART_TYPES)).optional().describe(CHART_TYPES.join(", ")),
  x_axis: z.string().optional(),
  y_axis: z.array(z.string()).max(LIMITS.bi.series).optional().describe("Fields of numbers"),
  group_by: z.string().optional().describe("Legend"),
  options: z
    .unknown()
    .pipe(options)
    .optional()
    .describe(
      "{aggregate: sum|avg|count|distinct|min|max|median, grain: day|week|month…, filters: [{field, operator, value}], c9ql, top, sort, format: percent|money:EUR, target, model: semantic model}",
    ),
};

export const newWidget = z.strictObject({
  name: z.string(),
  dataset_id: z.int().optional(),
  ...widgetFields,
  place: z.unknown().pipe(placeShape).optional().describe("{col, row, sizeX, sizeY}"),
});

/** What dashboards have beside widgets. */
export const dashboardFields = {
  description: z.string().max(LIMITS.bi.descriptionCharacters).optional(),
  filters: z
    .array(z.unknown().pipe(dashboardFilter))
    .max(LIMITS.bi.filters)
    .optional()
    .describe("{field, operator, value, label}; or parameter for $c9_name$ in c9ql"),
  access: z.unknown().pipe(dashboardAccess).optional().describe("{shared: edit|view|private, groups: [id]}"),
  settings: z.unknown().pipe(dashboardSettings).optional().describe("{locale: de-DE, time_zone}"),
};

/** What else the same is called. */
const MEANT: Record<string, Record<string, string>> = {
  chart_type: { table: "datagrid2", number: "singletext", kpi: "singletext", metric: "singletext" },
  aggregate: { average: "avg", mean: "avg", total: "sum", count_distinct: "distinct" },
  grain: {
    hourly: "hour",
    daily: "day",
    weekly: "week",
    monthly: "month",
    quarterly: "quarter",
    yearly: "year",
  },
};

function asMeant(given: object): Record<string, unknown> {
  const known = (key: string, value: unknown) =>
    typeof value === "string" ? (MEANT[key]?.[value.toLowerCase()] ?? value) : value;
  const meant = Object.entries(given).map(([key, value]) => [
    key,
    key === "y_axis" && typeof value === "string" ? [value] : known(key, value),
  ]);
  return Object.fromEntries(meant);
}

/** Options that stand beside the fields are taken for what they are: the list has no schema that says where they belong. */
function withOptions(widget: unknown): unknown {
  if (!isObject(widget)) return widget;
  const { options: inner = {}, ...outer } = asMeant(widget);
  if (!isObject(inner)) return widget;
  const [fields, stray] = [false, true].map((isOption) =>
    Object.fromEntries(Object.entries(outer).filter(([key]) => key in options.shape === isOption)),
  );
  return { ...fields, options: { ...stray, ...asMeant(inner) } };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export const widgetList = z
  .array(z.unknown().transform(withOptions).pipe(newWidget))
  .max(LIMITS.bi.widgetsPerDashboard)
  .default([])
  .describe("As create_widget: [{name, dataset_id, chart_type, x_axis, y_axis: []}]");

export type WidgetInput = z.output<z.ZodObject<typeof widgetFields>>;

/** The fields that were given, as parts of a specification; an empty text takes one away. */
export function specOf(input: WidgetInput, before: Partial<WidgetSpec> = {}): WidgetSpec {
  const { chart_type: chart, x_axis: x, y_axis: y, group_by: group, options = {} } = input;
  const given = Object.entries({ chart, x, y, group, ...options }).filter(([, value]) => value !== undefined);
  const all = { chart: "column", ...before, ...Object.fromEntries(given) };
  return widgetSpec.parse(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== "")));
}

/** Widgets as the tools take them, as wishes. */
export function wishesOf(list: z.output<typeof widgetList>) {
  return list.map(({ name, dataset_id: datasetId, place, ...fields }) => ({
    name,
    datasetId: datasetId ?? null,
    place,
    spec: specOf(fields),
  }));
}
