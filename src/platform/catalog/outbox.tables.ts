import { sql } from "drizzle-orm";
import { bigint, index, integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";

export const OUTBOX_STATES = ["waiting", "delivered", "failed"] as const;

/** Events that wait to be delivered: written in the transaction that they tell of. */
export const outboxEvents = pgTable(
  "outbox_events",
  {
    id: bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    topic: text().notNull(),
    /** Events of one topic and key are delivered in the order in which they were written. */
    key: text().notNull(),
    payload: jsonb().notNull(),
    state: text({ enum: OUTBOX_STATES }).notNull().default("waiting"),
    attempts: integer().notNull().default(0),
    lastError: text("last_error"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull().defaultNow(),
    dueAt: timestamp("due_at", { withTimezone: true }).notNull().defaultNow(),
    settledAt: timestamp("settled_at", { withTimezone: true }),
  },
  (table) => [
    index("outbox_events_waiting").on(table.topic, table.key, table.id).where(sql`state = 'waiting'`),
    index("outbox_events_settled").on(table.settledAt).where(sql`state <> 'waiting'`),
  ],
);
