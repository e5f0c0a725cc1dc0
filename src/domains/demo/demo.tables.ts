import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { accounts, workspaces } from "../identity/identity.tables.ts";

/** A workspace that Kenning fills by itself: goes with it. */
export const demos = pgTable("demos", {
  workspaceId: whole("workspace_id")
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  /** In whose name it is filled. */
  ownerId: partOf("owner_id", () => accounts.id),
  /** The day that its story is counted from, in days since 1970. */
  anchorDay: integer("anchor_day").notNull(),
  /** The last day of which it has rows. */
  throughDay: integer("through_day").notNull(),
  /** Steps that are done. */
  step: integer("step").notNull().default(0),
  error: text("error"),
});
