import type { Hover } from "../../api/tools.ts";

/** Dashboards and widgets as tools tell of them, as far as these pages show it. */

export interface Place {
  col: number;
  row: number;
  sizeX: number;
  sizeY: number;
}

export interface BoardWidget {
  widget_id: number;
  name: string;
  chart_type: string;
  dataset_id: number | null;
  place: Place | null;
}

export interface BoardFilter {
  field?: string;
  parameter?: string;
  label?: string;
  operator: string;
  value?: unknown;
}

export interface Version {
  version: number;
  changed_at: string;
}

export interface BoardDetails {
  id: number;
  name: string;
  description: string | null;
  widgets: BoardWidget[];
  filters: BoardFilter[];
  settings: { folder?: string; locale?: string; time_zone?: string };
  access: { shared?: "edit" | "view" | "private"; groups?: number[] };
  may_change: boolean;
  version: number;
  versions?: Version[];
}

export interface Preview {
  hover: Hover | null;
  title: string;
  kind: "picture" | "table" | "text" | "empty" | "error";
  light: string | null;
  dark: string | null;
  table: { columns: string[]; rows: unknown[][]; row_count: number } | null;
  text: string | null;
  notes: string[];
}

/** What create_widget takes. */
export interface Draft {
  name: string;
  dataset_id?: number;
  chart_type: string;
  x_axis: string;
  y_axis: string[];
  group_by: string;
  options: { aggregate?: string; grain?: string; top?: number; filters?: BoardFilter[] };
}

/** Values of filters by name; those that are not named are as the dashboard has them. */
export type Chosen = Record<string, string[]>;

/** Of get_details. */
export interface WidgetDetails {
  name: string;
  chart_type: string;
  dataset_id: number | null;
  x_axis: string | null;
  y_axis: string[];
  group_by: string | null;
  filters: BoardFilter[];
  aggregate?: string;
  grain?: string;
  c9ql?: string | null;
  text?: string;
  top?: number;
}
