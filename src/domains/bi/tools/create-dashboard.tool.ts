import { z } from "zod";
import { dashboardOf, dashboardShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { dashboardAccess, dashboardFilter, dashboardSettings } from "../shapes.ts";
import { newWidget, specOf } from "../widget-input.ts";

const { descriptionCharacters, filters, widgetsPerDashboard } = LIMITS.bi;

/** A dashboard with all of its widgets in one call: all or nothing. */
export const createDashboard = defineTool({
  name: "create_dashboard",
  toolset: "dashboards",
  title: "Create a dashboard",
  description:
    "A dashboard, with its widgets if you give them (as create_widget takes them): all are made, or none. Filters hold for every widget whose dataset has the field.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    name: z.string(),
    description: z.string().max(descriptionCharacters).optional(),
    // Its schema stands in create_widget; twice it would cost every client two hundred tokens more.
    widgets: z
      .array(z.unknown().pipe(newWidget))
      .max(widgetsPerDashboard)
      .default([])
      .describe("Each as create_widget: {name, dataset_id, chart_type, x_axis, y_axis: [], …}"),
    filters: z.array(dashboardFilter).max(filters).default([]),
    access: dashboardAccess.optional(),
    settings: dashboardSettings.optional(),
  }),
  output: dashboardShape,

  async run({ name, description, widgets, filters, access, settings }, { boards, caller, appUrl }) {
    const add = widgets.map(({ name, dataset_id: datasetId, place, ...fields }) => ({
      name,
      datasetId,
      place,
      spec: specOf(fields),
    }));
    const made = await boards.create(caller, {
      name,
      filters,
      add,
      ...(description !== undefined && { description }),
      ...(access !== undefined && { access }),
      ...(settings !== undefined && { settings }),
    });
    return dashboardOf(made.dashboard, made.widgets, appUrl);
  },
});
