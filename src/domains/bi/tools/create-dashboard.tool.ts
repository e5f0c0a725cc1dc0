import { z } from "zod";
import { dashboardOf, dashboardShape, defineTool } from "../define.ts";
import { dashboardFields, widgetList, wishesOf } from "../shapes.ts";

/** A dashboard with all of its widgets in one call: all or nothing. */
export const createDashboard = defineTool({
  name: "create_dashboard",
  toolset: "dashboards",
  title: "Create a dashboard",
  description:
    "A dashboard with its widgets: all are made, or none. They are placed side by side unless you say where. Filters hold for every widget whose dataset has the field.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({ name: z.string(), widgets: widgetList, ...dashboardFields }),
  output: dashboardShape,

  async run({ name, widgets: list, ...fields }, { boards, caller, appUrl }) {
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const { dashboard, widgets } = await boards.create(caller, { name, ...given, add: wishesOf(list) });
    return dashboardOf(dashboard, widgets, appUrl);
  },
});
