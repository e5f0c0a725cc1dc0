import { z } from "zod";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Data, DatasetsStore } from "../data/index.ts";
import type { Dashboard, Widget } from "./boards.store.ts";
import type { Boards } from "./boards.ts";
import type { EffectiveViewers } from "./effective-viewers.ts";
import type { Embeds } from "./embeds.ts";
import type { Exports } from "./export/exports.ts";
import type { ExportLinks } from "./export/links.ts";
import type { InsightFinder } from "./insights/insights.ts";
import type { ModelSources } from "./query/model-source.ts";
import type { Sources } from "./query/source.ts";
import { placeShape } from "./shapes.ts";
import type { Views } from "./views.ts";

/** What the tools of this slice work with. */
export interface BiServices {
  boards: Boards;
  viewers: EffectiveViewers;
  sources: Sources;
  modelSources: ModelSources;
  views: Views;
  exports: Exports;
  exportLinks: ExportLinks;
  embeds: Embeds;
  insights: InsightFinder;
  data: Data;
  datasets: DatasetsStore;
  appUrl: string;
}

export const defineTool = toolsOf<BiServices>();

export const widgetShape = z.object({
  widget_id: z.int(),
  name: z.string(),
  chart_type: z.string(),
  dashboard_id: z.int().nullable(),
  dataset_id: z.int().nullable(),
  place: placeShape.nullable(),
});

export function widgetOf({
  id,
  name,
  spec,
  dashboardId,
  datasetId,
  place,
}: Widget): z.output<typeof widgetShape> {
  return {
    widget_id: id,
    name,
    chart_type: spec.chart,
    dashboard_id: dashboardId,
    dataset_id: datasetId,
    place,
  };
}

/** A dashboard with its widgets, as the tools that change one report it. */
export const dashboardShape = z.object({
  dashboard_id: z.int(),
  name: z.string(),
  url: z.string(),
  version: z.int(),
  widgets: z.array(widgetShape),
  moved: z.array(z.int()).optional().describe("Widgets that had to make room"),
});

export function dashboardOf(
  { id, name, version }: Dashboard,
  widgets: readonly Widget[],
  appUrl: string,
): z.output<typeof dashboardShape> {
  return { dashboard_id: id, name, url: `${appUrl}/d/${id}`, version, widgets: widgets.map(widgetOf) };
}
