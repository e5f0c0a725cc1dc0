import type { Deliveries, Recipient } from "../../platform/delivery/index.ts";

interface Told {
  workspaceId: number;
  recipients: readonly string[];
  webhooks: readonly string[];
  channels: readonly string[];
}

/** Everybody whom an alert or a report goes to. */
export async function recipientsOf(deliveries: Deliveries, told: Told): Promise<Recipient[]> {
  const { workspaceId, recipients, webhooks, channels } = told;
  return [
    ...recipients.map((target) => ({ channel: "mail" as const, target })),
    ...webhooks.map((target) => ({ channel: "webhook" as const, target })),
    ...(await deliveries.channels.recipients(workspaceId, channels)),
  ];
}
