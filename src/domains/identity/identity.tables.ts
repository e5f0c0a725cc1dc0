import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
} from "drizzle-orm/pg-core";
import type { Permission, Role } from "../../kernel/permissions.ts";
import { id, moment, partOf, whole } from "../../platform/catalog/columns.tables.ts";
import type { TokenKind, TokenLimits } from "../../registry/caller.ts";

/** A plan's bounds by metric: `{"memories": 100}`. A metric that is not named has no bound. */
export type PlanLimits = Readonly<Record<string, number>>;

export const plans = pgTable("plans", {
  name: text("name").primaryKey(),
  limits: jsonb("limits").$type<PlanLimits>().notNull().default({}),
});

export const workspaces = pgTable("workspaces", {
  id: id(),
  slug: text("slug").notNull().unique(),
  name: text("name").notNull(),
  plan: text("plan")
    .notNull()
    .default("self-hosted")
    .references(() => plans.name),
  createdAt: moment("created_at").notNull().defaultNow(),
});

export const accounts = pgTable(
  "accounts",
  {
    id: id(),
    email: text("email").notNull().unique(),
    name: text("name").notNull(),
    passwordHash: text("password_hash").notNull(),
    disabledAt: moment("disabled_at"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [check("accounts_email_lower_case", sql`${table.email} = lower(${table.email})`)],
);

/** Who an account is to an identity provider. */
export const federatedIdentities = pgTable(
  "federated_identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    accountId: partOf("account_id", () => accounts.id),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.issuer, table.subject] }),
    index("federated_identities_account").on(table.accountId),
  ],
);

/** What goes with its workspace, and who did something as long as there is such an account. */
export const ofWorkspace = () => partOf("workspace_id", () => workspaces.id);
export const account = (name: string) => whole(name).references(() => accounts.id, { onDelete: "set null" });

export const members = pgTable(
  "members",
  {
    workspaceId: ofWorkspace(),
    accountId: partOf("account_id", () => accounts.id),
    role: text("role").$type<Role>().notNull(),
    /** Facts about a person that row policies refer to, such as their region. */
    attributes: jsonb("attributes").$type<Record<string, string>>().notNull().default({}),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.accountId] }),
    index("members_account").on(table.accountId),
    check("members_role", sql`${table.role} in ('admin', 'contributor', 'viewer')`),
  ],
);

export const groups = pgTable(
  "groups",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    displayName: text("display_name").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    unique("groups_workspace_name").on(table.workspaceId, table.name),
    // What `group_members` refers to.
    unique("groups_workspace_id").on(table.workspaceId, table.id),
  ],
);

/** Both foreign keys carry the workspace, so that no one can be in a group of a workspace they do not belong to. */
export const groupMembers = pgTable(
  "group_members",
  {
    workspaceId: whole("workspace_id").notNull(),
    groupId: whole("group_id").notNull(),
    accountId: whole("account_id").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.groupId, table.accountId] }),
    index("group_members_member").on(table.workspaceId, table.accountId),
    foreignKey({
      name: "group_members_group",
      columns: [table.workspaceId, table.groupId],
      foreignColumns: [groups.workspaceId, groups.id],
    }).onDelete("cascade"),
    foreignKey({
      name: "group_members_member_of_workspace",
      columns: [table.workspaceId, table.accountId],
      foreignColumns: [members.workspaceId, members.accountId],
    }).onDelete("cascade"),
  ],
);

/** Somebody who is asked in and has not come yet. Whoever has the link joins with this; of an address there is one at most. */
export const invitations = pgTable(
  "invitations",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    email: text("email").notNull(),
    role: text("role").$type<Role>().notNull(),
    attributes: jsonb("attributes").$type<Record<string, string>>().notNull(),
    groupIds: whole("group_ids").array().notNull(),
    /** SHA-256 of the secret in the link. */
    hash: text("hash").notNull().unique(),
    invitedBy: account("invited_by"),
    createdAt: moment("created_at").notNull(),
    expiresAt: moment("expires_at").notNull(),
  },
  (table) => [
    unique("invitations_workspace_email").on(table.workspaceId, table.email),
    check("invitations_role", sql`${table.role} in ('admin', 'contributor', 'viewer')`),
  ],
);

/** A token is kept as the SHA-256 of its text: 256 random bits need no slow hash and no salt. */
export const tokens = pgTable(
  "tokens",
  {
    id: id(),
    kind: text("kind").$type<TokenKind>().notNull(),
    hash: text("hash").notNull().unique(),
    hintText: text("hint_text").notNull(),
    name: text("name").notNull(),
    accountId: partOf("account_id", () => accounts.id),
    workspaceId: ofWorkspace(),
    /** Null means: everything that the owner's role allows. */
    scopes: text("scopes").array().$type<Permission[]>(),
    limits: jsonb("limits").$type<TokenLimits>().notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
    expiresAt: moment("expires_at"),
    revokedAt: moment("revoked_at"),
    lastUsedAt: moment("last_used_at"),
    lastUsedClient: text("last_used_client"),
  },
  (table) => [
    index("tokens_owner").on(table.accountId, table.workspaceId),
    index("tokens_workspace").on(table.workspaceId),
  ],
);

/** What a program signs in with to get a bearer of one hour. */
export const loginClients = pgTable("login_clients", {
  clientId: text("client_id").primaryKey(),
  secretHash: text("secret_hash").notNull(),
  accountId: partOf("account_id", () => accounts.id),
  workspaceId: ofWorkspace(),
  createdAt: moment("created_at").notNull().defaultNow(),
});

export const usage = pgTable(
  "usage",
  {
    workspaceId: ofWorkspace(),
    metric: text("metric").notNull(),
    /** A month such as `2026-11`, or `total` for things that are kept. */
    period: text("period").notNull(),
    used: whole("used").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.metric, table.period] }),
    check("usage_not_negative", sql`${table.used} >= 0`),
  ],
);

/** No foreign keys: what happened stays on record when a person or a workspace is gone. */
export const auditEvents = pgTable(
  "audit_events",
  {
    id: id(),
    at: moment("at").notNull(),
    workspaceId: whole("workspace_id"),
    userId: whole("user_id"),
    action: text("action").notNull(),
    resourceType: text("resource_type"),
    resourceId: text("resource_id"),
    success: boolean("success").notNull(),
    outcome: text("outcome").notNull(),
    durationMs: integer("duration_ms").notNull(),
    tokenId: whole("token_id"),
    /** Of an OAuth client. */
    applicationId: text("application_id"),
    address: text("address"),
    /** Ids of the datasets whose rows were read or changed. */
    datasets: whole("datasets").array().notNull().default([]),
    metadata: jsonb("metadata").$type<Record<string, unknown>>().notNull(),
  },
  (table) => [
    index("audit_events_workspace_at").on(table.workspaceId, table.at),
    index("audit_events_token").on(table.tokenId, table.id).where(sql`${table.tokenId} > 0`),
    index("audit_events_application")
      .on(table.applicationId, table.id)
      .where(sql`${table.applicationId} IS NOT NULL`),
    index("audit_events_datasets").using("gin", table.datasets).where(sql`${table.datasets} <> '{}'`),
    index("audit_events_workspace").on(table.workspaceId, table.id),
    index("audit_events_user").on(table.workspaceId, table.userId, table.id),
    index("audit_events_action").on(table.workspaceId, table.action, table.id),
    // Rows arrive in order of time: a BRIN index is tiny and costs the inserts next to nothing.
    index("audit_events_at").using("brin", table.at),
  ],
);
