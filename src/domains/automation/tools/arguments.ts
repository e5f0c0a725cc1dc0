import { z } from "zod";
import { LIMITS as DELIVERY } from "../../../platform/delivery/limits.ts";
import { timeOfDay, timeZoneName } from "../../../platform/schedules/index.ts";
import { FREQUENCIES, NO_DATA } from "../automation.tables.ts";
import { LIMITS } from "../limits.ts";

/** Arguments shared by create_alert and update_alert; by the names of the contract where those differ. */
export const condition = z.string().min(1).max(LIMITS.alerts.conditionCharacters);
const recipients = z.string().max(20_000);
/** Agents send lists, people a text with commas. */
export const addresses = z.union([recipients, z.array(z.string()).max(DELIVERY.delivery.recipients)]);
const subject = z.string().max(1_000);
const hold = z.int().min(1).max(LIMITS.alerts.hold);

export const shared = {
  recipients: addresses.optional(),
  channels: z.array(z.string()).max(20).optional().describe("Names or URLs"),
  subject: subject.optional(),
  frequency: z.enum(FREQUENCIES).optional(),
  start_time: z.string().pipe(timeOfDay).optional(),
  timezone: timeZoneName.optional(),
  realtime: z.boolean().optional(),
  hold: z.int().pipe(hold).optional().describe("Matching checks before it fires"),
  key: z.array(z.string()).max(10).optional().describe("Tell only rows new by these"),
  no_data: z.enum(NO_DATA).optional(),
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

export function changeOf({ start_time, timezone, no_data, ...same }: Shared) {
  const { recipients, channels, subject, frequency, realtime, hold, key } = same;
  return {
    recipients,
    channels,
    subject,
    frequency,
    realtime,
    hold,
    key,
    startTime: start_time,
    zone: timezone,
    noData: no_data,
  };
}
