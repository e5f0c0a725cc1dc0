import { z } from "zod";
import type { Delivery } from "../../platform/delivery/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { AutomationServices } from "./define.ts";
import { looksAfter, type Tended } from "./owner.ts";

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
