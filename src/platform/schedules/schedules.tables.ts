import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../catalog/columns.tables.ts";
import type { Unit } from "./occurrences.ts";

/** Recurring schedules: `kind` says whose it is, `subject` which one of these. */
export const schedules = pgTable(
  "schedules",
  {
    id: id(),
    kind: text("kind").notNull(),
    subject: whole("subject").notNull(),
    unit: text("unit").$type<Unit>().notNull(),
    every: integer("every").notNull(),
    time: text("time").notNull(),
    zone: text("zone").notNull(),
    weekday: integer("weekday"),
    monthday: integer("monthday"),
    anchor: moment("anchor").notNull(),
    nextAt: moment("next_at").notNull(),
    /** The time zone rules that `next_at` was computed with: countries change theirs. */
    zoneRules: text("zone_rules").notNull(),
  },
  (table) => [
    uniqueIndex("schedules_subject").on(table.kind, table.subject),
    index("schedules_next").on(table.nextAt),
  ],
);

/** That a schedule came due, once for each occurrence, whatever the number of servers. */
export const scheduleRuns = pgTable(
  "schedule_runs",
  {
    id: id(),
    scheduleId: partOf("schedule_id", () => schedules.id),
    occurrenceAt: moment("occurrence_at").notNull(),
    /** Occurrences before it that nobody saw to. */
    missed: integer("missed").notNull(),
    firedAt: moment("fired_at").notNull().default(sql`now()`),
  },
  (table) => [
    uniqueIndex("schedule_runs_occurrence").on(table.scheduleId, table.occurrenceAt),
    index("schedule_runs_fired").on(table.firedAt),
  ],
);
