import { z } from "zod";
import { defineTool, widgetOf, widgetShape } from "../define.ts";

/** Of one answer. */
const MOST = 1_000;

const name = z.string().max(200).describe("Widget name to search for (substring match)");

/** Widgets by a part of their name. */
export const findWidget = defineTool({
  name: "find_widget",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_find_widget",
      description: "Find widgets by name, optionally scoped to a dashboard.",
      input: z.strictObject({
        name,
        dashboardId: z.int().optional().describe("Limit search to a specific dashboard"),
      }),
      adapt: ({ name, dashboardId }: { name: string; dashboardId?: number }) => ({
        name,
        dashboard_id: dashboardId,
        limit: MOST,
      }),
    },
  },
  title: "Find widgets",
  description: "Widgets whose name contains a text, with chart type and dataset.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    name,
    dashboard_id: z.int().optional(),
    limit: z.int().min(1).max(MOST).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    message: z.string(),
    total: z.int(),
    widgets: z.array(
      widgetShape.extend({ dashboard: z.string().nullable(), dataset: z.string().nullable() }),
    ),
  }),

  async run({ name, dashboard_id: dashboardId, limit, offset }, { boards, datasets, caller }) {
    if (dashboardId !== undefined) await boards.dashboard(caller, dashboardId);
    const { total, items } = await boards.store.listWidgets(caller, { name, dashboardId, limit, offset });
    const ids = [...new Set(items.flatMap(({ widget }) => widget.datasetId ?? []))];
    const found = await Promise.all(ids.map((id) => datasets.find(caller.workspace.id, id)));
    const nameOf = new Map(
      found.flatMap((dataset) => (dataset === undefined ? [] : [[dataset.id, dataset.name]])),
    );
    return {
      message: `Found ${total} ${total === 1 ? "widget" : "widgets"}${items.length < total ? `, of which ${items.length} are listed` : ""}`,
      total,
      widgets: items.map(({ widget, dashboard }) => ({
        ...widgetOf(widget),
        dashboard: dashboard?.name ?? null,
        dataset: nameOf.get(widget.datasetId ?? 0) ?? null,
      })),
    };
  },
});
