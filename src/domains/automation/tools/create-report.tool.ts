import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { REPORT_FORMATS } from "../automation.tables.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { WEEKDAYS } from "../reports/report-shape.ts";
import { adaptShared, changeOf, savedReport, savedShape, shared, wireShared } from "./report-arguments.ts";

const widgetIds = z.array(z.int()).max(LIMITS.reports.widgets).optional();

const wireInput = z.strictObject({
  dashboardId: z.int().optional().describe("Dashboard to include in the report"),
  widgetIds: widgetIds.describe("Widget IDs to include (for widget-level reports)"),
  ...wireShared,
  slackName: z.string().optional().describe('Slack channel or config name (e.g. "#general", "sales-team")'),
  teamsActionIds: z
    .array(z.int())
    .max(20)
    .optional()
    .describe("Teams integration IDs configured in the workspace"),
  dayOfWeek: z.enum(WEEKDAYS).optional().describe("Day for weekly reports. Default: MONDAY"),
  dayOfMonth: z.int().min(1).max(28).optional().describe("Day of month for monthly reports. Default: 1"),
  format: z.enum(REPORT_FORMATS).optional().describe("Report format. Default: pdf"),
  exportCSV: z.boolean().optional().describe("Include CSV data export (widget-level reports only)"),
  includeRecommendations: z.boolean().optional().describe("Include AI recommendations in the report"),
});

/** Sends a dashboard or widgets to people, again and again. */
export const createReport = defineTool({
  name: "create_report",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_create_report",
      description:
        "Create a scheduled report that sends a dashboard or widgets via Email, Slack, or Teams. One of dashboardId or widgetIds is required, and at least one delivery channel.",
      input: wireInput,
      adapt: (given: z.output<typeof wireInput>) => {
        const { slackName, teamsActionIds } = given;
        const { dashboardId, widgetIds, dayOfWeek, dayOfMonth, format, exportCSV, includeRecommendations } =
          given;
        if ((dashboardId === undefined) === (widgetIds === undefined || widgetIds.length === 0))
          throw new AppError("bad_request", "One of dashboardId or widgetIds is required, and only one.");
        return {
          dashboard_id: dashboardId,
          widget_ids: widgetIds,
          day_of_week: dayOfWeek,
          day_of_month: dayOfMonth,
          format,
          export_csv: exportCSV,
          include_recommendations: includeRecommendations,
          channels: [...(slackName === undefined ? [] : [slackName]), ...(teamsActionIds ?? []).map(String)],
          ...adaptShared(given),
        };
      },
    },
  },
  title: "Create a report",
  description:
    "Sends what you may see of a dashboard or widgets: by default daily, or once (send_now, paused).",
  permission: ["bi:read", "bi:write"],
  effect: "write",
  timeoutMs: LIMITS.reports.waitMs + KERNEL.call.defaultTimeoutMs,
  input: z.strictObject({
    dashboard_id: z.int().optional(),
    widget_ids: widgetIds,
    paused: z.boolean().optional(),
    ...shared,
  }),
  output: savedShape,

  async run({ dashboard_id, widget_ids, paused, send_now, ...rest }, context) {
    const { reports, caller } = context;
    const report = await reports.create(caller, {
      dashboardId: dashboard_id,
      widgetIds: widget_ids,
      paused,
      ...changeOf(rest),
    });
    return savedReport(context, report, send_now);
  },
});
