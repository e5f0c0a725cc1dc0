import { bigint, index, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { accounts, workspaces } from "../identity/identity.tables.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** What one step changed, and what undoes it. */
export interface Change {
  says: string;
  assetType: string;
  assetId: number;
  /** The version that the step left behind; another one means that somebody has changed it since. */
  versionAfter: number | null;
  undo: { tool: string; args: Record<string, unknown> };
}

/** What an instruction changed, to be undone as one. */
export const changes = pgTable(
  "changes",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    workspaceId: bigint("workspace_id", { mode: "number" })
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    userId: bigint("user_id", { mode: "number" })
      .notNull()
      .references(() => accounts.id, { onDelete: "cascade" }),
    instruction: text("instruction").notNull(),
    steps: jsonb("steps").$type<readonly Change[]>().notNull(),
    createdAt: moment("created_at").notNull(),
    undoneAt: moment("undone_at"),
  },
  (table) => [index("changes_workspace").on(table.workspaceId, table.createdAt)],
);
