import { z } from "zod";
import { defineTool, widgetOf, widgetShape } from "../define.ts";
import { CONTRACT_CHART_TYPES, newWidget, specOf } from "../shapes.ts";

const LISTED = CONTRACT_CHART_TYPES.join(", ");

interface ContractInput {
  name: string;
  datasetId: number;
  chartType: (typeof CONTRACT_CHART_TYPES)[number];
  xAxis?: string;
  yAxis?: string;
  groupBy?: string;
  series?: string;
  dashboardId?: number;
}

/** A chart, number or table over a dataset. */
export const createWidget = defineTool({
  name: "create_widget",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_create_widget",
      description:
        "Create a visualization on a dataset. Use knowi_get_data with a small limit first to inspect field names: a wrong one is refused with the right ones.",
      input: z.strictObject({
        name: z.string().describe("Widget name"),
        datasetId: z.int().describe("Dataset to visualize"),
        chartType: z
          .enum(CONTRACT_CHART_TYPES)
          .default("column")
          .describe(`Chart type: ${LISTED}. Default: column`),
        xAxis: z
          .string()
          .optional()
          .describe("Field name for x-axis (exact field name from dataset). Required for chart types."),
        yAxis: z
          .string()
          .optional()
          .describe("Field name for y-axis/value (exact field name from dataset). Required for chart types."),
        groupBy: z.string().optional().describe("Field name for grouping/legend (creates multiple series)"),
        series: z
          .string()
          .optional()
          .describe("Comma-separated metric field names for multiple y-axis series"),
        dashboardId: z
          .int()
          .optional()
          .describe("Dashboard to add the widget to. If omitted, widget is created standalone."),
      }),
      adapt: ({ name, datasetId, chartType, xAxis, yAxis, groupBy, series, dashboardId }: ContractInput) => ({
        name,
        dataset_id: datasetId,
        dashboard_id: dashboardId,
        chart_type: chartType,
        x_axis: xAxis,
        y_axis: [...new Set([...(yAxis ? [yAxis] : []), ...fieldsIn(series)])],
        group_by: groupBy,
      }),
    },
  },
  title: "Create a widget",
  description:
    "A chart, number (singletext) or table (datagrid2) on a dataset. It is grouped by x_axis and group_by. See the fields with get_data first.",
  permission: "bi:write",
  effect: "write",
  input: newWidget.extend({ dashboard_id: z.int().optional() }),
  output: widgetShape.extend({ message: z.string(), url: z.string().nullable() }),

  async run({ name, dataset_id: datasetId, dashboard_id, place, ...fields }, { boards, caller, appUrl }) {
    const widget = await boards.createWidget(
      caller,
      { name, datasetId: datasetId ?? null, spec: specOf(fields), place },
      dashboard_id,
    );
    const where = dashboard_id === undefined ? "" : ` on dashboard ${dashboard_id}`;
    return {
      ...widgetOf(widget),
      message: `Created widget ${widget.id}${where}`,
      url: dashboard_id === undefined ? null : `${appUrl}/d/${dashboard_id}`,
    };
  },
});

function fieldsIn(series: string | undefined): string[] {
  return (series ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
