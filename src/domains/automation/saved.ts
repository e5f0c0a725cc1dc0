import { z } from "zod";
import { isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Alert } from "./alerts.store.ts";
import type { AutomationServices } from "./define.ts";

/** What is told of an alert that was made or changed: how it was understood, and what it would find. */
export const savedShape = {
  matches_now: z.int().nullable().describe("Rows that match now, as you see them"),
  matched_days: z.int().nullable().describe("Of the last 90, those with rows that match, by their date"),
  webhook_secrets: z
    .record(z.string(), z.string())
    .optional()
    .describe("With which receivers verify the signature, by URL"),
  message: z.string(),
};

export async function saved(
  { alerts, deliveries }: Pick<AutomationServices, "alerts" | "deliveries">,
  caller: Caller,
  alert: Alert,
  signal: AbortSignal,
): Promise<z.output<z.ZodObject<typeof savedShape>>> {
  // It is saved, whatever a first look comes to; that is told with it.
  const now = await alerts.lookNow(caller, alert, signal).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    return { says: `It could not be checked: ${error.message}`, rows: null, past: null };
  });
  const { workspaceId, webhooks, recipients } = alert;
  const sentences = [
    `It fires ${alert.sentence.startsWith("any row ") ? "on" : "when"} ${alert.sentence}.`,
    `Now: ${now.says}`,
    now.past === null
      ? ""
      : `In the last ${now.past.days} days it would have matched on ${now.past.matchedDays}.`,
    recipients.length + webhooks.length + alert.channels.length === 0
      ? "Nobody is told: it has no recipients."
      : "",
    recipients.length > 0 && deliveries.mailsAreLocal
      ? "No mail server is set, so mails are written to the folder outbox in the data folder."
      : "",
  ];
  const secrets = await deliveries.secretsOf(workspaceId, webhooks);
  return {
    matches_now: now.rows,
    matched_days: now.past?.matchedDays ?? null,
    ...(webhooks.length > 0 && { webhook_secrets: secrets }),
    message: sentences.filter((sentence) => sentence !== "").join(" "),
  };
}
