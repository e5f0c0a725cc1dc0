import {
  aliasedTable,
  and,
  arrayContains,
  asc,
  count,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  ne,
  or,
  sql,
} from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { noMemory } from "./memories.store.ts";
import {
  accounts,
  type LearntEnd,
  type MemoryKind,
  type MemoryType,
  memories,
  memoryUsage,
  memoryRelations as relations,
  memoryVersions as versions,
} from "./memory.tables.ts";
import type { MemoryFilter } from "./recall.ts";

export type MemoryState = "current" | "ended" | "retracted" | "pinned";

export interface ListWish extends MemoryFilter {
  state: MemoryState;
  text?: string | undefined;
  limit: number;
  /** The key of the last one of the page before. */
  after?: number | undefined;
  now: Date;
}

export interface ListedMemory {
  memoryId: number;
  key: string;
  kind: MemoryKind;
  type: MemoryType;
  title: string | null;
  content: string;
  tags: string[];
  source: string | null;
  isPinned: boolean;
  retractedAt: Date | null;
  retractionReason: string | null;
  version: number;
  validFrom: Date;
  validTo: Date | null;
  createdAt: Date;
  createdBy: string | null;
  recalls: number;
  lastRecalledAt: Date | null;
}

export interface MemoryVersion {
  key: string;
  version: number;
  title: string | null;
  content: string;
  validFrom: Date;
  validTo: Date | null;
  recordedAt: Date;
  supersededAt: Date | null;
  updateReason: string | null;
  recordedBy: string | null;
  ends: LearntEnd[];
}

/** Ids that a client is offered while somebody types. */
const COMPLETED = 50;

const LISTED = {
  memoryId: memories.id,
  key: versions.key,
  kind: memories.kind,
  type: memories.type,
  title: versions.title,
  content: versions.content,
  tags: memories.tags,
  source: memories.source,
  isPinned: memories.isPinned,
  retractedAt: memories.retractedAt,
  retractionReason: memories.retractionReason,
  version: versions.version,
  validFrom: versions.validFrom,
  validTo: versions.validTo,
  createdAt: memories.createdAt,
  createdBy: accounts.email,
  recalls: sql<number>`coalesce(${memoryUsage.recalls}, 0)`,
  lastRecalledAt: memoryUsage.lastRecalledAt,
};

/** Memories as those see them who look after them: lists, and all that one has ever said. */
export class MemoryListStore {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  async list(workspaceId: number, wish: ListWish): Promise<{ total: number; items: ListedMemory[] }> {
    const where = and(
      eq(versions.workspaceId, workspaceId),
      isNull(versions.supersededAt),
      ne(memories.kind, "section"),
      stateOf(wish),
      wish.type && eq(memories.type, wish.type),
      wish.tags && wish.tags.length > 0 ? arrayContains(memories.tags, [...wish.tags]) : undefined,
      wish.source === undefined ? undefined : eq(memories.source, wish.source),
      wish.since && gte(memories.createdAt, wish.since),
      wish.before && lt(memories.createdAt, wish.before),
      wish.text === undefined
        ? undefined
        : sql`strpos(lower(coalesce(${versions.title}, '') || ' ' || ${versions.content}), lower(${wish.text})) > 0`,
    );
    const [[counted], items] = await Promise.all([
      this.#catalog.db
        .select({ total: count() })
        .from(versions)
        .innerJoin(memories, eq(memories.id, versions.memoryId))
        .where(where),
      this.#select()
        .where(and(where, wish.after === undefined ? undefined : lt(memories.id, wish.after)))
        .orderBy(desc(memories.id))
        .limit(wish.limit),
    ]);
    return { total: counted?.total ?? 0, items };
  }

  /** Those that are not retracted and no sections, by their keys. */
  page(workspaceId: number, after: number, limit: number): Promise<ListedMemory[]> {
    return this.#select()
      .where(
        and(
          eq(versions.workspaceId, workspaceId),
          isNull(versions.supersededAt),
          isNull(memories.retractedAt),
          ne(memories.kind, "section"),
          gt(memories.id, after),
        ),
      )
      .orderBy(asc(memories.id))
      .limit(limit);
  }

  /** Ids of what memories say now that begin like this. */
  async idsBeginning(workspaceId: number, typed: string): Promise<string[]> {
    const rows = await this.#catalog.db
      .select({ key: versions.key })
      .from(versions)
      .innerJoin(memories, and(eq(memories.id, versions.memoryId), isNull(memories.retractedAt)))
      .where(
        and(
          eq(versions.workspaceId, workspaceId),
          isNull(versions.supersededAt),
          sql`starts_with(${versions.key}, ${typed})`,
        ),
      )
      .orderBy(asc(versions.key))
      .limit(COMPLETED);
    return rows.map(({ key }) => key);
  }

  /** As they were said, from these memories to others that are there. */
  async relationsFrom(
    memoryIds: readonly number[],
  ): Promise<Map<number, { rel_type: string; to: string }[]>> {
    if (memoryIds.length === 0) return new Map();
    const rows = await this.#catalog.db
      .select({ from: relations.fromId, rel_type: relations.type, to: versions.key })
      .from(relations)
      .innerJoin(memories, and(eq(memories.id, relations.toId), isNull(memories.retractedAt)))
      .innerJoin(versions, and(eq(versions.memoryId, memories.id), isNull(versions.supersededAt)))
      .where(
        and(
          inArray(relations.fromId, [...memoryIds]),
          eq(relations.isInverse, false),
          isNull(relations.endedAt),
          isNull(relations.fromVersionId),
          ne(relations.type, "HAS_CHUNK"),
        ),
      )
      .orderBy(asc(relations.type), asc(versions.key));
    const byMemory = Map.groupBy(rows, ({ from }) => from);
    return new Map(
      [...byMemory].map(([from, all]) => [from, all.map(({ rel_type, to }) => ({ rel_type, to }))]),
    );
  }

  /** The memory that a version's id belongs to, as it is now, with all its versions; also if it was retracted. */
  async get(workspaceId: number, key: string): Promise<ListedMemory & { versions: MemoryVersion[] }> {
    const said = aliasedTable(versions, "said");
    const [memory] = await this.#select().where(
      and(
        eq(versions.workspaceId, workspaceId),
        isNull(versions.supersededAt),
        eq(
          versions.memoryId,
          this.#catalog.db
            .select({ id: said.memoryId })
            .from(said)
            .where(and(eq(said.workspaceId, workspaceId), eq(said.key, key))),
        ),
      ),
    );
    if (memory === undefined) throw noMemory(key);
    const all = await this.versionsOf([memory.memoryId]);
    return { ...memory, versions: all.get(memory.memoryId) ?? [] };
  }

  /** All that these memories have ever said, the oldest first. */
  async versionsOf(memoryIds: readonly number[]): Promise<Map<number, MemoryVersion[]>> {
    const rows = await this.#catalog.db
      .select({
        memoryId: versions.memoryId,
        key: versions.key,
        version: versions.version,
        title: versions.title,
        content: versions.content,
        validFrom: versions.validFrom,
        validTo: versions.validTo,
        recordedAt: versions.recordedAt,
        supersededAt: versions.supersededAt,
        updateReason: versions.updateReason,
        recordedBy: accounts.email,
        ends: versions.ends,
      })
      .from(versions)
      .leftJoin(accounts, eq(accounts.id, versions.createdBy))
      .where(inArray(versions.memoryId, [...memoryIds]))
      .orderBy(asc(versions.version));
    return Map.groupBy(rows, ({ memoryId }) => memoryId);
  }

  #select() {
    return this.#catalog.db
      .select(LISTED)
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .leftJoin(accounts, eq(accounts.id, memories.createdBy))
      .leftJoin(memoryUsage, eq(memoryUsage.memoryId, memories.id))
      .$dynamic();
  }
}

function stateOf({ state, now }: ListWish) {
  if (state === "retracted") return isNotNull(memories.retractedAt);
  const isKept = isNull(memories.retractedAt);
  if (state === "pinned") return and(isKept, eq(memories.isPinned, true));
  const hasEnded = and(
    isNotNull(versions.validTo),
    sql`${versions.validTo} <= ${now.toISOString()}::timestamptz`,
  );
  if (state === "ended") return and(isKept, hasEnded);
  return and(
    isKept,
    or(isNull(versions.validTo), sql`${versions.validTo} > ${now.toISOString()}::timestamptz`),
  );
}
