import {
  foreignKey,
  index,
  integer,
  json,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uuid,
} from "drizzle-orm/pg-core";
import { moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import { account, accounts, members } from "../identity/identity.tables.ts";
import { semanticModels } from "../models/models.tables.ts";
import type { AskedQuery, Outcome } from "./answer.ts";
import type { Suggested } from "./phases/question.ts";
import type { Preferences } from "./preferences/preferences.ts";

export { accounts, semanticModels };

/** What a member has chosen once for all questions; gone with the membership. */
export const userSettings = pgTable(
  "user_settings",
  {
    workspaceId: whole("workspace_id").notNull(),
    accountId: whole("account_id").notNull(),
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

/** Questions of one session of a client, or of one that follow each other. */
export const conversations = pgTable(
  "conversations",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    workspaceId: whole("workspace_id").notNull(),
    accountId: whole("account_id").notNull(),
    /** A hash of endpoint and session; null where the client has none. */
    session: text("session"),
    title: text("title").notNull(),
    createdAt: moment("created_at").notNull(),
    usedAt: moment("used_at").notNull(),
    /** Whoever took it away may bring it back for a day. */
    removedAt: moment("removed_at"),
  },
  (table) => [
    unique("conversations_session").on(table.workspaceId, table.accountId, table.session),
    foreignKey({
      name: "conversations_member",
      columns: [table.workspaceId, table.accountId],
      foreignColumns: [members.workspaceId, members.accountId],
    }).onDelete("cascade"),
  ],
);

/** What was asked and how it was understood. Rows and texts with numbers are not kept: policies may change. */
export const answers = pgTable(
  "agent_answers",
  {
    id: uuid("id").primaryKey().defaultRandom(),
    /** What came after what: two answers may have the same time. */
    place: whole("place").generatedAlwaysAsIdentity(),
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    modelId: partOf("model_id", () => semanticModels.id),
    modelVersion: integer("model_version").notNull(),
    question: text("question").notNull(),
    outcome: text("outcome").$type<Outcome>().notNull(),
    /** Null where there was no answer. As json, which keeps the order of keys: queries are compared by their texts. */
    query: json("query").$type<AskedQuery>(),
    sql: text("sql"),
    /** Other words for the question that whoever asked was asked about. */
    suggested: json("suggested").$type<Suggested[]>(),
    mark: text("mark").$type<"right" | "wrong">(),
    comment: text("comment"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    index("agent_answers_conversation").on(table.conversationId, table.place),
    index("agent_answers_at").on(table.createdAt),
  ],
);

/** Questions of a thread that no model was asked: they are answered anew when they are looked at. */
export const threadQuestions = pgTable(
  "thread_questions",
  {
    id: whole("id").primaryKey().generatedAlwaysAsIdentity(),
    conversationId: uuid("conversation_id")
      .notNull()
      .references(() => conversations.id, { onDelete: "cascade" }),
    question: text("question").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("thread_questions_conversation").on(table.conversationId, table.id)],
);

/** Questions of a model whose meaning somebody has confirmed; gone with the model. */
export const verifiedQuestions = pgTable(
  "verified_questions",
  {
    modelId: partOf("model_id", () => semanticModels.id),
    /** A hash of the question, whatever its case, spaces and punctuation. */
    key: text("key").notNull(),
    question: text("question").notNull(),
    query: json("query").$type<AskedQuery>().notNull(),
    /** The version of the model that answered; null where nobody wrote it down. */
    modelVersion: integer("model_version"),
    verifiedBy: account("verified_by"),
    verifiedAt: moment("verified_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.modelId, table.key] })],
);
