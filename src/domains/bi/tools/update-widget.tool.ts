import { z } from "zod";
import { defineTool, widgetOf, widgetShape } from "../define.ts";
import { CONTRACT_CHART_TYPES, type Filter, filterShape, specOf, widgetFields } from "../shapes.ts";

/** `recommendation` can be made, and not chosen later: so the contract has it. */
const CHANGEABLE = CONTRACT_CHART_TYPES.filter((type) => type !== "recommendation");

interface ContractInput {
  widgetId: number;
  filters?: Filter[];
  c9ql?: string;
  chartType?: (typeof CHANGEABLE)[number];
  widgetName?: string;
  xAxis?: string;
  yAxis?: string;
  groupBy?: string;
}

/** What a widget shows, and how. */
export const updateWidget = defineTool({
  name: "update_widget",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_update_widget",
      description:
        "Update an existing widget's data transformations (filters, aggregations, sorting) and/or display settings (chart type, name). Changes are saved server-side immediately.",
      input: z.strictObject({
        widgetId: z.int().describe("ID of the widget to update"),
        filters: z
          .array(filterShape)
          .optional()
          .describe(
            "Filters to apply. Each: {field, operator (=, !=, >, <, >=, <=, like, in, between), value}. Replaces existing filters.",
          ),
        c9ql: z
          .string()
          .optional()
          .describe(
            "Raw C9QL query to set as data transformation. Replaces the entire transformation if provided.",
          ),
        chartType: z
          .enum(CHANGEABLE)
          .optional()
          .describe(`New chart type: ${CHANGEABLE.join(", ")}`),
        widgetName: z.string().optional().describe("New name for the widget"),
        xAxis: z.string().optional().describe("New x-axis field (exact field name from dataset)"),
        yAxis: z.string().optional().describe("New y-axis field (exact field name from dataset)"),
        groupBy: z.string().optional().describe("New group-by/legend field"),
      }),
      adapt: ({ widgetId, filters, c9ql, chartType, widgetName, xAxis, yAxis, groupBy }: ContractInput) => ({
        widget_id: widgetId,
        name: widgetName,
        ...((filters !== undefined || c9ql !== undefined) && {
          options: { ...(filters !== undefined && { filters }), ...(c9ql !== undefined && { c9ql }) },
        }),
        chart_type: chartType,
        x_axis: xAxis,
        ...(yAxis !== undefined && { y_axis: yAxis === "" ? [] : [yAxis] }),
        group_by: groupBy,
      }),
    },
  },
  title: "Change a widget",
  description:
    "Changes only what is named; an empty text takes a field away. c9ql replaces filters too, unless they come with it. restore_asset undoes it by version.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    widget_id: z.int(),
    name: z.string().optional(),
    dataset_id: z.int().optional(),
    ...widgetFields,
  }),
  output: widgetShape.extend({ version: z.int(), message: z.string() }),

  async run({ widget_id, name, dataset_id: datasetId, ...fields }, { boards, caller }) {
    const { options } = fields;
    const filters = options?.filters ?? (options?.c9ql === undefined ? undefined : []);
    const change = { ...fields, options: { ...options, ...(filters !== undefined && { filters }) } };
    const saysWhat = Object.values(fields).some((value) => value !== undefined);
    let former = 0;
    const widget = await boards.updateWidget(caller, widget_id, ({ spec, version }) => {
      former = version;
      return {
        ...(name !== undefined && { name }),
        ...(datasetId !== undefined && { datasetId }),
        ...(saysWhat && { spec: specOf(change, spec) }),
      };
    });
    const { id, version } = widget;
    const message =
      version === former ? `Widget ${id} is as it was: nothing changed` : `Updated widget ${id}`;
    return { ...widgetOf(widget), version, message };
  },
});
