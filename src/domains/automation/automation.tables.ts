import { boolean, index, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { dashboards } from "../bi/bi.tables.ts";
import { datasets } from "../data/data.tables.ts";
import { account, ofWorkspace } from "../identity/identity.tables.ts";

export const ALERT_TYPES = ["conditional", "data_not_updated", "query_error"] as const;
export const FREQUENCIES = ["minutes", "hours", "days", "months"] as const;
export const REPORT_FREQUENCIES = ["minutes", "hours", "days", "weeks", "months"] as const;
export const REPORT_FORMATS = ["pdf", "image"] as const;
export const ALERT_STATES = ["ok", "pending", "firing", "recovering", "error"] as const;
export const NO_DATA = ["keep", "fire", "ok"] as const;
export const HAPPENINGS = ["fired", "changed", "recovered", "error", "repaired"] as const;

/** Who brought it back since its owner had it: it tells no more than they may see as well. */
const boundBy = () => jsonb("bound_by").$type<readonly number[]>().notNull().default([]);

/** Since when it is its owner's, to whom is told what has happened since then; null where it always was. */
const ownedSince = () => moment("owned_since");

/** Who gave the addresses of webhooks: whoever knows one can send there, so a new owner is not told it. */
const webhooksBy = () => account("webhooks_by");

/** Watches a dataset, and tells some people when something is the case. */
export const alerts = pgTable(
  "alerts",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    datasetId: partOf("dataset_id", () => datasets.id),
    name: text("name").notNull(),
    type: text("type").$type<(typeof ALERT_TYPES)[number]>().notNull(),
    /** As it was given, in plain language or C9QL; null where the type needs none. */
    condition: text("condition"),
    /** What was made of it: its rows are those that match. */
    c9ql: text("c9ql"),
    sentence: text("sentence").notNull(),
    recipients: jsonb("recipients").$type<readonly string[]>().notNull(),
    webhooks: jsonb("webhooks").$type<readonly string[]>().notNull(),
    /** Names of chat channels. */
    channels: jsonb("channels").$type<readonly string[]>().notNull().default([]),
    subject: text("subject"),
    frequency: text("frequency").$type<(typeof FREQUENCIES)[number]>().notNull(),
    startTime: text("start_time").notNull(),
    zone: text("zone").notNull(),
    realtime: boolean("realtime").notNull(),
    paused: boolean("paused").notNull().default(false),
    /** Checks in a row that must match before it fires. */
    hold: integer("hold").notNull().default(1),
    /** Columns that tell rows apart: of those that were told before, nothing is told again. */
    key: jsonb("key").$type<readonly string[]>().notNull().default([]),
    /** What it means when there is no data: as it was, as a match, or as none. */
    noData: text("no_data").$type<(typeof NO_DATA)[number]>().notNull().default("keep"),
    state: text("state").$type<(typeof ALERT_STATES)[number]>().notNull().default("ok"),
    stateSince: moment("state_since").notNull(),
    /** Of the rows that were last told of; null when nothing is told of that has not recovered. */
    toldHash: text("told_hash"),
    /** Hashes of the rows that were told of, where it has a key. */
    toldRows: jsonb("told_rows").$type<readonly string[]>(),
    /** Checks in a row that matched before it fires, that did not match while it recovers, and that failed. */
    matches: integer("matches").notNull().default(0),
    calm: integer("calm").notNull().default(0),
    failures: integer("failures").notNull().default(0),
    lastError: text("last_error"),
    matchedRows: whole("matched_rows"),
    checkedAt: moment("checked_at"),
    /** Grows with every check and change, so that two of them do not both tell of the same thing. */
    version: integer("version").notNull().default(0),
    /** It is checked with the rights that this member has then. */
    ownerId: account("owner_id"),
    boundBy: boundBy(),
    ownedSince: ownedSince(),
    webhooksBy: webhooksBy(),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [index("alerts_dataset").on(table.datasetId), index("alerts_workspace").on(table.workspaceId)],
);

/** What happened to an alert: the checks that changed something. */
export const alertEvents = pgTable(
  "alert_events",
  {
    id: id(),
    alertId: partOf("alert_id", () => alerts.id),
    at: moment("at").notNull(),
    happening: text("happening").$type<(typeof HAPPENINGS)[number]>().notNull(),
    rows: whole("rows"),
    summary: text("summary").notNull(),
    /** The message that told of it. */
    runKey: text("run_key"),
  },
  (table) => [index("alert_events_alert").on(table.alertId, table.id)],
);

/** Sends a dashboard or widgets to people, again and again. */
export const reports = pgTable(
  "reports",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    /** What it shows: this dashboard, or else these widgets. */
    dashboardId: whole("dashboard_id").references(() => dashboards.id, {
      onDelete: "cascade",
    }),
    widgetIds: jsonb("widget_ids").$type<readonly number[]>().notNull().default([]),
    name: text("name").notNull(),
    recipients: jsonb("recipients").$type<readonly string[]>().notNull(),
    webhooks: jsonb("webhooks").$type<readonly string[]>().notNull(),
    /** Names of chat channels. */
    channels: jsonb("channels").$type<readonly string[]>().notNull().default([]),
    subject: text("subject"),
    body: text("body"),
    frequency: text("frequency").$type<(typeof REPORT_FREQUENCIES)[number]>().notNull(),
    every: integer("every").notNull(),
    startTime: text("start_time").notNull(),
    zone: text("zone").notNull(),
    /** 1 is Monday. */
    weekday: integer("weekday").notNull(),
    monthday: integer("monthday").notNull(),
    format: text("format").$type<(typeof REPORT_FORMATS)[number]>().notNull(),
    withCsv: boolean("with_csv").notNull(),
    withInsights: boolean("with_insights").notNull(),
    paused: boolean("paused").notNull().default(false),
    /** It is made with the rights that this member has then. */
    ownerId: account("owner_id"),
    boundBy: boundBy(),
    ownedSince: ownedSince(),
    webhooksBy: webhooksBy(),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [index("reports_workspace").on(table.workspaceId)],
);

export const REPORT_RUN_STATES = ["waiting", "done", "failed"] as const;

/** A file of a report, as its history remembers it. */
export interface SentFile {
  name: string;
  bytes: number;
  pages?: number;
}

/** That a report was made and sent, or could not be. */
export const reportRuns = pgTable(
  "report_runs",
  {
    id: id(),
    reportId: partOf("report_id", () => reports.id),
    /** When it was due; null when somebody asked for it. */
    occurrenceAt: moment("occurrence_at"),
    /** Occurrences before it that nobody saw to. */
    missed: integer("missed").notNull().default(0),
    askedBy: account("asked_by"),
    state: text("state").$type<(typeof REPORT_RUN_STATES)[number]>().notNull().default("waiting"),
    files: jsonb("files").$type<readonly SentFile[]>().notNull().default([]),
    error: text("error"),
    createdAt: moment("created_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [index("report_runs_report").on(table.reportId, table.id)],
);
