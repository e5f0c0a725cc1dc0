import { and, asc, eq, gt, inArray, isNull, ne, type SQL } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { Entry, Source } from "../../platform/retrieval/index.ts";
import { entryOf } from "./entry.ts";
import {
  type LearntEnd,
  memories,
  memoryVectors as vectors,
  memoryVersions as versions,
} from "./memory.tables.ts";

/** A document is found by its sections; what was retracted, by those who ask what was known before. */
const isSearched: SQL | undefined = ne(memories.kind, "document");

const FOUND = {
  id: versions.id,
  memoryId: versions.memoryId,
  key: versions.key,
  title: versions.title,
  content: versions.content,
  source: memories.source,
  type: memories.type,
  tags: memories.tags,
  isPinned: memories.isPinned,
  retractedAt: memories.retractedAt,
  validFrom: versions.validFrom,
  validTo: versions.validTo,
  statedValidTo: versions.statedValidTo,
  ends: versions.ends,
  recordedAt: versions.recordedAt,
  supersededAt: versions.supersededAt,
};

export interface FoundVersion {
  id: number;
  memoryId: number;
  key: string;
  title: string | null;
  content: string;
  source: string | null;
  type: string;
  tags: string[];
  isPinned: boolean;
  retractedAt: Date | null;
  validFrom: Date;
  validTo: Date | null;
  statedValidTo: Date | null;
  ends: LearntEnd[];
  recordedAt: Date;
  supersededAt: Date | null;
}

/** What memories say, as the search sees it; its index is made of this. */
export class VersionsStore implements Source {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  async list(workspaceId: number, after: number, limit: number): Promise<{ id: number; seq: number }[]> {
    return this.#catalog.db
      .select({ id: versions.id, seq: versions.revision })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .where(and(eq(versions.workspaceId, workspaceId), isSearched, gt(versions.id, Math.max(0, after))))
      .orderBy(asc(versions.id))
      .limit(limit);
  }

  async read(workspaceId: number, ids: readonly number[]): Promise<Entry[]> {
    if (ids.length === 0) return [];
    const rows = await this.#catalog.db
      .select({
        ...FOUND,
        seq: versions.revision,
        fingerprint: vectors.fingerprint,
        vector: vectors.vector,
      })
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .leftJoin(vectors, eq(vectors.versionId, versions.id))
      .where(and(eq(versions.workspaceId, workspaceId), isSearched, inArray(versions.id, [...ids])));
    return rows.map(({ seq, ...row }) => entryOf(row, seq));
  }

  /** Those of these versions that are searched, by their keys. */
  async found(workspaceId: number, ids: readonly number[]): Promise<Map<number, FoundVersion>> {
    const rows = await this.#select(workspaceId, inArray(versions.id, [...ids]), ids.length);
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** What these memories say now. */
  async current(workspaceId: number, memoryIds: readonly number[]): Promise<FoundVersion[]> {
    const isOpen = and(
      inArray(versions.memoryId, [...memoryIds]),
      isNull(versions.supersededAt),
      isNull(memories.retractedAt),
    );
    return this.#select(workspaceId, isOpen, memoryIds.length);
  }

  async #select(workspaceId: number, which: SQL | undefined, size: number): Promise<FoundVersion[]> {
    if (size === 0) return [];
    return this.#catalog.db
      .select(FOUND)
      .from(versions)
      .innerJoin(memories, eq(memories.id, versions.memoryId))
      .where(and(eq(versions.workspaceId, workspaceId), isSearched, which));
  }
}
