import { z } from "zod";
import { FORMAT_NAME } from "./formats.ts";
import { LIMITS } from "./limits.ts";

const { values: most } = LIMITS.drawing;

const label = z.string();
const value = z.number().nullable();

/** A chart to be drawn: what the contract of the agent endpoint calls ChartSpec, and how its numbers read. */
const chartShape = z.object({
  type: z.enum(["bar", "line", "area", "pie", "donut", "scatter", "heatmap", "funnel", "treemap", "gauge"]),
  title: label.default(""),
  xAxisLabel: label.optional(),
  yAxisLabel: label.optional(),
  categories: z.array(label).max(most).optional(),
  series: z
    .array(z.object({ label, data: z.array(value).max(most) }))
    .max(most)
    .optional(),
  slices: z.array(z.object({ label, value })).max(most).optional(),
  points: z
    .array(z.object({ x: value, y: value, label: label.optional() }))
    .max(most)
    .optional(),
  layout: z.enum(["vertical", "horizontal"]).optional(),
  /** Every n-th category is named where there is no room for all: with which n, and counted from where. */
  ticks: z.object({ steps: z.array(z.int().min(1)).max(20), from: z.int().min(0) }).optional(),
  /** Where a gauge ends. */
  target: value.optional(),
  /** The places of periods that are not whole: lines from and to them are dotted, and their bars and areas paler. */
  partial: z.array(z.int().min(0)).max(most).optional(),
  /** Formats of the numbers along both axes, by name; a pie has `y` alone. */
  formats: z
    .object({ x: z.string().regex(FORMAT_NAME).optional(), y: z.string().regex(FORMAT_NAME).optional() })
    .optional(),
});

export type Chart = z.input<typeof chartShape>;

/** Values of a chart, as its bound counts them. */
export function countValues({ series = [], slices = [], points = [] }: Chart): number {
  return series.reduce((sum, { data }) => sum + data.length, slices.length + points.length);
}

/** Axes end a little beyond their largest value, which must still be a number. */
const LARGEST = 1e300;

/** Nothing in the place of what no axis can show. */
export function drawable(value: number | null): number | null {
  return value === null || !(Math.abs(value) <= LARGEST) ? null : value;
}

const format = z.string().regex(FORMAT_NAME).optional();
const cells = z.array(z.union([z.string(), z.number(), z.null()])).max(20);

/** Schema of a subject that comes from outside to be drawn. */
export const subjectShape = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("spec"), chart: chartShape }),
  z.strictObject({
    kind: z.literal("number"),
    title: z.string(),
    label: z.string(),
    value: z.number(),
    format,
  }),
  z.strictObject({
    kind: z.literal("table"),
    title: z.string(),
    columns: z.array(z.strictObject({ label: z.string(), format })).max(20),
    rows: z.array(cells).max(LIMITS.drawing.tableRows),
    rowCount: z.int().min(0),
  }),
]);
