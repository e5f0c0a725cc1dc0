import { z } from "zod";
import { defineTool } from "../define.ts";
import { reportShape, reportsOf } from "../reports/report-shape.ts";

/** The reports, and when each is sent next. */
export const listReports = defineTool({
  name: "list_reports",
  toolset: "alerts",
  title: "List reports",
  description:
    "The scheduled reports that you may see, and when each is sent next. get_details tells what was sent to whom.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    dashboard_id: z.int().optional(),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ total: z.int(), reports: z.array(reportShape) }),

  async run({ dashboard_id, limit, offset }, { reports, schedules, caller }) {
    const all = await reports.visible(caller);
    const found = all.filter(({ dashboardId }) => dashboard_id === undefined || dashboardId === dashboard_id);
    return {
      total: found.length,
      reports: await reportsOf({ schedules }, caller, found.slice(offset, offset + limit)),
    };
  },
});
