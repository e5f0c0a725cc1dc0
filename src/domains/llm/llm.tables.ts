import { sql } from "drizzle-orm";
import { bigint, boolean, integer, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { ProviderKind } from "../../platform/llm/index.ts";
import { accounts, workspaces } from "../identity/identity.tables.ts";

/** A language model that a workspace may ask. */
export const llmProviders = pgTable(
  "llm_providers",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    workspaceId: bigint("workspace_id", { mode: "number" })
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    kind: text("kind").$type<ProviderKind>().notNull(),
    model: text("model").notNull(),
    baseUrl: text("base_url"),
    /** The key, sealed by the vault. */
    sealedKey: text("sealed_key"),
    isDefault: boolean("is_default").notNull(),
    /** Whether rows of results may be sent to it. */
    sendsRows: boolean("sends_rows").notNull(),
    timeoutMs: integer("timeout_ms").notNull(),
    createdBy: bigint("created_by", { mode: "number" }).references(() => accounts.id, {
      onDelete: "set null",
    }),
    changedAt: timestamp("changed_at", { withTimezone: true, precision: 3 }).notNull(),
  },
  (table) => [
    uniqueIndex("llm_providers_name").on(table.workspaceId, sql`lower(${table.name})`),
    uniqueIndex("llm_providers_default").on(table.workspaceId).where(sql`${table.isDefault}`),
  ],
);
