import { sql } from "drizzle-orm";
import {
  bigint,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from "drizzle-orm/pg-core";
import { accounts, workspaces } from "../identity/identity.tables.ts";
import type { Problem, SemanticModel } from "./model.ts";

const id = () => bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity();
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const workspace = () =>
  bigint("workspace_id", { mode: "number" })
    .notNull()
    .references(() => workspaces.id, { onDelete: "cascade" });
const person = (name: string) =>
  bigint(name, { mode: "number" }).references(() => accounts.id, { onDelete: "set null" });
const model = () =>
  bigint("model_id", { mode: "number" })
    .notNull()
    .references(() => semanticModels.id, { onDelete: "cascade" });

/** A semantic model: its draft, and which of its versions is published. */
export const semanticModels = pgTable(
  "semantic_models",
  {
    id: id(),
    uuid: uuid("uuid").notNull().unique().defaultRandom(),
    workspaceId: workspace(),
    name: text("name").notNull(),
    draft: jsonb("draft").$type<SemanticModel>(),
    draftedBy: person("drafted_by"),
    draftedAt: moment("drafted_at"),
    /** Null as long as it was never published. */
    publishedVersion: integer("published_version"),
    createdBy: person("created_by"),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("semantic_models_name")
      .on(table.workspaceId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
  ],
);

/** What was once published; never changed. */
export const semanticModelVersions = pgTable(
  "semantic_model_versions",
  {
    id: id(),
    modelId: model(),
    version: integer("version").notNull(),
    document: jsonb("document").$type<SemanticModel>().notNull(),
    warnings: jsonb("warnings").$type<readonly Problem[]>().notNull(),
    publishedBy: person("published_by"),
    publishedAt: moment("published_at").notNull(),
  },
  (table) => [unique("semantic_model_versions_number").on(table.modelId, table.version)],
);

export const storedQueries = pgTable(
  "stored_queries",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    workspaceId: workspace(),
    modelId: model(),
    ownerId: person("owner_id"),
    /** Named queries are kept; the others make room for newer ones. */
    name: text("name"),
    sql: text("sql").notNull(),
    params: jsonb("params").$type<readonly string[]>().notNull(),
    createdAt: moment("created_at").notNull(),
    ranAt: moment("ran_at").notNull(),
  },
  (table) => [index("stored_queries_owner").on(table.workspaceId, table.ownerId, table.ranAt)],
);

export const IMPROVEMENT_STATES = ["open", "done", "declined"] as const;
export type ImprovementState = (typeof IMPROVEMENT_STATES)[number];

export const improvementRequests = pgTable(
  "improvement_requests",
  {
    id: id(),
    workspaceId: workspace(),
    modelId: model(),
    title: text("title").notNull(),
    description: text("description").notNull(),
    state: text("state").$type<ImprovementState>().notNull(),
    /** What the one who closed it says about it. */
    resolution: text("resolution"),
    /** E-mail address of whoever asked. */
    requestedBy: text("requested_by").notNull(),
    createdAt: moment("created_at").notNull(),
    closedBy: person("closed_by"),
    closedAt: moment("closed_at"),
  },
  (table) => [index("improvement_requests_workspace").on(table.workspaceId, table.createdAt)],
);

export const modelSettings = pgTable("model_settings", {
  workspaceId: workspace().primaryKey(),
  itemsPerPage: integer("items_per_page").notNull(),
});
