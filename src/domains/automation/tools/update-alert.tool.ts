import { z } from "zod";
import { alertShape, alertsOf, defineTool } from "../define.ts";
import { saved, savedShape } from "../saved.ts";
import { adaptShared, changeOf, condition, shared, wireShared } from "./arguments.ts";

const paused = z.boolean().optional().describe("true to pause the alert, false to resume");

const wireInput = z.strictObject({
  alertId: z.int().describe("ID of the alert to update"),
  alertName: z.string().optional().describe("New name for the alert"),
  alertCondition: condition.optional().describe("New condition (natural language or C9QL)"),
  ...wireShared,
  paused,
});

/** Changes an alert; whoever does becomes its owner. */
export const updateAlert = defineTool({
  name: "update_alert",
  toolset: "alerts",
  wire: {
    bi: {
      name: "knowi_update_alert",
      description: "Update an existing alert. Only specified fields are changed.",
      input: wireInput,
      adapt: ({ alertId, alertName, alertCondition, paused, ...rest }: z.output<typeof wireInput>) => ({
        alert_id: alertId,
        name: alertName,
        condition: alertCondition,
        paused,
        ...adaptShared(rest),
      }),
    },
  },
  title: "Change an alert",
  description:
    "Changes what is given. Whoever changes more than the pause becomes the owner, whose rights it is checked with.",
  permission: ["bi:read", "bi:write"],
  effect: "write",
  input: z.strictObject({
    alert_id: z.int(),
    name: z.string().optional(),
    condition: condition.optional(),
    paused,
    ...shared,
  }),
  output: z.object({ alert: alertShape, ...savedShape }),

  async run(
    { alert_id, name, condition, paused, ...rest },
    { alerts, deliveries, schedules, caller, signal },
  ) {
    const before = await alerts.require(caller, alert_id);
    const alert = await alerts.change(caller, before, { name, condition, paused, ...changeOf(rest) });
    const [shown] = await alertsOf({ alerts, schedules }, caller, [alert]);
    return { alert: shown!, ...(await saved({ alerts, deliveries }, caller, alert, signal)) };
  },
});
