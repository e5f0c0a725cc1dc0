import { bigint, index, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import { workspaces } from "../identity/identity.tables.ts";

const id = () => bigint({ mode: "number" }).primaryKey().generatedAlwaysAsIdentity();
const workspaceId = () =>
  bigint("workspace_id", { mode: "number" })
    .notNull()
    .references(() => workspaces.id, { onDelete: "cascade" });
const createdAt = () => timestamp("created_at", { withTimezone: true }).notNull().defaultNow();

export const memories = pgTable(
  "memories",
  { id: id(), workspaceId: workspaceId(), content: text().notNull(), createdAt: createdAt() },
  (table) => [index("memories_workspace").on(table.workspaceId)],
);

export const memoryRelations = pgTable(
  "memory_relations",
  {
    id: id(),
    workspaceId: workspaceId(),
    fromId: bigint("from_id", { mode: "number" })
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    toId: bigint("to_id", { mode: "number" })
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    type: text().notNull(),
    createdAt: createdAt(),
  },
  (table) => [index("memory_relations_workspace").on(table.workspaceId)],
);

export const memoryChunks = pgTable(
  "memory_chunks",
  {
    id: id(),
    workspaceId: workspaceId(),
    memoryId: bigint("memory_id", { mode: "number" })
      .notNull()
      .references(() => memories.id, { onDelete: "cascade" }),
    content: text().notNull(),
  },
  (table) => [index("memory_chunks_workspace").on(table.workspaceId)],
);
