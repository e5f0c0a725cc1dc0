import { cartesianOf } from "./cartesian.ts";
import type { Chart } from "./chart.ts";
import { funnelOf } from "./funnel.ts";
import { gaugeOf } from "./gauge.ts";
import { heatmapOf } from "./heatmap.ts";
import type { Look } from "./look.ts";
import { pieOf } from "./pie.ts";
import { scatterOf } from "./scatter.ts";
import type { Measure } from "./text.ts";
import { treemapOf } from "./treemap.ts";

/** Tooltip data: by category, or by mark. */
export type Hover =
  | {
      by: "category";
      axis: "x" | "y";
      /** Where a line through the category begins and ends; bars need none. */
      guide: { top: number; bottom: number } | null;
      titles: string[];
      series: { name: string; colour: string; values: string[] }[];
    }
  | { by: "mark"; titles: string[]; lines: string[] };

export interface ChartDrawing {
  kind: "chart";
  title: string;
  height: number;
  /** Of ECharts, as JSON: formats stand in it by name. */
  option: Record<string, unknown>;
  hover: Hover | null;
}

export interface TableColumn {
  label: string;
  /** The format of its numbers; a column of texts has none. */
  format?: string | undefined;
}

/** Everything that can be drawn. */
export type Drawing =
  | ChartDrawing
  | {
      kind: "number";
      title: string;
      label: string;
      value: number;
      format?: string | undefined;
      /** Beside what it was before. */
      change?: { text: string; isUp: boolean } | undefined;
      /** The way to it, drawn as a small line. */
      spark?: (number | null)[] | undefined;
    }
  | {
      kind: "table";
      title: string;
      columns: TableColumn[];
      rows: (string | number | null)[][];
      rowCount: number;
      /** Where there are more than these. */
      columnCount?: number | undefined;
      /** How many of them stand before these. */
      firstColumn?: number | undefined;
      /** Below the rows: sums of the columns that have one. */
      totals?: (number | null)[] | undefined;
    }
  | { kind: "text"; title: string; text: string }
  | { kind: "empty"; title: string; why: string }
  | { kind: "error"; title: string; what: string; next: string };

/** What is handed over to be drawn: a chart still has to become a drawing. */
export type Subject = { kind: "spec"; chart: Chart } | Exclude<Drawing, { kind: "chart" }>;

/** A chart as a drawing. Pure: the same chart, look and font give the same drawing. */
export function drawingOf(chart: Chart, look: Look, measure: Measure): Drawing {
  switch (chart.type) {
    case "bar":
    case "line":
    case "area":
      return cartesianOf(chart, look, measure);
    case "pie":
    case "donut":
      return pieOf(chart, look, measure);
    case "scatter":
      return scatterOf(chart, look, measure);
    case "heatmap":
      return heatmapOf(chart, look, measure);
    case "funnel":
      return funnelOf(chart, look, measure);
    case "treemap":
      return treemapOf(chart, look, measure);
    case "gauge":
      return gaugeOf(chart, look, measure);
  }
}
