import { z } from "zod";
import type { Delivery } from "../../platform/delivery/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { AutomationServices } from "./define.ts";

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

/** Which of these messages are of alerts and reports that the caller owns; for an admin all. */
export async function lookedAfter(
  { alertsStore, reportsStore }: Pick<AutomationServices, "alertsStore" | "reportsStore">,
  { role, user, workspace }: Caller,
  items: readonly Pick<Delivery, "runKey">[],
): Promise<ReadonlySet<string>> {
  const keys = new Set(items.map(({ runKey }) => runKey));
  if (role === "admin") return keys;
  const told = await Promise.all(
    [...keys].map(async (key) => {
      const [, kind, id] = SUBJECT.exec(key) ?? [];
      if (kind === undefined) return [];
      const store = kind === "report" ? reportsStore : alertsStore;
      return (await store.find(workspace.id, Number(id)))?.ownerId === user.id ? [key] : [];
    }),
  );
  return new Set(told.flat());
}

/** Where it went as an address that is a secret, and what came back from there, is told to those who look after it. */
export function deliveryOf(
  { id, channel, target, state, tries, lastError, note }: Delivery,
  isTold: boolean,
): z.output<typeof deliveryShape> {
  return {
    delivery_id: id,
    channel,
    target: isTold || channel === "mail" ? target : maskedUrl(target),
    state,
    tries,
    error: isTold || lastError === null ? lastError : "The reason is told to its owner and to admins.",
    note: isTold ? note : null,
  };
}

/** Addresses of webhooks, whole for those who look after what goes there. */
export function shownUrls(urls: readonly string[], isTold: boolean): string[] {
  return urls.map((url) => (isTold ? url : maskedUrl(url)));
}

/** The server of a webhook; what comes after it lets whoever knows it send there. Names of channels are no secret. */
function maskedUrl(target: string): string {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  return url === null ? target : `${url.origin}/…`;
}
