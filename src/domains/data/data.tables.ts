import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { account, accounts, ofWorkspace } from "../identity/identity.tables.ts";
import type { Parameters as QueryParameters } from "./connectors/connector.ts";
import type { Column, DatasetPolicy, DatasetSource } from "./dataset.ts";
import type { Refresh } from "./runs/query-refresh.ts";

/** Named, typed rows. The rows are in Parquet parts; this row says which parts are current. */
export const datasets = pgTable(
  "datasets",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    description: text("description"),
    /** Grows with every change; readers see one version. */
    version: integer("version").notNull(),
    columns: jsonb("columns").$type<readonly Column[]>().notNull(),
    rowCount: whole("row_count").notNull(),
    bytes: whole("bytes").notNull(),
    source: jsonb("source").$type<DatasetSource>().notNull(),
    policies: jsonb("policies").$type<readonly DatasetPolicy[]>().notNull().default([]),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull(),
    refreshedAt: moment("refreshed_at").notNull(),
    /** Author of the last change of its rows; null for a change of long ago. */
    refreshedBy: account("refreshed_by"),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("datasets_name")
      .on(table.workspaceId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
  ],
);

/** Snapshot of a dataset when its rows were replaced, so that they can be restored. */
export const datasetVersions = pgTable(
  "dataset_versions",
  {
    datasetId: partOf("dataset_id", () => datasets.id),
    /** The last one that had these rows. */
    version: integer("version").notNull(),
    columns: jsonb("columns").$type<readonly Column[]>().notNull(),
    rowCount: whole("row_count").notNull(),
    bytes: whole("bytes").notNull(),
    source: jsonb("source").$type<DatasetSource>().notNull(),
    refreshedAt: moment("refreshed_at").notNull(),
    refreshedBy: account("refreshed_by"),
    replacedAt: moment("replaced_at").notNull(),
    replacedBy: account("replaced_by"),
  },
  (table) => [primaryKey({ columns: [table.datasetId, table.version] })],
);

/**
 * A Parquet file that holds rows of a dataset for some of its versions. Files are never changed, and one that was
 * brought back stands here once for each time.
 */
export const datasetParts = pgTable(
  "dataset_parts",
  {
    id: id(),
    datasetId: partOf("dataset_id", () => datasets.id),
    blobKey: text("blob_key").notNull(),
    rowCount: whole("row_count").notNull(),
    bytes: whole("bytes").notNull(),
    /** Of the file, as it was written; null for one of long ago. */
    sha256: text("sha256"),
    /** The id of the first part that was put together into this one, so that rows keep their order. */
    position: whole("position"),
    fromVersion: integer("from_version").notNull(),
    /** The first version that no longer has it; null while it is current. */
    untilVersion: integer("until_version"),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("dataset_parts_dataset").on(table.datasetId),
    index("dataset_parts_blob_key").on(table.blobKey),
  ],
);

/** Pushes with a key of their sender's, so that one that is sent again adds nothing. */
export const datasetPushes = pgTable(
  "dataset_pushes",
  {
    workspaceId: ofWorkspace(),
    userId: partOf("user_id", () => accounts.id),
    key: text("key").notNull(),
    /** Of the dataset's name and the rows: the same key with others is a mistake. */
    fingerprint: text("fingerprint").notNull(),
    datasetId: partOf("dataset_id", () => datasets.id),
    version: integer("version").notNull(),
    pushedAt: moment("pushed_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.userId, table.key] }),
    index("dataset_pushes_pushed_at").on(table.pushedAt),
  ],
);

export const datasources = pgTable(
  "datasources",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    type: text("type").notNull(),
    /** Host, port and the like; nothing secret. */
    settings: jsonb("settings").$type<Record<string, unknown>>().notNull(),
    /** Passwords and tokens as one JSON text, sealed by the vault. */
    sealedSecrets: text("sealed_secrets"),
    /** Groups whose contributors may query it beside admins; null for all contributors, none for admins alone. */
    queryGroups: jsonb("query_groups").$type<readonly number[]>(),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("datasources_name")
      .on(table.workspaceId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
  ],
);

/** A question to a datasource; its answer becomes a dataset. */
export const queries = pgTable(
  "queries",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    datasourceId: whole("datasource_id")
      .notNull()
      .references(() => datasources.id),
    queryText: text("query_text").notNull(),
    c9ql: text("c9ql"),
    /** Values for `:name` in the text, by name. */
    parameters: jsonb("parameters").$type<QueryParameters>().notNull().default({}),
    datasetId: whole("dataset_id").references(() => datasets.id, {
      onDelete: "set null",
    }),
    /** When it runs by itself; null while nobody asked for that. */
    refresh: jsonb("refresh").$type<Refresh>(),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull(),
    deletedAt: moment("deleted_at"),
  },
  (table) => [
    uniqueIndex("queries_name")
      .on(table.workspaceId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
  ],
);

export const RUN_STATES = ["queued", "running", "succeeded", "failed", "cancelled"] as const;
export type RunState = (typeof RUN_STATES)[number];

/** One execution of a query. It waits or runs at most once at a time. */
export const queryRuns = pgTable(
  "query_runs",
  {
    id: id(),
    queryId: partOf("query_id", () => queries.id),
    status: text("status").$type<RunState>().notNull(),
    jobId: text("job_id"),
    /** 1 for the first try. */
    attempt: integer("attempt").notNull().default(0),
    /** Rows that were read so far, or in the end. */
    rowCount: whole("row_count"),
    /** Which limit ended the result before its end. */
    truncated: text("truncated").$type<"rows" | "bytes" | "pages">(),
    /** Rows that did not fit the types of their columns and were left out. */
    rejectedRows: whole("rejected_rows"),
    datasetVersion: integer("dataset_version"),
    /** Why it failed, or why the last try did. */
    error: text("error"),
    startedBy: account("started_by"),
    queuedAt: moment("queued_at").notNull(),
    startedAt: moment("started_at"),
    finishedAt: moment("finished_at"),
  },
  (table) => [
    index("query_runs_query").on(table.queryId),
    uniqueIndex("query_runs_active").on(table.queryId).where(sql`${table.status} IN ('queued', 'running')`),
  ],
);
