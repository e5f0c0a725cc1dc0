import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { account, accounts, groups, members, ofWorkspace, workspaces } from "../identity/identity.tables.ts";

/** Names of people and groups are read along with what is theirs. */
export { accounts, groups, members, workspaces };

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });

export const LEVELS = ["personal", "group", "organization"] as const;
export type Level = (typeof LEVELS)[number];

export const INDEX_STATES = [
  "not_indexed",
  "queued",
  "pending_conversion",
  "converting",
  "indexing",
  "success",
  "failed",
] as const;
export type IndexStatus = (typeof INDEX_STATES)[number];

const lifetime = () => ({
  createdBy: account("created_by"),
  createdAt: moment("created_at").notNull(),
  updatedAt: moment("updated_at").notNull(),
  deletedAt: moment("deleted_at"),
});
const file = () => ({
  mimeType: text("mime_type").notNull(),
  bytes: whole("bytes").notNull(),
  sha256: text("sha256").notNull(),
  blobKey: text("blob_key").notNull(),
});

/** Where documents are kept. Its level says who reads it: its owner, a group, or everybody in the workspace. */
export const knowledgeBases = pgTable(
  "knowledge_bases",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    description: text("description"),
    level: text("level").$type<Level>().notNull(),
    groupId: whole("group_id").references(() => groups.id, { onDelete: "cascade" }),
    /** Whose it is, where it is personal; otherwise who made it. */
    ownerId: account("owner_id"),
    ...lifetime(),
  },
  (table) => [
    uniqueIndex("knowledge_bases_name")
      .on(
        table.workspaceId,
        sql`(case ${table.level} when 'personal' then ${table.ownerId} when 'group' then -${table.groupId} else 0 end)`,
        sql`lower(${table.name})`,
      )
      .where(sql`${table.deletedAt} IS NULL`),
    check("knowledge_bases_group", sql`(${table.level} = 'group') = (${table.groupId} IS NOT NULL)`),
  ],
);

/** Whom a base is shared with beyond its level: one member, or one group. */
export const knowledgeGrants = pgTable(
  "knowledge_grants",
  {
    id: id(),
    baseId: partOf("base_id", () => knowledgeBases.id),
    accountId: whole("account_id").references(() => accounts.id, { onDelete: "cascade" }),
    groupId: whole("group_id").references(() => groups.id, { onDelete: "cascade" }),
    mayEdit: boolean("may_edit").notNull(),
  },
  (table) => [
    uniqueIndex("knowledge_grants_account").on(table.baseId, table.accountId),
    uniqueIndex("knowledge_grants_group").on(table.baseId, table.groupId),
    check("knowledge_grants_one", sql`(${table.accountId} IS NULL) <> (${table.groupId} IS NULL)`),
  ],
);

/** The parent is no foreign key: listings cope with one that is gone, and with rings. */
export const knowledgeFolders = pgTable(
  "knowledge_folders",
  {
    id: id(),
    baseId: partOf("base_id", () => knowledgeBases.id),
    /** 0 for the root. */
    parentId: whole("parent_id").notNull().default(0),
    name: text("name").notNull(),
    ...lifetime(),
  },
  (table) => [
    uniqueIndex("knowledge_folders_name")
      .on(table.baseId, table.parentId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
  ],
);

export const knowledgeDocuments = pgTable(
  "knowledge_documents",
  {
    id: id(),
    baseId: partOf("base_id", () => knowledgeBases.id),
    /** 0 for the root. */
    folderId: whole("folder_id").notNull().default(0),
    name: text("name").notNull(),
    /** Without a dot, in lower case; empty where the name has none. */
    extension: text("extension").notNull(),
    ...file(),
    /** "file", "text" or "web". */
    sourceType: text("source_type").notNull(),
    sourceUrl: text("source_url"),
    /** 1 for the first file; each file that takes its place adds one. */
    version: integer("version").notNull().default(1),
    /** Grows with every change that searches must know of. */
    revision: integer("revision").notNull().default(1),
    indexStatus: text("index_status").$type<IndexStatus>().notNull(),
    /** Why it failed. */
    indexError: text("index_error"),
    /** What the reader noticed: pages without text, and the like. */
    notes: text("notes").array().notNull().default([]),
    isActive: boolean("is_active").notNull().default(true),
    /** Characters of its parsed text; 0 until it was read. */
    textLength: integer("text_length").notNull().default(0),
    pages: integer("pages"),
    jobId: text("job_id"),
    ...lifetime(),
  },
  (table) => [
    uniqueIndex("knowledge_documents_name")
      .on(table.baseId, table.folderId, sql`lower(${table.name})`)
      .where(sql`${table.deletedAt} IS NULL`),
    index("knowledge_documents_content").on(table.baseId, table.sha256),
    index("knowledge_documents_blob").on(table.blobKey),
    index("knowledge_documents_unfinished")
      .on(table.id)
      .where(sql`${table.indexStatus} IN ('queued', 'pending_conversion', 'converting', 'indexing')`),
  ],
);

/** Files that another one took the place of. */
export const knowledgeVersions = pgTable(
  "knowledge_versions",
  {
    documentId: partOf("document_id", () => knowledgeDocuments.id),
    version: integer("version").notNull(),
    ...file(),
    replacedBy: account("replaced_by"),
    replacedAt: moment("replaced_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.documentId, table.version] }),
    index("knowledge_versions_blob").on(table.blobKey),
  ],
);

/** The parsed text of a document, apart from its row, which is read far more often. */
export const knowledgeTexts = pgTable("knowledge_texts", {
  documentId: whole("document_id")
    .primaryKey()
    .references(() => knowledgeDocuments.id, { onDelete: "cascade" }),
  content: text("content").notNull(),
});

/** A piece of that text, as searches find it. Pieces are never changed, only replaced. */
export const knowledgeChunks = pgTable(
  "knowledge_chunks",
  {
    id: id(),
    documentId: partOf("document_id", () => knowledgeDocuments.id),
    /** 0 for the first of its document. */
    position: integer("position").notNull(),
    content: text("content").notNull(),
    /** The headings above it, outermost first. */
    titlePath: text("title_path").array().notNull(),
    page: integer("page"),
    /** Where it begins in the parsed text, in characters. */
    start: integer("start").notNull(),
  },
  (table) => [uniqueIndex("knowledge_chunks_document").on(table.documentId, table.position)],
);

/** What a piece is compared by, by each model that was asked; without any bytes where the model refuses its text. */
export const knowledgeVectors = pgTable(
  "knowledge_vectors",
  {
    chunkId: partOf("chunk_id", () => knowledgeChunks.id),
    fingerprint: text("fingerprint").notNull(),
    vector: bytes("vector").notNull(),
    tokens: bytes("tokens"),
  },
  (table) => [primaryKey({ columns: [table.chunkId, table.fingerprint] })],
);
