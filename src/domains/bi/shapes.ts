import { z } from "zod";
import { LIMITS as C9QL } from "../data/limits.ts";
import { LIMITS } from "./limits.ts";

export const CHART_TYPES = [
  "column",
  "line",
  "bar",
  "pie",
  "donut",
  "area",
  "scatter",
  "heatmap",
  "funnel",
  "treemap",
  "gauge",
  "singletext",
  "datagrid2",
  "recommendation",
  "text",
] as const;
/** A text is no chart of the contract. */
export const CONTRACT_CHART_TYPES = CHART_TYPES.filter((type) => type !== "text");
export type ChartType = (typeof CHART_TYPES)[number];

const AGGREGATES = ["sum", "avg", "count", "distinct", "min", "max", "median"] as const;
export type Aggregate = (typeof AGGREGATES)[number];

export const GRAINS = ["hour", "day", "week", "month", "quarter", "year"] as const;
export type Grain = (typeof GRAINS)[number];

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** A condition on one field; its operators are those of C9QL's filters, which check the rest. */
export const filterShape = z.strictObject({
  field: z.string().min(1).max(LIMITS.bi.nameCharacters),
  operator: z.string().max(20).default("="),
  // The alternatives as a schema would cost every client a hundred tokens more than these words.
  value: z
    .unknown()
    .pipe(z.union([scalar, z.array(scalar).max(LIMITS.bi.filterValues)]))
    .describe("Value, or list for in and between"),
});
export type Filter = z.output<typeof filterShape>;

const field = z.string().max(LIMITS.bi.nameCharacters);
const { nameCharacters, series, filters } = LIMITS.bi;

/** What a widget shows, and how. */
export const widgetSpec = z.strictObject({
  chart: z.enum(CHART_TYPES),
  x: field.optional(),
  y: z.array(field).max(series).default([]),
  group: field.optional(),
  filters: z.array(filterShape).max(filters).default([]),
  /** A published semantic model in the place of a dataset: `y` are its metrics, `x` and `group` its fields. */
  model: z.string().min(1).max(nameCharacters).optional(),
  c9ql: z.string().max(C9QL.c9ql.textCharacters).optional(),
  aggregate: z.enum(AGGREGATES).optional(),
  grain: z.enum(GRAINS).optional(),
  sort: z.enum(["value", "x", "given"]).optional(),
  top: z.int().min(1).max(LIMITS.bi.bars).optional(),
  format: z
    .string()
    .regex(/^(number|integer|percent|percent:whole|money:[A-Z]{3})$/)
    .optional(),
  target: z.number().optional(),
  /** Of a card that is only read; Markdown. */
  text: z.string().max(LIMITS.bi.textCharacters).optional(),
});
export type WidgetSpec = z.output<typeof widgetSpec>;

/** Where on the 24 columns of a dashboard, counted from 1. */
export const placeShape = z.strictObject({
  col: z.int().min(1).max(LIMITS.bi.columns),
  row: z.int().min(1).max(LIMITS.bi.rows),
  sizeX: z.int().min(1).max(LIMITS.bi.columns),
  sizeY: z.int().min(1).max(LIMITS.bi.tallest),
});
export type Place = z.output<typeof placeShape>;

/** A filter that viewers can change: it holds for every widget whose dataset has the field, or for a parameter of C9QL. */
const dashboardFilter = z.strictObject({
  field: z.string().min(1).max(nameCharacters).optional(),
  parameter: z
    .string()
    .regex(/^\w{1,60}$/)
    .optional()
    .describe("Name of $c9_name$ in widgets' c9ql, instead of field"),
  label: z.string().max(nameCharacters).optional(),
  operator: z.string().max(20).default("="),
  value: filterShape.shape.value.optional().describe("Value at first; none filters nothing"),
});
export type DashboardFilter = z.output<typeof dashboardFilter>;

/** Who may see and change a dashboard beside its owner and admins: `groups` narrows it to theirs. */
export const dashboardAccess = z.strictObject({
  shared: z.enum(["edit", "view", "private"]).default("edit"),
  groups: z.array(z.int()).max(100).optional(),
});
export type DashboardAccess = z.output<typeof dashboardAccess>;

const dashboardSettings = z.strictObject({
  locale: z.string().max(35).optional().describe("Of numbers and dates, such as de-DE"),
  time_zone: z.string().max(60).optional().describe("IANA name; UTC otherwise"),
  folder: z.string().trim().min(1).max(nameCharacters).optional(),
});
export type DashboardSettings = z.output<typeof dashboardSettings>;

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
      "{aggregate: sum|avg|count|distinct|min|max|median, grain: day|week|month…, filters: [{field, operator, value}], c9ql, top, sort, format: percent|money:EUR, target, model, text}",
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
  settings: z.unknown().pipe(dashboardSettings).optional().describe("{locale: de-DE, time_zone, folder}"),
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

type WidgetInput = z.output<z.ZodObject<typeof widgetFields>>;

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
