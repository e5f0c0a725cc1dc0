import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { account, accounts, ofWorkspace } from "../identity/identity.tables.ts";

export { accounts };

const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => "bytea",
  toDriver: (value) => Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  fromDriver: (value) => new Uint8Array(value),
});

export const MEMORY_TYPES = ["semantic", "episodic", "procedural", "reference"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** A fact by itself, a text that was split, or a section of such a text. */
export const MEMORY_KINDS = ["memory", "document", "section"] as const;
export type MemoryKind = (typeof MEMORY_KINDS)[number];

/** That another end of a version became known, and why: it was superseded, or no longer is, is outdated, or expires. */
export interface LearntEnd {
  /** ISO 8601. */
  recordedAt: string;
  validTo: string | null;
  way: "superseded" | "reinstated" | "outdated" | "expires";
  reason: string | null;
  userId: number | null;
}

/** What a memory is whatever it says at a time; its row is locked by whoever changes what it says. */
export const memories = pgTable(
  "memories",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    kind: text("kind").$type<MemoryKind>().notNull().default("memory"),
    type: text("type").$type<MemoryType>().notNull().default("semantic"),
    tags: text("tags").array().notNull().default(sql`'{}'::text[]`),
    source: text("source"),
    isPinned: boolean("is_pinned").notNull().default(false),
    retractedAt: moment("retracted_at"),
    retractedBy: account("retracted_by"),
    retractionReason: text("retraction_reason"),
    createdBy: account("created_by"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [index("memories_newest").on(table.workspaceId, table.id)],
);

/** What a memory says, from when to when it holds, and from when to when we believed so. Never rewritten, only closed. */
export const memoryVersions = pgTable(
  "memory_versions",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    memoryId: partOf("memory_id", () => memories.id),
    /** Its id outside, which people can read. */
    key: text("key").notNull(),
    version: integer("version").notNull().default(1),
    title: text("title"),
    content: text("content").notNull(),
    validFrom: moment("valid_from").notNull(),
    validTo: moment("valid_to"),
    /** The end that was known when it was recorded; `ends` tells of those that became known later, the last one last. */
    statedValidTo: moment("stated_valid_to"),
    ends: jsonb("ends").$type<LearntEnd[]>().notNull().default([]),
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
    index("memory_versions_title")
      .on(table.workspaceId, sql`lower(${table.title})`)
      .where(sql`${table.supersededAt} IS NULL AND ${table.title} IS NOT NULL`),
    check("memory_versions_period", sql`${table.validTo} IS NULL OR ${table.validTo} >= ${table.validFrom}`),
  ],
);

/** Each relation has two rows: as it was said, and the other way round. One that was taken back keeps its rows. */
export const memoryRelations = pgTable(
  "memory_relations",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    fromId: partOf("from_id", () => memories.id),
    toId: partOf("to_id", () => memories.id),
    type: text("type").notNull(),
    isInverse: boolean("is_inverse").notNull().default(false),
    /** The versions that it is between, where one memory's version follows another. */
    fromVersionId: whole("from_version_id").references(() => memoryVersions.id, { onDelete: "cascade" }),
    toVersionId: whole("to_version_id").references(() => memoryVersions.id, { onDelete: "cascade" }),
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

/** The direction of what a version says, by the model that made it. */
export const memoryVectors = pgTable(
  "memory_vectors",
  {
    versionId: partOf("version_id", () => memoryVersions.id),
    fingerprint: text("fingerprint").notNull(),
    vector: bytes("vector").notNull(),
  },
  (table) => [primaryKey({ columns: [table.versionId, table.fingerprint] })],
);

/** Names in a memory's text, as `[[name]]` or `@name`, in small letters. Whoever gets such a title is related to it. */
export const memoryMentions = pgTable(
  "memory_mentions",
  {
    workspaceId: ofWorkspace(),
    memoryId: partOf("memory_id", () => memories.id),
    name: text("name").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.memoryId, table.name] }),
    index("memory_mentions_name").on(table.workspaceId, table.name),
  ],
);

/** How often a memory was among the hits of a recall. */
export const memoryUsage = pgTable("memory_usage", {
  memoryId: whole("memory_id")
    .primaryKey()
    .references(() => memories.id, { onDelete: "cascade" }),
  recalls: integer("recalls").notNull().default(0),
  lastRecalledAt: moment("last_recalled_at").notNull(),
});

/** What relations a workspace allows beyond the vocabulary: SHACL shapes in Turtle. */
export const memoryShapes = pgTable("memory_shapes", {
  workspaceId: ofWorkspace().primaryKey(),
  turtle: text("turtle").notNull(),
  updatedBy: account("updated_by"),
  updatedAt: moment("updated_at").notNull().defaultNow(),
});
