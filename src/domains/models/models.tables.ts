import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, text, unique, uniqueIndex, uuid } from "drizzle-orm/pg-core";
import { id, moment, partOf } from "../../platform/catalog/columns.tables.ts";
import { account, ofWorkspace } from "../identity/identity.tables.ts";
import type { Problem, SemanticModel } from "./model.ts";

const model = () => partOf("model_id", () => semanticModels.id);

/** A semantic model: its draft, and which of its versions is published. */
export const semanticModels = pgTable(
  "semantic_models",
  {
    id: id(),
    uuid: uuid("uuid").notNull().unique().defaultRandom(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    draft: jsonb("draft").$type<SemanticModel>(),
    draftedBy: account("drafted_by"),
    draftedAt: moment("drafted_at"),
    /** Null as long as it was never published. */
    publishedVersion: integer("published_version"),
    createdBy: account("created_by"),
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
    publishedBy: account("published_by"),
    publishedAt: moment("published_at").notNull(),
  },
  (table) => [unique("semantic_model_versions_number").on(table.modelId, table.version)],
);

export const storedQueries = pgTable(
  "stored_queries",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    workspaceId: ofWorkspace(),
    modelId: model(),
    ownerId: account("owner_id"),
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
    workspaceId: ofWorkspace(),
    modelId: model(),
    title: text("title").notNull(),
    description: text("description").notNull(),
    state: text("state").$type<ImprovementState>().notNull(),
    /** What the one who closed it says about it. */
    resolution: text("resolution"),
    /** E-mail address of whoever asked. */
    requestedBy: text("requested_by").notNull(),
    createdAt: moment("created_at").notNull(),
    closedBy: account("closed_by"),
    closedAt: moment("closed_at"),
  },
  (table) => [index("improvement_requests_workspace").on(table.workspaceId, table.createdAt)],
);

export const modelSettings = pgTable("model_settings", {
  workspaceId: ofWorkspace().primaryKey(),
  itemsPerPage: integer("items_per_page").notNull(),
});
