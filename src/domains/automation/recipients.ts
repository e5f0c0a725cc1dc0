import { and, eq, notExists, sql } from "drizzle-orm";
import { z } from "zod";
import type { Catalog } from "../../platform/catalog/index.ts";
import {
  CHANNEL_KINDS,
  type Channel,
  type Deliveries,
  type Delivery,
  type Recipient,
  webhookEndpoints,
} from "../../platform/delivery/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { alerts, reports } from "./automation.tables.ts";
import type { AutomationServices } from "./define.ts";
import { looksAfter, type Tended } from "./owner.ts";

interface NoticeContent {
  workspaceId: number;
  recipients: readonly string[];
  webhooks: readonly string[];
  channels: readonly string[];
}

/** Everybody whom an alert or a report goes to. */
export async function recipientsOf(deliveries: Deliveries, told: NoticeContent): Promise<Recipient[]> {
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

/** A message to one recipient, as tools tell of it. */
export const deliveryShape = z.object({
  delivery_id: z.int(),
  channel: z.string(),
  target: z.string(),
  state: z.enum(["waiting", "sent", "dead"]),
  tries: z.int(),
  error: z.string().nullable(),
  note: z.string().nullable().describe("Where it went: without a mail server, the file in the data folder"),
});

const SUBJECT = /^(?:trouble:)?(alert|alert-test|report):(\d+):/;

/** The alerts and reports that these messages are of, by the keys of the messages. */
export async function subjectsOf(
  { alertsStore, reportsStore }: Pick<AutomationServices, "alertsStore" | "reportsStore">,
  { workspace }: Caller,
  items: readonly Pick<Delivery, "runKey">[],
): Promise<ReadonlyMap<string, Tended | undefined>> {
  const keys = [...new Set(items.map(({ runKey }) => runKey))];
  const found = keys.map(async (key) => {
    const [, kind, id] = SUBJECT.exec(key) ?? [];
    if (kind === undefined) return [key, undefined] as const;
    const store = kind === "report" ? reportsStore : alertsStore;
    return [key, await store.find(workspace.id, Number(id))] as const;
  });
  return new Map(await Promise.all(found));
}

/** What came back, and the file it went to, is told to those who look after it; addresses to those who gave them. */
export function deliveryOf(
  { id, channel, target, state, tries, lastError, note, createdAt }: Delivery,
  caller: Caller,
  subject: Tended | undefined,
  at = createdAt,
): z.output<typeof deliveryShape> {
  const isTold = caller.role === "admin" || (subject !== undefined && looksAfter(caller, subject, at));
  const isGiven = subject?.webhooks.includes(target) === true && knowsUrls(caller, subject);
  return {
    delivery_id: id,
    channel,
    target: caller.role === "admin" || isGiven ? target : maskedUrl(target),
    state,
    tries,
    error: isTold || lastError === null ? lastError : "The reason is told to its owner and to admins.",
    note: isTold ? note : null,
  };
}

/** Addresses of webhooks, whole for those who gave them, and for admins. */
export function shownUrls(caller: Caller, subject: Pick<Tended, "webhooks" | "webhooksBy">): string[] {
  return subject.webhooks.map((url) => (knowsUrls(caller, subject) ? url : maskedUrl(url)));
}

export function knowsUrls({ user, role }: Caller, { webhooksBy }: Pick<Tended, "webhooksBy">): boolean {
  return role === "admin" || webhooksBy === user.id;
}

/** The server of a webhook; what comes after it lets whoever knows it send there. Names of channels are no secret. */
export function maskedUrl(target: string): string {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  return url === null ? target : `${url.origin}/…`;
}

/** A channel, as tools tell of it: without its secret. */
export const channelShape = z.object({
  id: z.int().describe("Of Teams, for teamsActionIds"),
  name: z.string(),
  kind: z.enum(CHANNEL_KINDS),
  room: z.string().nullable(),
  url: z.string().nullable(),
  disabled: z.string().nullable().describe("Why nothing is sent to it any more"),
});

/** The whole address of a webhook is for admins, who manage channels: whoever knows it can send there. */
export function channelOf(
  { id, name, kind, room, url, disabled }: Channel,
  { role }: Caller,
): z.output<typeof channelShape> {
  const shown = url === null || role === "admin" ? url : maskedUrl(url);
  return { id, name, kind, room, url: shown, disabled };
}
