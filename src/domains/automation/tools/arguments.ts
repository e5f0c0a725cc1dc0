import { z } from "zod";
import { timeOfDay, timeZoneName } from "../../../platform/schedules/index.ts";
import { FREQUENCIES } from "../automation.tables.ts";
import { LIMITS } from "../limits.ts";

/** What create_alert and update_alert take alike; by the names of the contract where those differ. */
export const condition = z.string().min(1).max(LIMITS.alerts.conditionCharacters);
const recipients = z.string().max(20_000);
const subject = z.string().max(1_000);

export const shared = {
  recipients: recipients.optional().describe("Mail addresses"),
  webhooks: z.array(z.string()).max(10).optional().describe("URLs"),
  subject: subject.optional(),
  frequency: z.enum(FREQUENCIES).optional().describe("Default: days"),
  start_time: timeOfDay.optional().describe("HH:mm"),
  timezone: timeZoneName.optional().describe("IANA name"),
  realtime: z.boolean().optional().describe("On every change"),
};

export const wireShared = {
  recipients: recipients.optional().describe("Comma-separated email addresses for notifications"),
  subject: subject.optional().describe("Email subject for alert notification"),
  frequencyType: z
    .enum(FREQUENCIES)
    .optional()
    .describe("Check frequency: minutes, hours, days, months. Default: days"),
  startTime: timeOfDay.optional().describe("Time of day to check in HH:mm. Default: 08:00"),
  timezone: timeZoneName.optional().describe("Schedule timezone (IANA). Default: user's timezone"),
  realtime: z.boolean().optional().describe("If true, evaluates every time the dataset updates"),
};

type WireShared = z.output<z.ZodObject<typeof wireShared>>;

export function adaptShared({
  recipients,
  subject,
  frequencyType,
  startTime,
  timezone,
  realtime,
}: WireShared) {
  return { recipients, subject, frequency: frequencyType, start_time: startTime, timezone, realtime };
}

type Shared = z.output<z.ZodObject<typeof shared>>;

export function changeOf({ frequency, start_time, timezone, ...rest }: Shared) {
  const { recipients, webhooks, subject, realtime } = rest;
  return { recipients, webhooks, subject, realtime, frequency, startTime: start_time, zone: timezone };
}
