import { z } from "zod";
import type { Deliveries } from "../../platform/delivery/index.ts";
import type { Schedules } from "../../platform/schedules/index.ts";
import type { AssetKinds } from "../../registry/asset-kind.ts";
import type { Caller } from "../../registry/caller.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { AlertChecks } from "./alert-checks.ts";
import { type Alert, type AlertsStore, KIND } from "./alerts.store.ts";
import type { Alerts } from "./alerts.ts";
import { ALERT_STATES, ALERT_TYPES, NO_DATA } from "./automation.tables.ts";
import { shownUrls } from "./recipients.ts";
import type { ReportRuns } from "./reports/report-runs.ts";
import type { ReportsStore } from "./reports/reports.store.ts";
import type { Reports } from "./reports/reports.ts";

/** Services that the tools of this slice work with. */
export interface AutomationServices {
  /** Sees to what has happened in other slices. */
  react(topic: string, payload: unknown): Promise<void>;
  alerts: Alerts;
  alertsStore: AlertsStore;
  alertChecks: AlertChecks;
  reports: Reports;
  reportsStore: ReportsStore;
  reportRuns: ReportRuns;
  deliveries: Deliveries;
  schedules: Schedules;
  assets: AssetKinds;
}

export const defineTool = toolsOf<AutomationServices>();

/** An alert, as tools tell of it. */
export const alertShape = z.object({
  id: z.int(),
  name: z.string(),
  type: z.enum(ALERT_TYPES),
  dataset_id: z.int(),
  state: z.enum([...ALERT_STATES, "paused"]),
  state_since: z.string(),
  sentence: z.string().nullable().describe("Null where policies keep something of the dataset from you"),
  c9ql: z.string().nullable(),
  recipients: z.array(z.string()),
  webhooks: z.array(z.string()),
  channels: z.array(z.string()),
  subject: z.string().nullable(),
  frequency: z.string(),
  start_time: z.string(),
  timezone: z.string(),
  realtime: z.boolean(),
  hold: z.int(),
  key: z.array(z.string()),
  no_data: z.enum(NO_DATA),
  next_check_at: z.string().nullable(),
  checked_at: z.string().nullable(),
  matched_rows: z.int().nullable(),
  last_error: z.string().nullable(),
});

function alertOf(
  alert: Alert,
  { caller, sees, nextAt }: { caller: Caller; sees: boolean; nextAt: Date | undefined },
): z.output<typeof alertShape> {
  return {
    id: alert.id,
    name: alert.name,
    type: alert.type,
    dataset_id: alert.datasetId,
    state: alert.paused ? "paused" : alert.state,
    state_since: alert.stateSince.toISOString(),
    sentence: sees ? alert.sentence : null,
    c9ql: sees ? alert.c9ql : null,
    recipients: [...alert.recipients],
    webhooks: shownUrls(caller, alert),
    channels: [...alert.channels],
    subject: alert.subject,
    frequency: alert.frequency,
    start_time: alert.startTime,
    timezone: alert.zone,
    realtime: alert.realtime,
    hold: alert.hold,
    key: sees ? [...alert.key] : [],
    no_data: alert.noData,
    next_check_at: nextAt?.toISOString() ?? null,
    checked_at: alert.checkedAt?.toISOString() ?? null,
    matched_rows: sees ? alert.matchedRows : null,
    last_error: sees ? alert.lastError : null,
  };
}

/** The same for several, with when each is checked next. */
export async function alertsOf(
  { alerts, schedules }: Pick<AutomationServices, "alerts" | "schedules">,
  caller: Caller,
  items: readonly Alert[],
): Promise<z.output<typeof alertShape>[]> {
  const next = await schedules.nextOf(
    KIND,
    items.map(({ id }) => id),
  );
  return Promise.all(
    items.map(async (alert) =>
      alertOf(alert, {
        caller,
        sees: await alerts.sees(caller, alert),
        nextAt: next.get(alert.id),
      }),
    ),
  );
}
