import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { AssetKinds } from "../../../registry/asset-kind.ts";
import type { Caller } from "../../../registry/caller.ts";
import { alertShape, alertsOf, defineTool } from "../define.ts";

const wireInput = z.strictObject({
  datasetId: z.int().optional().describe("Filter alerts for a specific dataset"),
  widgetId: z.int().optional().describe("Filter alerts for a specific widget"),
});

/** The alerts and how they stand. */
export const listAlerts = defineTool({
  name: "list_alerts",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_list_alerts",
      description: "List alerts accessible to the current user. Optionally filter by dataset or widget.",
      input: wireInput,
      adapt: ({ datasetId, widgetId }: z.output<typeof wireInput>) => ({
        dataset_id: datasetId,
        widget_id: widgetId,
      }),
    },
  },
  title: "List alerts",
  description: "The alerts of this workspace, whether they fire, and when they are checked next.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    dataset_id: z.int().optional(),
    widget_id: z.int().optional().describe("Those on the dataset of this widget"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ total: z.int(), alerts: z.array(alertShape) }),

  async run({ dataset_id, widget_id, limit, offset }, { alerts, alertsStore, schedules, assets, caller }) {
    const datasetId = widget_id === undefined ? dataset_id : await datasetOfWidget(assets, caller, widget_id);
    if (dataset_id !== undefined && datasetId !== dataset_id) return { total: 0, alerts: [] };
    const { total, items } = await alertsStore.list(caller.workspace.id, { datasetId, limit, offset });
    return { total, alerts: await alertsOf({ alerts, schedules }, caller, items) };
  },
});

/** A widget draws a dataset; its alerts are those of that. */
async function datasetOfWidget(assets: AssetKinds, caller: Caller, id: number): Promise<number> {
  if (assets.names().includes("widget")) {
    const kind = await assets.admit(caller, "widget", id, "read");
    const details = await kind.describe(caller, id);
    const found = z.object({ dataset_id: z.int() }).safeParse(details);
    if (found.success) return found.data.dataset_id;
  }
  throw new AppError("not_found", `There is no widget with id ${id} on a dataset.`);
}
