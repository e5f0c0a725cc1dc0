import { z } from "zod";
import { isAppError } from "../../kernel/errors.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Alert } from "./alerts.store.ts";
import type { AutomationServices } from "./define.ts";
import type { Backtest } from "./evaluate.ts";
import { knowsUrls } from "./recipients.ts";

/** Answer about an alert that was made or changed: how it was understood, and what it would find. */
export const savedShape = {
  matches_now: z.int().nullable().describe("Rows that match now, as you see them"),
  past_firings: z
    .int()
    .nullable()
    .describe("How often it would have fired in the last 90 days, by the rows' date"),
  webhook_secrets: z
    .record(z.string(), z.string())
    .optional()
    .describe("With which receivers verify the signature, by URL: told once, when it was made"),
  message: z.string(),
};

export async function saved(
  { alerts, deliveries }: Pick<AutomationServices, "alerts" | "deliveries">,
  caller: Caller,
  alert: Alert,
  signal: AbortSignal,
): Promise<z.output<z.ZodObject<typeof savedShape>>> {
  // An admin may be kept from some of it too.
  if (!(await alerts.sees(caller, alert)))
    return { matches_now: null, past_firings: null, message: "Saved." };
  // It is saved, whatever a first look comes to; that is told with it.
  const now = await alerts.lookNow(caller, alert, signal).catch((error: unknown) => {
    if (!isAppError(error)) throw error;
    return { says: `It could not be checked: ${error.message}`, rows: null, past: null };
  });
  const { workspaceId, recipients } = alert;
  const webhooks = knowsUrls(caller, alert) ? alert.webhooks : [];
  const sentences = [
    `It fires ${alert.sentence.startsWith("any row ") ? "on" : "when"} ${alert.sentence}.`,
    `Now: ${now.says}`,
    now.past === null ? "" : pastSentence(now.past),
    recipients.length + alert.webhooks.length + alert.channels.length === 0
      ? "Nobody is told: it has no recipients."
      : "",
    recipients.length > 0 && deliveries.mailsAreLocal
      ? "No mail server is set, so mails are written to the folder outbox in the data folder."
      : "",
  ];
  const secrets = await deliveries.channels.newSecrets(workspaceId, webhooks);
  return {
    matches_now: now.rows,
    past_firings: now.past?.fired ?? null,
    ...(Object.keys(secrets).length > 0 && { webhook_secrets: secrets }),
    message: sentences.filter((sentence) => sentence !== "").join(" "),
  };
}

function pastSentence({ days, fired, changed }: Backtest): string {
  const times = (count: number) => (count === 1 ? "once" : `${count} times`);
  const told = [
    ...(fired > 0 || changed === 0 ? [`fired ${fired === 0 ? "never" : times(fired)}`] : []),
    ...(changed > 0 ? [`told ${times(changed)} that other rows match`] : []),
  ];
  return `In the last ${days} days it would have ${told.join(" and ")}.`;
}
