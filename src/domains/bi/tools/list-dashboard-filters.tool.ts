import { z } from "zod";
import { defineTool } from "../define.ts";

/** Lets pages offer the values that a filter can be set to. */
export const listDashboardFilters = defineTool({
  name: "list_dashboard_filters",
  toolset: "dashboards",
  title: "List the filters of a dashboard",
  description: "The filters that viewers of a dashboard can set, and the values that each can be set to.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({ dashboard_id: z.int() }),
  output: z.object({
    filters: z.array(
      z.object({
        name: z.string().describe("As preview_widget and export_dashboard take it"),
        label: z.string(),
        operator: z.string(),
        value: z.unknown(),
        options: z.array(z.string()).nullable().describe("Null where there are too many, or none to choose"),
        is_date: z.boolean(),
      }),
    ),
  }),

  async run({ dashboard_id }, { boards, views, caller }) {
    const dashboard = await boards.dashboard(caller, dashboard_id);
    const widgets = await boards.store.widgetsOf(dashboard_id);
    const shown = await views.filters(caller, dashboard, widgets, {});
    return {
      filters: shown.map(({ filter, name, label, value, options, isDate }) => ({
        ...{ name, label, operator: filter.operator, value: value ?? null, options },
        is_date: isDate,
      })),
    };
  },
});
