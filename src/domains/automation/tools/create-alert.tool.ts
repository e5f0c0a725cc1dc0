import { z } from "zod";
import { ALERT_TYPES } from "../automation.tables.ts";
import { alertShape, alertsOf, defineTool } from "../define.ts";
import { saved, savedShape } from "../saved.ts";
import { adaptShared, changeOf, condition, shared, wireShared } from "./arguments.ts";

const wireInput = z.strictObject({
  datasetId: z.int().describe("Dataset to create the alert on"),
  alertName: z.string().describe("Name for the alert"),
  alertType: z.enum(ALERT_TYPES).describe("Type of alert: conditional, data_not_updated, query_error"),
  alertCondition: condition
    .optional()
    .describe(
      "Condition that triggers the alert (natural language or C9QL). Required for conditional alerts.",
    ),
  ...wireShared,
});

/** Watches a dataset. */
export const createAlert = defineTool({
  name: "create_alert",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_create_alert",
      description:
        "Create an alert on a dataset: conditional (when a C9QL condition matches), data-not-updated, or query error.",
      input: wireInput,
      adapt: ({ datasetId, alertName, alertType, alertCondition, ...rest }: z.output<typeof wireInput>) => ({
        dataset_id: datasetId,
        name: alertName,
        type: alertType,
        condition: alertCondition,
        ...adaptShared(rest),
      }),
    },
  },
  title: "Create an alert",
  description:
    "Mails recipients when rows of a dataset match, it was not updated, or its query fails; answers how it was read.",
  permission: ["bi:read", "bi:write"],
  effect: "write",
  input: z.strictObject({
    dataset_id: z.int(),
    name: z.string(),
    type: z.enum(ALERT_TYPES).default("conditional"),
    condition: condition.optional().describe("amount > 50"),
    ...shared,
  }),
  output: z.object({ alert: alertShape, ...savedShape }),

  async run(
    { dataset_id, name, type, condition, ...rest },
    { alerts, deliveries, schedules, caller, signal },
  ) {
    const wish = { datasetId: dataset_id, name, type, condition, ...changeOf(rest) };
    const alert = await alerts.create(caller, wish);
    const [shown] = await alertsOf({ alerts, schedules }, caller, [alert]);
    return { alert: shown!, ...(await saved({ alerts, deliveries }, caller, alert, signal)) };
  },
});
