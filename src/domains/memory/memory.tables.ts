import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { accounts, workspaces } from "../identity/identity.tables.ts";

const id = () => bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity();
const reference = (name: string) => bigint(name, { mode: "number" });
const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const account = (name: string) => reference(name).references(() => accounts.id, { onDelete: "set null" });
const workspaceId = () =>
  reference("workspace_id")
    .notNull()
    .references(() => workspaces.id, { onDelete: "cascade" });

export const MEMORY_TYPES = ["semantic", "episodic", "procedural", "reference"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** A fact by itself, a text that was split, or a section of such a text. */
export const MEMORY_KINDS = ["memory", "document", "section"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** What a memory is whatever it says at a time; its row is locked by whoever changes what it says. */
export const memories = pgTable(
  "memories",
  {
    id: id(),
    workspaceId: workspaceId(),
    kind: text("kind").$type<MemoryKind>().notNull().default("memory"),
    type: text("type").$type<MemoryType>().notNull().default("semantic"),
    tags: text("tags").array().notNull().default(sql`'{}'::text[]`),
    source: text("source"),
    isPinned: boolean("is_pinned").notNull().default(false),
    retractedAt: moment("retracted_at"),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("memories_workspace").on(table.workspaceId)],
);

/** What a memory says, from when to when it holds, and from when to when we believed so. Never rewritten, only closed. */
export const memoryVersions = pgTable(
  "memory_versions",
  {
    id: id(),
    workspaceId: workspaceId(),
    memoryId: reference("memory_id")
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    /** Its id outside, which people can read. */
    key: text("key").notNull(),
    version: integer("version").notNull().default(1),
    title: text("title"),
    content: text("content").notNull(),
    validFrom: moment("valid_from").notNull(),
    validTo: moment("valid_to"),
    /** The end that was known before a newer version ended it. */
    statedValidTo: moment("stated_valid_to"),
    recordedAt: moment("recorded_at").notNull(),
    supersededAt: moment("superseded_at"),
    updateReason: text("update_reason"),
    createdBy: account("created_by"),
    /** Another number whenever anything has changed that the search knows of it. */
    revision: integer("revision").notNull().default(1),
  },
  (table) => [
    uniqueIndex("memory_versions_key").on(table.workspaceId, table.key),
    uniqueIndex("memory_versions_open").on(table.memoryId).where(sql`${table.supersededAt} IS NULL`),
    uniqueIndex("memory_versions_number").on(table.memoryId, table.version),
    index("memory_versions_workspace").on(table.workspaceId, table.id),
    check("memory_versions_period", sql`${table.validTo} IS NULL OR ${table.validTo} >= ${table.validFrom}`),
  ],
);

/** Each relation has two rows: as it was said, and the other way round. One that was taken back keeps its rows. */
export const memoryRelations = pgTable(
  "memory_relations",
  {
    id: id(),
    workspaceId: workspaceId(),
    fromId: reference("from_id")
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    toId: reference("to_id")
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    type: text("type").notNull(),
    isInverse: boolean("is_inverse").notNull().default(false),
    /** The versions that it is between, where one memory's version follows another. */
    fromVersionId: reference("from_version_id").references(() => memoryVersions.id, { onDelete: "cascade" }),
    toVersionId: reference("to_version_id").references(() => memoryVersions.id, { onDelete: "cascade" }),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull().defaultNow(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("memory_relations_workspace").on(table.workspaceId),
    index("memory_relations_to").on(table.toId),
    uniqueIndex("memory_relations_open")
      .on(table.fromId, table.toId, table.type, sql`coalesce(${table.fromVersionId}, 0)`)
      .where(sql`${table.endedAt} IS NULL`),
  ],
);
