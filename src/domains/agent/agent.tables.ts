import { bigint, foreignKey, jsonb, pgTable, primaryKey, timestamp } from "drizzle-orm/pg-core";
import { members } from "../identity/identity.tables.ts";
import type { Preferences } from "./preferences/preferences.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const reference = (name: string) => bigint(name, { mode: "number" });

/** What a member has chosen once for all questions; gone with the membership. */
export const userSettings = pgTable(
  "user_settings",
  {
    workspaceId: reference("workspace_id").notNull(),
    accountId: reference("account_id").notNull(),
    settings: jsonb("settings").$type<Preferences>().notNull(),
    updatedAt: moment("updated_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.accountId] }),
    foreignKey({
      name: "user_settings_member",
      columns: [table.workspaceId, table.accountId],
      foreignColumns: [members.workspaceId, members.accountId],
    }).onDelete("cascade"),
  ],
);
