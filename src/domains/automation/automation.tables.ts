import { bigint, boolean, index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { datasets } from "../data/data.tables.ts";
import { accounts, workspaces } from "../identity/identity.tables.ts";

const id = () => bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity();
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

export const ALERT_TYPES = ["conditional", "data_not_updated", "query_error"] as const;
export const FREQUENCIES = ["minutes", "hours", "days", "months"] as const;
export const ALERT_STATES = ["ok", "firing", "recovering", "error"] as const;
export const HAPPENINGS = ["fired", "changed", "recovered", "error", "repaired"] as const;

/** Watches a dataset, and tells some people when something is the case. */
export const alerts = pgTable(
  "alerts",
  {
    id: id(),
    workspaceId: bigint("workspace_id", { mode: "number" })
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    datasetId: bigint("dataset_id", { mode: "number" })
      .notNull()
      .references(() => datasets.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    type: text("type").$type<(typeof ALERT_TYPES)[number]>().notNull(),
    /** As it was given, in plain language or C9QL; null where the type needs none. */
    condition: text("condition"),
    /** What was made of it: its rows are those that match. */
    c9ql: text("c9ql"),
    sentence: text("sentence").notNull(),
    recipients: jsonb("recipients").$type<readonly string[]>().notNull(),
    webhooks: jsonb("webhooks").$type<readonly string[]>().notNull(),
    subject: text("subject"),
    frequency: text("frequency").$type<(typeof FREQUENCIES)[number]>().notNull(),
    startTime: text("start_time").notNull(),
    zone: text("zone").notNull(),
    realtime: boolean("realtime").notNull(),
    paused: boolean("paused").notNull().default(false),
    state: text("state").$type<(typeof ALERT_STATES)[number]>().notNull().default("ok"),
    stateSince: moment("state_since").notNull(),
    /** Of the rows that were last told of; null when nothing is told of that has not recovered. */
    toldHash: text("told_hash"),
    /** Checks in a row that did not match while it recovers, and that failed. */
    calm: integer("calm").notNull().default(0),
    failures: integer("failures").notNull().default(0),
    lastError: text("last_error"),
    matchedRows: bigint("matched_rows", { mode: "number" }),
    checkedAt: moment("checked_at"),
    /** Grows with every check and change, so that two of them do not both tell of the same thing. */
    version: integer("version").notNull().default(0),
    /** It is checked with the rights that this member has then. */
    ownerId: bigint("owner_id", { mode: "number" }).references(() => accounts.id, { onDelete: "set null" }),
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
    alertId: bigint("alert_id", { mode: "number" })
      .notNull()
      .references(() => alerts.id, { onDelete: "cascade" }),
    at: moment("at").notNull(),
    happening: text("happening").$type<(typeof HAPPENINGS)[number]>().notNull(),
    rows: bigint("rows", { mode: "number" }),
    summary: text("summary").notNull(),
    /** The message that told of it. */
    runKey: text("run_key"),
  },
  (table) => [index("alert_events_alert").on(table.alertId, table.id)],
);
