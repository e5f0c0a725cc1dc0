import { doublePrecision, index, pgTable, text, timestamp, uuid } from "drizzle-orm/pg-core";

/** How far a running job has come. The job itself is a row of pg-boss. */
export const jobProgress = pgTable(
  "job_progress",
  {
    jobId: uuid("job_id").primaryKey(),
    fraction: doublePrecision().notNull(),
    note: text().notNull(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull().defaultNow(),
  },
  (table) => [index("job_progress_updated").on(table.updatedAt)],
);
