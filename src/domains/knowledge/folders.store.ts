import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  type SQL,
  sql,
} from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { type CatalogTx, Store } from "../../platform/catalog/index.ts";
import { type DocumentRow, type FolderRow, nameTaken } from "./documents.store.ts";
import {
  accounts,
  knowledgeDocuments as documents,
  knowledgeFolders as folders,
} from "./knowledge.tables.ts";
import { LIMITS } from "./limits.ts";

export type NamedFolder = FolderRow & { creatorName: string | null };
export type NamedDocument = DocumentRow & { creatorName: string | null };

/** Filter of a listing: one folder, or all of a base. */
export interface NodeFilter {
  baseId: number;
  /** All folders, where it is left out. */
  parentIds?: readonly number[];
  includeInactive: boolean;
}

/** Folders, and what lies in them. */
export class FoldersStore extends Store {
  async find(baseId: number, id: number): Promise<FolderRow | undefined> {
    const [row] = await this.catalog.db
      .select()
      .from(folders)
      .where(and(eq(folders.baseId, baseId), eq(folders.id, id), isNull(folders.deletedAt)));
    return row;
  }

  /** The folder at the end of a path of names, made where it is missing. */
  async ensurePath(baseId: number, names: readonly string[], userId: number, parentId = 0): Promise<number> {
    if (names.length > LIMITS.knowledge.folderDepth)
      throw new AppError("too_large", `Folders are nested at most ${LIMITS.knowledge.folderDepth} deep.`);
    let parent = parentId;
    for (const name of names) parent = await this.#ensure(baseId, parent, name, userId);
    return parent;
  }

  async #ensure(baseId: number, parentId: number, name: string, userId: number): Promise<number> {
    const now = this.clock.now();
    const values = { baseId, parentId, name, createdBy: userId, createdAt: now, updatedAt: now };
    const here = and(eq(folders.baseId, baseId), eq(folders.parentId, parentId), isNull(folders.deletedAt));
    const sameName = sql`lower(${folders.name}) = lower(${name})`;
    for (;;) {
      const [found] = await this.catalog.db
        .select({ id: folders.id })
        .from(folders)
        .where(and(here, sameName));
      if (found !== undefined) return found.id;
      const [made] = await this.catalog.db
        .insert(folders)
        .values(values)
        .onConflictDoNothing()
        .returning({ id: folders.id });
      if (made !== undefined) return made.id;
    }
  }

  /** Renames or moves a folder; a folder cannot go below itself. */
  async change(folder: FolderRow, change: { name?: string; parentId?: number }): Promise<void> {
    try {
      await this.catalog.transaction(async (tx) => {
        if (change.parentId !== undefined) await assertNotBelow(tx, folder, change.parentId);
        await tx
          .update(folders)
          .set({ ...change, updatedAt: this.clock.now() })
          .where(eq(folders.id, folder.id));
      });
    } catch (error) {
      throw nameTaken(error, "folder");
    }
  }

  /** Deletes a folder with all that is in it. Resolves with the documents that went with it. */
  async remove({ id, baseId }: FolderRow): Promise<number[]> {
    const now = this.clock.now();
    return this.catalog.transaction(async (tx) => {
      const { rows } = await tx.execute<{ id: string }>(sql`
        with recursive below(id) as (
          select ${id}::bigint
          union select f.id from knowledge_folders f join below on f.parent_id = below.id
          where f.base_id = ${baseId} and f.deleted_at is null)
        select id from below`);
      const ids = rows.map((row) => Number(row.id));
      await tx.update(folders).set({ deletedAt: now }).where(inArray(folders.id, ids));
      const gone = await tx
        .update(documents)
        .set({ deletedAt: now, revision: sql`${documents.revision} + 1` })
        .where(
          and(eq(documents.baseId, baseId), inArray(documents.folderId, ids), isNull(documents.deletedAt)),
        )
        .returning({ id: documents.id });
      return gone.map((document) => document.id);
    });
  }

  /**
   * Brings a deleted folder back with all that went with it, at the root where the folder above it is gone. Resolves with
   * the documents that came back, or with nothing where there is no such folder.
   */
  async restore(baseId: number, id: number): Promise<number[] | undefined> {
    try {
      return await this.catalog.transaction(async (tx) => {
        const isOfBase = and(eq(folders.baseId, baseId), isNotNull(folders.deletedAt));
        const [folder] = await tx
          .select()
          .from(folders)
          .where(and(eq(folders.id, id), isOfBase))
          .for("update");
        if (folder === undefined) return undefined;
        // What was deleted before it, by itself, stays where it is.
        const { rows } = await tx.execute<{ id: string }>(sql`
          with recursive below(id) as (
            select ${id}::bigint
            union select f.id from knowledge_folders f join below on f.parent_id = below.id
            where f.base_id = ${baseId} and f.deleted_at = ${folder.deletedAt})
          select id from below`);
        const ids = rows.map((row) => Number(row.id));
        const parentId = sql`coalesce((select f.id from knowledge_folders f where f.id = ${folder.parentId} and f.deleted_at is null), 0)`;
        await tx.update(folders).set({ parentId }).where(eq(folders.id, id));
        await tx.update(folders).set({ deletedAt: null }).where(inArray(folders.id, ids));
        const back = await tx
          .update(documents)
          .set({ deletedAt: null, revision: sql`${documents.revision} + 1` })
          .where(
            and(
              eq(documents.baseId, baseId),
              inArray(documents.folderId, ids),
              eq(documents.deletedAt, folder.deletedAt as Date),
            ),
          )
          .returning({ id: documents.id });
        return back.map((document) => document.id);
      });
    } catch (error) {
      throw nameTaken(error, "folder");
    }
  }

  async countFolders(filter: NodeFilter): Promise<number> {
    const [row] = await this.catalog.db.select({ total: count() }).from(folders).where(folderWhere(filter));
    return row?.total ?? 0;
  }

  async countDocuments(filter: NodeFilter): Promise<number> {
    const [row] = await this.catalog.db
      .select({ total: count() })
      .from(documents)
      .where(documentWhere(filter));
    return row?.total ?? 0;
  }

  async folders(filter: NodeFilter, limit: number, offset = 0): Promise<NamedFolder[]> {
    if (limit <= 0) return [];
    return this.catalog.db
      .select({ ...getTableColumns(folders), creatorName: accounts.name })
      .from(folders)
      .leftJoin(accounts, eq(accounts.id, folders.createdBy))
      .where(folderWhere(filter))
      .orderBy(desc(folders.createdAt), desc(folders.id))
      .limit(limit)
      .offset(offset);
  }

  async documents(filter: NodeFilter, limit: number, offset = 0): Promise<NamedDocument[]> {
    if (limit <= 0) return [];
    return this.catalog.db
      .select({ ...getTableColumns(documents), creatorName: accounts.name })
      .from(documents)
      .leftJoin(accounts, eq(accounts.id, documents.createdBy))
      .where(documentWhere(filter))
      .orderBy(desc(documents.createdAt), desc(documents.id))
      .limit(limit)
      .offset(offset);
  }

  /** Which of these folders have anything in them. */
  async withChildren(filter: NodeFilter, ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const inside = { ...filter, parentIds: ids };
    const [below, held] = await Promise.all([
      this.catalog.db.selectDistinct({ id: folders.parentId }).from(folders).where(folderWhere(inside)),
      this.catalog.db.selectDistinct({ id: documents.folderId }).from(documents).where(documentWhere(inside)),
    ]);
    return new Set([...below, ...held].map(({ id }) => id));
  }

  /** The names of the folders above, outermost first. */
  async pathOf(baseId: number, folderId: number): Promise<string[]> {
    const names: string[] = [];
    let id = folderId;
    while (id !== 0 && names.length < LIMITS.knowledge.folderDepth) {
      const folder = await this.find(baseId, id);
      if (folder === undefined) break;
      names.unshift(folder.name);
      id = folder.parentId;
    }
    return names;
  }
}

async function assertNotBelow(tx: CatalogTx, { id, baseId }: FolderRow, parentId: number): Promise<void> {
  let above = parentId;
  for (let depth = 0; above !== 0; depth += 1) {
    if (above === id || depth > LIMITS.knowledge.folderDepth)
      throw new AppError("bad_request", "A folder cannot be moved into itself or into one below it.");
    const [row] = await tx
      .select({ parentId: folders.parentId })
      .from(folders)
      .where(and(eq(folders.id, above), eq(folders.baseId, baseId)));
    above = row?.parentId ?? 0;
  }
}

function folderWhere({ baseId, parentIds }: NodeFilter): SQL | undefined {
  return and(
    eq(folders.baseId, baseId),
    isNull(folders.deletedAt),
    parentIds === undefined ? undefined : inArray(folders.parentId, [...parentIds]),
  );
}

function documentWhere({ baseId, parentIds, includeInactive }: NodeFilter): SQL | undefined {
  return and(
    eq(documents.baseId, baseId),
    isNull(documents.deletedAt),
    parentIds === undefined ? undefined : inArray(documents.folderId, [...parentIds]),
    includeInactive ? undefined : eq(documents.isActive, true),
  );
}
