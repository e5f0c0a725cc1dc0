import { sql } from "drizzle-orm";
import { customType, index, pgTable, text } from "drizzle-orm/pg-core";
import { id, moment, whole } from "../catalog/columns.tables.ts";
import type { Kind } from "./types.ts";

const transactionId = customType<{ data: string }>({ dataType: () => "xid8" });

/**
 * Which entries a transaction has changed. Triggers of the tables that indexes are made of write it, so that it is there
 * if and only if the change is, whoever made it. Swept after an hour: an index that has not looked for longer compares
 * all numbers instead.
 */
export const retrievalChanges = pgTable(
  "retrieval_changes",
  {
    id: id(),
    kind: text("kind").$type<Kind>().notNull(),
    workspaceId: whole("workspace_id").notNull(),
    ids: whole("ids").array().notNull(),
    /** Tells what a snapshot has seen: ids are given before they commit, and so out of order. */
    transaction: transactionId("transaction").notNull().default(sql`pg_current_xact_id()`),
    at: moment("at").notNull().defaultNow(),
  },
  (table) => [
    index("retrieval_changes_transaction").on(table.kind, table.workspaceId, table.transaction),
    index("retrieval_changes_at").on(table.at),
  ],
);
