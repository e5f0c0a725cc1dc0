import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { datasets } from "../data/data.tables.ts";
import { account, accounts, ofWorkspace } from "../identity/identity.tables.ts";
import type { DashboardAccess, DashboardFilter, DashboardSettings, Place, WidgetSpec } from "./shapes.ts";

/** What dashboards and widgets know of their changes. */
const history = () => ({
  /** Grows with every change; former ones are in `board_versions`. */
  version: integer("version").notNull().default(1),
  createdBy: account("created_by"),
  createdAt: moment("created_at").notNull(),
  changedBy: account("changed_by"),
  changedAt: moment("changed_at").notNull(),
  /**
   * Who decided what it shows (of a dashboard: its filters), and who placed it or brought it back since: to others it
   * is shown only as far as all of these may see it. 0 stands for somebody who is not known any more.
   */
  authorIds: jsonb("author_ids").$type<readonly number[]>().notNull().default([]),
  deletedAt: moment("deleted_at"),
});

export const dashboards = pgTable(
  "dashboards",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    description: text("description"),
    filters: jsonb("filters").$type<readonly DashboardFilter[]>().notNull().default([]),
    access: jsonb("access").$type<DashboardAccess>().notNull(),
    settings: jsonb("settings").$type<DashboardSettings>().notNull().default({}),
    ...history(),
  },
  (table) => [index("dashboards_workspace").on(table.workspaceId)],
);

export const widgets = pgTable(
  "widgets",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    /** Null for one that stands alone. */
    dashboardId: whole("dashboard_id").references(() => dashboards.id, { onDelete: "cascade" }),
    datasetId: whole("dataset_id").references(() => datasets.id, { onDelete: "set null" }),
    name: text("name").notNull(),
    spec: jsonb("spec").$type<WidgetSpec>().notNull(),
    place: jsonb("place").$type<Place>(),
    ...history(),
  },
  (table) => [
    index("widgets_workspace").on(table.workspaceId),
    index("widgets_dashboard").on(table.dashboardId),
  ],
);

/** What a dashboard (with the places of its widgets) or a widget was before it was changed. */
export const boardVersions = pgTable(
  "board_versions",
  {
    kind: text("kind").$type<"dashboard" | "widget">().notNull(),
    assetId: whole("asset_id").notNull(),
    version: integer("version").notNull(),
    workspaceId: ofWorkspace(),
    content: jsonb("content").$type<Record<string, unknown>>().notNull(),
    changedBy: account("changed_by"),
    changedAt: moment("changed_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.assetId, table.version] })],
);

/** An address under which a dashboard or a widget is shown to whoever has its secret. */
export const embeds = pgTable(
  "embeds",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    /** Its part of the address that servers may see. */
    publicId: text("public_id").notNull().unique(),
    /** SHA-256 of the part that only browsers see. */
    secretHash: text("secret_hash").notNull(),
    dashboardId: whole("dashboard_id").references(() => dashboards.id, { onDelete: "cascade" }),
    widgetId: whole("widget_id").references(() => widgets.id, { onDelete: "cascade" }),
    /** Whose rights it has, as they are when it is used. */
    createdBy: partOf("created_by", () => accounts.id),
    attributes: jsonb("attributes").$type<Readonly<Record<string, string>>>(),
    /** Origins of pages that may show it; any, if there are none. */
    origins: text("origins").array().notNull().default(sql`'{}'::text[]`),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at"),
    revokedAt: moment("revoked_at"),
    lastUsedAt: moment("last_used_at"),
  },
  (table) => [index("embeds_workspace").on(table.workspaceId)],
);
