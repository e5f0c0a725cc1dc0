import { z } from "zod";
import { dashboardOf, dashboardShape, defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { dashboardFields, widgetList, wishesOf } from "../shapes.ts";

/** Everything about a dashboard but what its widgets show. */
export const updateDashboard = defineTool({
  name: "update_dashboard",
  toolset: "dashboards",
  title: "Change a dashboard",
  description:
    "Changes only what is named, all or nothing; filters, access and settings replace the former ones. restore_asset undoes it by version, and brings removed widgets back.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    dashboard_id: z.int(),
    name: z.string().optional(),
    add_widgets: widgetList,
    remove_widgets: z.array(z.int()).max(LIMITS.bi.widgetsPerDashboard).default([]),
    ...dashboardFields,
  }),
  output: dashboardShape,

  async run({ dashboard_id, add_widgets, remove_widgets: remove, ...fields }, { boards, caller, appUrl }) {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const change = { ...given, add: wishesOf(add_widgets), remove };
    const { dashboard, widgets, moved } = await boards.update(caller, dashboard_id, change);
    return { ...dashboardOf(dashboard, widgets, appUrl), ...(moved.length > 0 && { moved }) };
  },
});
