import { index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { id, moment, partOf } from "../../platform/catalog/columns.tables.ts";
import { accounts, ofWorkspace } from "../identity/identity.tables.ts";

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
    id: id(),
    workspaceId: ofWorkspace(),
    userId: partOf("user_id", () => accounts.id),
    instruction: text("instruction").notNull(),
    steps: jsonb("steps").$type<readonly Change[]>().notNull(),
    createdAt: moment("created_at").notNull(),
    undoneAt: moment("undone_at"),
  },
  (table) => [index("changes_workspace").on(table.workspaceId, table.createdAt)],
);
