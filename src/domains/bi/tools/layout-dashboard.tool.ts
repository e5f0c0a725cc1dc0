import { z } from "zod";
import { dashboardOf, dashboardShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { type Place, placeShape } from "../shapes.ts";

interface ContractInput {
  dashboardId: number;
  widgets: ({ widgetId: number } & Place)[];
}

const { widgetsPerDashboard } = LIMITS.bi;

/** Where widgets stand. */
export const layoutDashboard = defineTool({
  name: "layout_dashboard",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_layout_dashboard",
      description: "Set widget positions and sizes on a dashboard. Grid is 24 columns wide.",
      input: z.strictObject({
        dashboardId: z.int().describe("Dashboard ID"),
        widgets: z
          .array(placeShape.extend({ widgetId: z.int() }))
          .min(1)
          .max(widgetsPerDashboard)
          .describe("Widget positions. Each: {widgetId, col (1-24), row (1+), sizeX (1-24), sizeY (1-16)}"),
      }),
      adapt: ({ dashboardId, widgets }: ContractInput) => ({
        dashboard_id: dashboardId,
        widgets: widgets.map(({ widgetId, ...place }) => ({ widget_id: widgetId, ...place })),
      }),
    },
  },
  title: "Lay out a dashboard",
  description:
    "Puts widgets at places on the grid of 24 columns. Two that would overlap are refused; others in the way make room. A widget that stands alone comes onto the dashboard.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    dashboard_id: z.int(),
    widgets: z
      .array(placeShape.extend({ widget_id: z.int() }))
      .min(1)
      .max(widgetsPerDashboard),
  }),
  output: dashboardShape.extend({ message: z.string() }),

  async run({ dashboard_id, widgets: wanted }, { boards, caller, appUrl }) {
    const places = new Map(wanted.map(({ widget_id, ...place }) => [widget_id, place]));
    const { dashboard, widgets, moved } = await boards.update(caller, dashboard_id, { places });
    const message = `Placed ${places.size} ${places.size === 1 ? "widget" : "widgets"} on dashboard ${dashboard_id}`;
    return { message, ...dashboardOf(dashboard, widgets, appUrl), ...(moved.length > 0 && { moved }) };
  },
});
