import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { deliveryOf, deliveryShape, subjectsOf } from "../recipients.ts";

/** Sends again what was given up. */
export const retryDelivery = defineTool({
  name: "retry_delivery",
  toolset: "alerts",
  title: "Send again",
  description: "Gives a dead delivery all of its tries again. The recipient sees the same message id.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({ delivery_id: z.int().describe("See list_deliveries") }),
  output: deliveryShape,

  async run({ delivery_id }, context) {
    const { deliveries, reports, caller } = context;
    const only = await reports.readable(caller);
    const retried = await deliveries.retry(caller.workspace.id, delivery_id, LIMITS.alerts.noticeMs, only);
    return deliveryOf(retried, caller, (await subjectsOf(context, caller, [retried])).get(retried.runKey));
  },
});
