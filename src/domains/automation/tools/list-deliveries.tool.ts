import { z } from "zod";
import { DELIVERY_STATES } from "../../../platform/delivery/index.ts";
import { defineTool } from "../define.ts";
import { deliveryOf, deliveryShape, subjectsOf } from "../recipients.ts";

/** What was sent to whom, and what could not be. */
export const listDeliveries = defineTool({
  name: "list_deliveries",
  toolset: "alerts",
  title: "List deliveries",
  description: "Messages to each recipient, newest first: sent, waiting for another try, or dead (given up).",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    state: z.enum(DELIVERY_STATES).optional(),
    alert_id: z.int().optional(),
    report_id: z.int().optional(),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    deliveries: z.array(
      deliveryShape.extend({
        subject: z.string(),
        created_at: z.string(),
        settled_at: z.string().nullable(),
      }),
    ),
  }),

  async run({ state, alert_id, report_id, limit, offset }, context) {
    const { deliveries, reports, caller } = context;
    const of = alert_id === undefined ? `report:${report_id}:` : `alert:${alert_id}:`;
    const keyPrefix = (alert_id ?? report_id) === undefined ? undefined : of;
    const only = await reports.readable(caller);
    const options = { state, keyPrefix, only, limit, offset };
    const { total, items } = await deliveries.list(caller.workspace.id, options);
    const subjects = await subjectsOf(context, caller, items);
    return {
      total,
      deliveries: items.map((item) => ({
        ...deliveryOf(item, caller, subjects.get(item.runKey)),
        subject: item.subject,
        created_at: item.createdAt.toISOString(),
        settled_at: item.settledAt?.toISOString() ?? null,
      })),
    };
  },
});
