import { sql } from "drizzle-orm";
import { index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, moment, whole } from "../catalog/columns.tables.ts";
import type { Message } from "./message.ts";

const workspace = () => whole("workspace_id").notNull();

export const DELIVERY_STATES = ["waiting", "sent", "dead"] as const;
/** Ways to somebody. */
export const WAYS = ["mail", "webhook", "slack", "teams"] as const;
export const CHANNEL_KINDS = ["slack_bot", "slack_webhook", "teams", "webhook"] as const;

/** Rendered messages: once, whoever gets them. */
export const messages = pgTable(
  "messages",
  {
    /** What it tells of, so that it is told once: `alert:12:7`. */
    runKey: text("run_key").primaryKey(),
    workspaceId: workspace(),
    content: jsonb("content").$type<Message>().notNull(),
    createdAt: moment("created_at").notNull().default(sql`now()`),
  },
  (table) => [index("messages_created").on(table.createdAt)],
);

/** One message to one recipient. */
export const deliveries = pgTable(
  "deliveries",
  {
    id: id(),
    /** The same in every try, as Message-ID and webhook-id: so a recipient can tell what it already has. */
    uid: text("uid").notNull().unique(),
    workspaceId: workspace(),
    runKey: text("run_key")
      .notNull()
      .references(() => messages.runKey, { onDelete: "cascade" }),
    channel: text("channel").$type<(typeof WAYS)[number]>().notNull(),
    target: text("target").notNull(),
    state: text("state").$type<(typeof DELIVERY_STATES)[number]>().notNull().default("waiting"),
    /** Tries that ended, one way or the other. */
    tries: integer("tries").notNull().default(0),
    lastError: text("last_error"),
    /** Where it went, such as the file in the outbox. */
    note: text("note"),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull().default(sql`now()`),
    settledAt: moment("settled_at"),
  },
  (table) => [
    uniqueIndex("deliveries_target").on(table.runKey, table.channel, table.target),
    index("deliveries_workspace").on(table.workspaceId, table.state, table.id),
  ],
);

/** A place that messages can go to, with the secret that it wants: a Slack workspace, a channel of Teams, a webhook. */
export const channels = pgTable(
  "channels",
  {
    id: id(),
    workspaceId: workspace(),
    kind: text("kind").$type<(typeof CHANNEL_KINDS)[number]>().notNull(),
    name: text("name").notNull(),
    /** Of a Slack bot: where it writes unless a message says so. */
    room: text("room"),
    /** Of a webhook; the addresses of chats are secrets. */
    url: text("url"),
    /** Sealed by the vault. */
    secret: text("secret").notNull(),
    /** The secret before the last rotation, which signs as well until then. */
    formerSecret: text("former_secret"),
    formerUntil: moment("former_until"),
    /** Why nothing is sent to it any more. */
    disabled: text("disabled"),
    createdAt: moment("created_at").notNull().default(sql`now()`),
  },
  (table) => [uniqueIndex("channels_name").on(table.workspaceId, sql`lower(${table.name})`)],
);

/** A webhook that somebody named by its URL, without a channel. */
export const webhookEndpoints = pgTable(
  "webhook_endpoints",
  {
    id: id(),
    workspaceId: workspace(),
    url: text("url").notNull(),
    /** What it is signed with, sealed; null for older ones, whose secret is made of workspace and URL. */
    secret: text("secret"),
  },
  (table) => [uniqueIndex("webhook_endpoints_url").on(table.workspaceId, sql`md5(${table.url})`)],
);

/** Suppression list: who unsubscribed from this topic. */
export const unsubscribed = pgTable(
  "unsubscribed",
  {
    workspaceId: workspace(),
    /** In lower case. */
    address: text("address").notNull(),
    /** `alert:12` or `report:3`. */
    topic: text("topic").notNull(),
    at: moment("at").notNull().default(sql`now()`),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.address, table.topic] })],
);
