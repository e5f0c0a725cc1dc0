import { z } from "zod";
import type { Caller } from "../../../registry/caller.ts";
import { REPORT_FORMATS, REPORT_FREQUENCIES, REPORT_RUN_STATES } from "../automation.tables.ts";
import type { AutomationServices } from "../define.ts";
import { looksAfter } from "../owner.ts";
import { deliveryOf, deliveryShape, shownUrls } from "../recipients.ts";
import type { RunOutcome } from "./report-runs.ts";
import { KIND, type Report } from "./reports.store.ts";

export const WEEKDAYS = [
  "MONDAY",
  "TUESDAY",
  "WEDNESDAY",
  "THURSDAY",
  "FRIDAY",
  "SATURDAY",
  "SUNDAY",
] as const;

/** A report, as tools tell of it. */
export const reportShape = z.object({
  id: z.int(),
  name: z.string(),
  dashboard_id: z.int().nullable(),
  widget_ids: z.array(z.int()),
  recipients: z.array(z.string()),
  webhooks: z.array(z.string()),
  channels: z.array(z.string()),
  subject: z.string().nullable(),
  body: z.string().nullable(),
  frequency: z.enum(REPORT_FREQUENCIES),
  every: z.int(),
  start_time: z.string(),
  timezone: z.string(),
  day_of_week: z.enum(WEEKDAYS),
  day_of_month: z.int(),
  format: z.enum(REPORT_FORMATS),
  export_csv: z.boolean(),
  include_recommendations: z.boolean(),
  paused: z.boolean(),
  next_run_at: z.string().nullable(),
});

export async function reportsOf(
  { schedules }: Pick<AutomationServices, "schedules">,
  caller: Caller,
  items: readonly Report[],
): Promise<z.output<typeof reportShape>[]> {
  const next = await schedules.nextOf(
    KIND,
    items.map(({ id }) => id),
  );
  return items.map((report) => ({
    id: report.id,
    name: report.name,
    dashboard_id: report.dashboardId,
    widget_ids: [...report.widgetIds],
    recipients: [...report.recipients],
    webhooks: shownUrls(caller, report),
    channels: [...report.channels],
    subject: report.subject,
    body: report.body,
    frequency: report.frequency,
    every: report.every,
    start_time: report.startTime,
    timezone: report.zone,
    day_of_week: WEEKDAYS[report.weekday - 1] ?? "MONDAY",
    day_of_month: report.monthday,
    format: report.format,
    export_csv: report.withCsv,
    include_recommendations: report.withInsights,
    paused: report.paused,
    next_run_at: next.get(report.id)?.toISOString() ?? null,
  }));
}

const UNTOLD = "The reason is told to its owner and to admins.";

/** A run of a report: what was sent to whom. */
export const reportRunShape = z.object({
  run_id: z.int(),
  state: z.enum(REPORT_RUN_STATES),
  due_at: z.string().nullable().describe("Null when somebody asked for it"),
  missed: z.int(),
  begun_at: z.string(),
  ended_at: z.string().nullable(),
  files: z
    .array(z.object({ name: z.string(), bytes: z.int(), pages: z.int().optional() }))
    .describe("With errors, told to the owner and to admins"),
  error: z.string().nullable(),
  deliveries: z.array(deliveryShape),
});

/** What a run was made of and why it failed may tell of rows that others do not see. */
export function reportRunOf(
  { run, deliveries }: RunOutcome,
  caller: Caller,
  report: Report,
): z.output<typeof reportRunShape> {
  const isTold = looksAfter(caller, report, run.createdAt);
  return {
    run_id: run.id,
    state: run.state,
    due_at: run.occurrenceAt?.toISOString() ?? null,
    missed: run.missed,
    begun_at: run.createdAt.toISOString(),
    ended_at: run.endedAt?.toISOString() ?? null,
    files: isTold ? [...run.files] : [],
    error: isTold || run.error === null ? run.error : UNTOLD,
    deliveries: deliveries.map((delivery) => deliveryOf(delivery, caller, report, run.createdAt)),
  };
}

/** Outcome of sending it now, as a sentence. */
export function sentenceOf(
  { run, deliveries }: RunOutcome,
  { mailsAreLocal, isTold }: { mailsAreLocal: boolean; isTold: boolean },
): string {
  if (run.state === "waiting")
    return "It is being made; {tool:get_details} of the report tells what came of it.";
  if (run.state === "failed") return `It could not be made: ${isTold ? run.error : UNTOLD}`;
  const count = (state: string) => deliveries.filter((each) => each.state === state).length;
  const local = mailsAreLocal && deliveries.some(({ channel }) => channel === "mail");
  const parts = [
    `Sent to ${count("sent")} of ${deliveries.length}.`,
    count("waiting") > 0 ? `${count("waiting")} are tried again.` : "",
    count("dead") > 0 ? `${count("dead")} were given up; {tool:retry_delivery} sends them again.` : "",
    local ? "No mail server is set: mails are files in the folder outbox." : "",
  ];
  return parts.filter((part) => part !== "").join(" ");
}
