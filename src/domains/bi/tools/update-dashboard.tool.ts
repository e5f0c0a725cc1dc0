import { z } from "zod";
import { dashboardOf, dashboardShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { dashboardAccess, dashboardFilter, dashboardSettings } from "../shapes.ts";
import { newWidget, specOf } from "../widget-input.ts";

const { descriptionCharacters, filters, widgetsPerDashboard } = LIMITS.bi;

/** Everything about a dashboard but what its widgets show. */
export const updateDashboard = defineTool({
  name: "update_dashboard",
  toolset: "dashboards",
  title: "Change a dashboard",
  description:
    "Changes only what is named, all or nothing. filters and access replace the former ones. restore_asset with a version undoes it; delete_asset and restore_asset bring widgets away and back.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    dashboard_id: z.int(),
    name: z.string().optional(),
    description: z.string().max(descriptionCharacters).optional(),
    add_widgets: z
      .array(z.unknown().pipe(newWidget))
      .max(widgetsPerDashboard)
      .default([])
      .describe("Each as create_widget"),
    remove_widgets: z.array(z.int()).max(widgetsPerDashboard).default([]),
    filters: z.array(dashboardFilter).max(filters).optional(),
    access: dashboardAccess.optional(),
    settings: dashboardSettings.optional(),
  }),
  output: dashboardShape,

  async run({ dashboard_id, add_widgets, remove_widgets: remove, ...content }, { boards, caller, appUrl }) {
    const add = add_widgets.map(({ name, dataset_id: datasetId, place, ...fields }) => ({
      name,
      datasetId,
      place,
      spec: specOf(fields),
    }));
    const given = Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
    const { dashboard, widgets, moved } = await boards.update(caller, dashboard_id, {
      ...given,
      add,
      remove,
    });
    return { ...dashboardOf(dashboard, widgets, appUrl), ...(moved.length > 0 && { moved }) };
  },
});
