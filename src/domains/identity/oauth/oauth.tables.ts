import { index, jsonb, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { moment, partOf } from "../../../platform/catalog/columns.tables.ts";
import { accounts, ofWorkspace } from "../identity.tables.ts";

const account = () => partOf("account_id", () => accounts.id);

/** What the authorization server keeps between two requests. Ids that are secrets are kept as hashes. */
export const oauthRecords = pgTable(
  "oauth_records",
  {
    model: text("model").notNull(),
    id: text("id").notNull(),
    payload: jsonb("payload").$type<Record<string, unknown>>().notNull(),
    grantId: text("grant_id"),
    uid: text("uid"),
    consumedAt: moment("consumed_at"),
    expiresAt: moment("expires_at"),
  },
  (table) => [
    primaryKey({ columns: [table.model, table.id] }),
    index("oauth_records_grant").on(table.grantId),
    index("oauth_records_uid").on(table.uid),
    index("oauth_records_expiry").on(table.expiresAt),
  ],
);

/** An app that a person has connected: what they allowed it, in which workspace. */
export const connectedApps = pgTable(
  "connected_apps",
  {
    grantId: text("grant_id").primaryKey(),
    accountId: account(),
    workspaceId: ofWorkspace(),
    clientId: text("client_id").notNull(),
    clientName: text("client_name").notNull(),
    scopes: text("scopes").array().notNull(),
    createdAt: moment("created_at").notNull(),
    lastUsedAt: moment("last_used_at"),
    revokedAt: moment("revoked_at"),
  },
  (table) => [index("connected_apps_account").on(table.accountId)],
);

/** Keys that sign access tokens; the private part is sealed by the vault. */
export const signingKeys = pgTable("signing_keys", {
  kid: text("kid").primaryKey(),
  sealed: text("sealed").notNull(),
  createdAt: moment("created_at").notNull(),
});

/** A person who is signed in with a browser. The cookie holds what this id is the hash of. */
export const webSessions = pgTable(
  "web_sessions",
  {
    id: text("id").primaryKey(),
    accountId: account(),
    /** The identity provider that vouched for them; null after a password. */
    provider: text("provider"),
    createdAt: moment("created_at").notNull(),
    lastSeenAt: moment("last_seen_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [index("web_sessions_account").on(table.accountId)],
);
