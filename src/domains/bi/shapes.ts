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
] as const;
export type ChartType = (typeof CHART_TYPES)[number];

export const AGGREGATES = ["sum", "avg", "count", "distinct", "min", "max", "median"] as const;
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
export const dashboardFilter = z.strictObject({
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

export const dashboardSettings = z.strictObject({
  locale: z.string().max(35).optional().describe("Of numbers and dates, such as de-DE"),
  time_zone: z.string().max(60).optional().describe("IANA name; UTC otherwise"),
});
export type DashboardSettings = z.output<typeof dashboardSettings>;
