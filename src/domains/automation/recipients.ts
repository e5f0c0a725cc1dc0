import { and, eq, notExists, sql } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { type Deliveries, type Recipient, webhookEndpoints } from "../../platform/delivery/index.ts";
import { alerts, reports } from "./automation.tables.ts";

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

/** Forgets the signing secrets of webhooks that nothing names any more. */
export async function sweepEndpoints({ db }: Catalog): Promise<void> {
  const namedIn = (table: typeof alerts | typeof reports) =>
    db
      .select({ id: table.id })
      .from(table)
      .where(
        and(
          eq(table.workspaceId, webhookEndpoints.workspaceId),
          sql`jsonb_exists(${table.webhooks}, ${webhookEndpoints.url})`,
        ),
      );
  await db.delete(webhookEndpoints).where(and(notExists(namedIn(alerts)), notExists(namedIn(reports))));
}

/** Channels as somebody names them: those that are set up, and webhooks by their URL. */
export async function chosenChannels(
  deliveries: Deliveries,
  workspaceId: number,
  given: readonly string[],
): Promise<{ channels: string[]; webhooks: string[] }> {
  const urls = given.filter((name) => /^https?:/i.test(name));
  const others = given.filter((name) => !urls.includes(name));
  return {
    channels: await deliveries.channels.namesOf(workspaceId, others),
    webhooks: [...new Set(await Promise.all(urls.map((url) => deliveries.channels.reachable(url))))],
  };
}
