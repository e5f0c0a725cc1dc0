import { sql } from "drizzle-orm";
import { boolean, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, moment } from "../../platform/catalog/columns.tables.ts";
import type { ProviderKind } from "../../platform/llm/index.ts";
import { account, ofWorkspace } from "../identity/identity.tables.ts";

/** A language model that a workspace may ask. */
export const llmProviders = pgTable(
  "llm_providers",
  {
    id: id(),
    workspaceId: ofWorkspace(),
    name: text("name").notNull(),
    kind: text("kind").$type<ProviderKind>().notNull(),
    model: text("model").notNull(),
    baseUrl: text("base_url"),
    /** The key, sealed by the vault. */
    sealedKey: text("sealed_key"),
    isDefault: boolean("is_default").notNull(),
    /** True if rows of results may be sent to it. */
    sendsRows: boolean("sends_rows").notNull(),
    timeoutMs: integer("timeout_ms").notNull(),
    createdBy: account("created_by"),
    changedAt: moment("changed_at").notNull(),
  },
  (table) => [
    uniqueIndex("llm_providers_name").on(table.workspaceId, sql`lower(${table.name})`),
    uniqueIndex("llm_providers_default").on(table.workspaceId).where(sql`${table.isDefault}`),
  ],
);
