import { z } from "zod";
import { timeOfDay, timeZoneName } from "../../../platform/schedules/index.ts";
import { LIMITS as SCHEDULES } from "../../../platform/schedules/limits.ts";
import type { CallContext } from "../../../registry/context.ts";
import { REPORT_FORMATS, REPORT_FREQUENCIES } from "../automation.tables.ts";
import type { AutomationServices } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { looksAfter } from "../owner.ts";
import { knowsUrls } from "../recipients.ts";
import {
  reportRunOf,
  reportRunShape,
  reportShape,
  reportsOf,
  sentenceOf,
  WEEKDAYS,
} from "../reports/report-shape.ts";
import type { Report } from "../reports/reports.store.ts";
import { addresses } from "./arguments.ts";

/** Arguments shared by create_report and update_report; by the names of the contract where those differ. */
const every = z.int().min(1).max(SCHEDULES.schedules.every);
const text = z.string().max(20_000);

export const shared = {
  name: z.string().optional(),
  recipients: addresses.optional().describe("Mail addresses"),
  channels: z.array(z.string()).max(20).optional().describe("Names, #room or webhook URLs"),
  frequency: z.enum(REPORT_FREQUENCIES).optional(),
  every: z.int().pipe(every).optional(),
  start_time: z.string().pipe(timeOfDay).optional(),
  timezone: timeZoneName.optional(),
  day_of_week: z.string().toUpperCase().pipe(z.enum(WEEKDAYS)).optional(),
  day_of_month: z.int().pipe(z.int().min(1).max(28)).optional(),
  format: z.enum(REPORT_FORMATS).optional(),
  subject: text.optional(),
  body: text.optional(),
  export_csv: z.boolean().optional(),
  include_recommendations: z.boolean().optional(),
  send_now: z.boolean().default(false),
};

export const wireShared = {
  recipients: text.optional().describe("Comma-separated email recipients"),
  frequencyType: z
    .enum(REPORT_FREQUENCIES)
    .optional()
    .describe("Frequency unit: minutes, hours, days, weeks, months. Default: days"),
  frequency: every.optional().describe("Frequency count (default: 1)"),
  startTime: timeOfDay.optional().describe("Time of day in HH:mm (24-hour). Default: 08:00"),
  timezone: timeZoneName.optional().describe("IANA timezone. Default: user's timezone"),
  subject: text.optional().describe("Email subject line"),
  emailBody: text.optional().describe("Email body text"),
  reportName: z.string().optional().describe("Display name for the report"),
  sendNow: z.boolean().default(false).describe("If true, send immediately. Default: false"),
};

type WireShared = z.output<z.ZodObject<typeof wireShared>>;

export function adaptShared({
  frequencyType,
  frequency,
  startTime,
  emailBody,
  reportName,
  sendNow,
  ...same
}: WireShared) {
  const { recipients, timezone, subject } = same;
  return {
    recipients,
    timezone,
    subject,
    frequency: frequencyType,
    every: frequency,
    start_time: startTime,
    body: emailBody,
    name: reportName,
    send_now: sendNow,
  };
}

type Shared = Omit<z.output<z.ZodObject<typeof shared>>, "send_now">;

export function changeOf({
  start_time,
  timezone,
  day_of_week,
  day_of_month,
  export_csv,
  include_recommendations,
  ...same
}: Shared) {
  const { name, recipients, channels, frequency, every, format, subject, body } = same;
  return {
    name,
    recipients,
    channels,
    frequency,
    every,
    format,
    subject,
    body,
    startTime: start_time,
    zone: timezone,
    weekday: day_of_week === undefined ? undefined : WEEKDAYS.indexOf(day_of_week) + 1,
    monthday: day_of_month,
    withCsv: export_csv,
    withInsights: include_recommendations,
  };
}

/** Result of both: the report, and the outcome of sending it, if it was to be sent. */
export const savedShape = z.object({
  report: reportShape,
  report_run: reportRunShape.optional(),
  webhook_secrets: z.record(z.string(), z.string()).optional(),
  message: z.string(),
});

export async function savedReport(
  { reportRuns, deliveries, schedules, caller, signal, say }: CallContext & AutomationServices,
  report: Report,
  isSentNow: boolean,
): Promise<z.output<typeof savedShape>> {
  const [shown] = await reportsOf({ schedules }, caller, [report]);
  const outcome = isSentNow
    ? await reportRuns.start(caller, report, { waitMs: LIMITS.reports.waitMs, signal })
    : undefined;
  const { workspaceId, paused } = report;
  const webhooks = knowsUrls(caller, report) ? report.webhooks : [];
  const next = paused ? "It is paused." : `It is sent next at ${shown?.next_run_at}.`;
  const secrets = await deliveries.channels.newSecrets(workspaceId, webhooks);
  return {
    report: shown!,
    ...(outcome !== undefined && { report_run: reportRunOf(outcome, caller, report) }),
    ...(Object.keys(secrets).length > 0 && { webhook_secrets: secrets }),
    message: say(
      outcome === undefined
        ? next
        : `${sentenceOf(outcome, { mailsAreLocal: deliveries.mailsAreLocal, isTold: looksAfter(caller, report) })} ${next}`,
    ),
  };
}
