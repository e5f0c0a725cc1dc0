import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  ilike,
  inArray,
  isNotNull,
  isNull,
  ne,
  sql,
} from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { likeText } from "../../kernel/sql-text.ts";
import { type Clock, MS } from "../../kernel/time.ts";
import type { FolderBlobStore } from "../../platform/blobs/index.ts";
import {
  type Catalog,
  type CatalogTx,
  isUniqueViolation,
  type StorageClaim,
  Store,
} from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { isEditableBy, readableBy } from "./bases.store.ts";
import {
  accounts,
  knowledgeBases as bases,
  knowledgeDocuments as documents,
  knowledgeFolders as folders,
  type IndexStatus,
  knowledgeTexts as texts,
  knowledgeVersions as versions,
} from "./knowledge.tables.ts";
import { DOCUMENTS } from "./knowledge.ts";
import { LIMITS } from "./limits.ts";

export type DocumentRow = typeof documents.$inferSelect;
export type FolderRow = typeof folders.$inferSelect;

/** A document with what callers are told of its surroundings. */
export interface FoundDocument extends DocumentRow {
  baseName: string;
  creatorName: string | null;
  mayEdit: boolean;
}

/** A file that has been stored and is to become a document, or the next version of one. */
export interface StoredFile {
  name: string;
  extension: string;
  mimeType: string;
  bytes: number;
  sha256: string;
  blobKey: string;
  sourceType: "file" | "text" | "web";
  sourceUrl?: string | undefined;
}

export interface AddedDocument {
  document: DocumentRow;
  /** "same": the very file was there already, so nothing was changed. */
  outcome: "new" | "version" | "same";
  /** Another document of the base with the same bytes. */
  duplicateOf: number | undefined;
}

/** Writes the job that will read a document, in the transaction that makes it. */
export type EnqueueReading = (
  tx: CatalogTx,
  document: Pick<DocumentRow, "id" | "version">,
  workspaceId: number,
) => Promise<string>;

const UNDELETED = isNull(documents.deletedAt);

/** Documents and folders in the catalog. Files are stored before a document names them. */
export class DocumentsStore extends Store {
  readonly #claim: StorageClaim;

  constructor(catalog: Catalog, clock: Clock, claim: StorageClaim) {
    super(catalog, clock);
    this.#claim = claim;
  }

  /** A document of the caller's workspace, and whether the caller may read it. */
  async locate(
    caller: Caller,
    id: number,
    { isDeleted = false }: { isDeleted?: boolean } = {},
  ): Promise<(FoundDocument & { isReadable: boolean }) | undefined> {
    const [row] = await this.#selectFound(caller)
      .where(
        and(
          eq(documents.id, id),
          eq(bases.workspaceId, caller.workspace.id),
          isDeleted ? isNotNull(documents.deletedAt) : UNDELETED,
        ),
      )
      .limit(1);
    return row;
  }

  /** Documents in everything that the caller may read, the newest first. */
  async list(
    caller: Caller,
    filter: { query?: string | undefined; baseId?: number | undefined; limit: number; offset: number },
  ): Promise<{ total: number; items: FoundDocument[] }> {
    const { query, baseId, limit, offset } = filter;
    const where = and(
      readableBy(caller),
      UNDELETED,
      query === undefined ? undefined : ilike(documents.name, `%${likeText(query)}%`),
      baseId === undefined ? undefined : eq(documents.baseId, baseId),
    );
    const [counted] = await this.catalog.db
      .select({ total: count() })
      .from(documents)
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .where(where);
    const items = await this.#selectFound(caller)
      .where(where)
      .orderBy(desc(documents.createdAt), desc(documents.id))
      .limit(limit)
      .offset(offset);
    return { total: counted?.total ?? 0, items };
  }

  async hasAny(workspaceId: number): Promise<boolean> {
    const found = await this.catalog.db
      .select({ id: documents.id })
      .from(documents)
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .where(and(eq(bases.workspaceId, workspaceId), isNull(bases.deletedAt), isNull(documents.deletedAt)))
      .limit(1);
    return found.length > 0;
  }

  async get(id: number): Promise<DocumentRow | undefined> {
    const [row] = await this.catalog.db.select().from(documents).where(eq(documents.id, id));
    return row;
  }

  /** Characters of the parsed text, counted as PostgreSQL does: by code points. */
  async content(id: number, offset: number, limit: number): Promise<string> {
    const [row] = await this.catalog.db
      .select({ part: sql<string>`substr(${texts.content}, ${offset + 1}::int, ${limit}::int)` })
      .from(texts)
      .where(eq(texts.documentId, id));
    return row?.part ?? "";
  }

  async add(
    caller: Caller,
    place: { baseId: number; folderId: number },
    file: StoredFile,
    enqueue: EnqueueReading,
  ): Promise<AddedDocument> {
    return this.catalog.transaction(async (tx) => {
      await this.#claim.require(tx);
      // Two uploads of one name wait for each other, and the second becomes a version of the first.
      await tx.execute(sql`select 1 from ${bases} where ${eq(bases.id, place.baseId)} for update`);
      const existing = await this.#named(tx, place, file.name);
      const duplicateOf = await this.#duplicateOf(tx, place.baseId, file.sha256, existing?.id);
      if (existing?.sha256 === file.sha256 && existing.indexStatus !== "failed")
        return { document: existing, outcome: "same", duplicateOf };
      const document =
        existing === undefined
          ? await this.#insert(tx, caller, place, file)
          : await this.#replace(tx, caller, existing, file);
      const queued = await this.#enqueue(tx, document, enqueue);
      return { document: queued, outcome: existing === undefined ? "new" : "version", duplicateOf };
    });
  }

  async workspaceOf(
    { baseId }: Pick<DocumentRow, "baseId">,
    within: Pick<CatalogTx, "select"> = this.catalog.db,
  ): Promise<number> {
    const [base] = await within.select({ id: bases.workspaceId }).from(bases).where(eq(bases.id, baseId));
    return base!.id;
  }

  /** Reads a document again. */
  async requeue(id: number, enqueue: EnqueueReading): Promise<void> {
    await this.catalog.transaction(async (tx) => {
      const [document] = await tx.select().from(documents).where(eq(documents.id, id)).for("update");
      if (document !== undefined) await this.#enqueue(tx, document, enqueue);
    });
  }

  /** Documents that are to be read, by those who look whether anybody does. */
  async unfinished(limit: number): Promise<Pick<DocumentRow, "id" | "version" | "jobId">[]> {
    return this.catalog.db
      .select({ id: documents.id, version: documents.version, jobId: documents.jobId })
      .from(documents)
      .where(
        and(
          UNDELETED,
          inArray(documents.indexStatus, ["queued", "pending_conversion", "converting", "indexing"]),
        ),
      )
      .orderBy(documents.id)
      .limit(limit);
  }

  async setStatus(
    id: number,
    version: number,
    indexStatus: IndexStatus,
    indexError: string | null = null,
  ): Promise<void> {
    await this.catalog.db
      .update(documents)
      .set({ indexStatus, indexError })
      .where(and(eq(documents.id, id), eq(documents.version, version)));
  }

  /** Changes name, place or the switch. What searches know of it changes too. */
  async change(
    id: number,
    change: Partial<Pick<DocumentRow, "name" | "extension" | "folderId" | "baseId" | "isActive">>,
  ): Promise<void> {
    try {
      await this.catalog.db
        .update(documents)
        .set({ ...change, revision: sql`${documents.revision} + 1`, updatedAt: this.clock.now() })
        .where(eq(documents.id, id));
    } catch (error) {
      throw nameTaken(error, "document");
    }
  }

  async setDeleted(id: number, isDeleted: boolean): Promise<boolean> {
    try {
      const changed = await this.catalog.db
        .update(documents)
        .set({
          deletedAt: isDeleted ? this.clock.now() : null,
          revision: sql`${documents.revision} + 1`,
          // Where its folder is gone, it comes back at the root.
          ...(!isDeleted && {
            folderId: sql`coalesce((select f.id from knowledge_folders f where f.id = ${documents.folderId} and f.deleted_at is null), 0)`,
          }),
        })
        .where(and(eq(documents.id, id), isDeleted ? UNDELETED : isNotNull(documents.deletedAt)))
        .returning({ id: documents.id });
      return changed.length > 0;
    } catch (error) {
      throw nameTaken(error, "document");
    }
  }

  async versionsOf(id: number): Promise<(typeof versions.$inferSelect)[]> {
    return this.catalog.db
      .select()
      .from(versions)
      .where(eq(versions.documentId, id))
      .orderBy(desc(versions.version));
  }

  /** Forgets what was deleted or replaced before that time. Resolves with the files that nobody names any more. */
  async forget(before: Date): Promise<string[]> {
    return this.catalog.transaction(async (tx) => {
      const gone = await tx
        .delete(documents)
        .where(
          sql`${documents.deletedAt} < ${before} or ${documents.baseId} in (select id from knowledge_bases where deleted_at < ${before})`,
        )
        .returning({ key: documents.blobKey });
      const former = await tx
        .delete(versions)
        .where(sql`${versions.replacedAt} < ${before}`)
        .returning({ key: versions.blobKey });
      await tx.delete(folders).where(sql`${folders.deletedAt} < ${before}`);
      await tx.delete(bases).where(sql`${bases.deletedAt} < ${before}`);
      return [...gone, ...former].map(({ key }) => key);
    });
  }

  /** Which of these files some document or former version names. */
  async referenced(keys: readonly string[]): Promise<Set<string>> {
    if (keys.length === 0) return new Set();
    const list = sql.param([...keys]);
    const { rows } = await this.catalog.db.execute<{ blob_key: string }>(sql`
      select blob_key from knowledge_documents where blob_key = any(${list}::text[])
      union select blob_key from knowledge_versions where blob_key = any(${list}::text[])`);
    return new Set(rows.map((row) => row.blob_key));
  }

  #selectFound(caller: Caller) {
    return this.catalog.db
      .select({
        ...getTableColumns(documents),
        baseName: bases.name,
        creatorName: accounts.name,
        mayEdit: isEditableBy(caller),
        isReadable: sql<boolean>`coalesce(${readableBy(caller)}, false)`,
      })
      .from(documents)
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .leftJoin(accounts, eq(accounts.id, documents.createdBy))
      .$dynamic();
  }

  async #named(
    tx: CatalogTx,
    { baseId, folderId }: { baseId: number; folderId: number },
    name: string,
  ): Promise<DocumentRow | undefined> {
    const sameName = sql`lower(${documents.name}) = lower(${name})`;
    const here = and(eq(documents.baseId, baseId), eq(documents.folderId, folderId));
    const [row] = await tx
      .select()
      .from(documents)
      .where(and(here, sameName, UNDELETED))
      .for("update");
    return row;
  }

  async #duplicateOf(tx: CatalogTx, baseId: number, sha256: string, id = 0): Promise<number | undefined> {
    const [row] = await tx
      .select({ id: documents.id })
      .from(documents)
      .where(and(eq(documents.baseId, baseId), eq(documents.sha256, sha256), UNDELETED, ne(documents.id, id)))
      .orderBy(documents.id)
      .limit(1);
    return row?.id;
  }

  async #insert(
    tx: CatalogTx,
    caller: Caller,
    place: { baseId: number; folderId: number },
    file: StoredFile,
  ): Promise<DocumentRow> {
    const now = this.clock.now();
    const values = { ...place, ...file, indexStatus: "queued" as const, createdBy: caller.user.id };
    const [row] = await tx
      .insert(documents)
      .values({ ...values, createdAt: now, updatedAt: now })
      .returning();
    return row as DocumentRow;
  }

  async #replace(
    tx: CatalogTx,
    caller: Caller,
    existing: DocumentRow,
    file: StoredFile,
  ): Promise<DocumentRow> {
    const { id: documentId, version, mimeType, bytes, sha256, blobKey } = existing;
    const now = this.clock.now();
    const former = { documentId, version, mimeType, bytes, sha256, blobKey };
    await tx.insert(versions).values({ ...former, replacedBy: caller.user.id, replacedAt: now });
    const [row] = await tx
      .update(documents)
      .set({ ...file, version: version + 1, updatedAt: now })
      .where(eq(documents.id, documentId))
      .returning();
    return row as DocumentRow;
  }

  async #enqueue(tx: CatalogTx, document: DocumentRow, enqueue: EnqueueReading): Promise<DocumentRow> {
    const jobId = await enqueue(tx, document, await this.workspaceOf(document, tx));
    const [row] = await tx
      .update(documents)
      .set({ jobId, indexStatus: "queued", indexError: null })
      .where(eq(documents.id, document.id))
      .returning();
    return row as DocumentRow;
  }
}

export function nameTaken(error: unknown, what: string): unknown {
  if (!isUniqueViolation(error)) return error;
  return new AppError("conflict", `There is already a ${what} with that name there.`, {
    hint: "Choose another name.",
  });
}

const SWEPT_AT_ONCE = 1_000;

interface Parts {
  documents: DocumentsStore;
  blobs: FolderBlobStore;
  clock: Clock;
}

/** Forgets what was deleted long ago, and the files that a killed process left without a document. */
export async function sweepDocuments({ documents, blobs, clock }: Parts): Promise<void> {
  const before = new Date(clock.now().getTime() - LIMITS.knowledge.keptDays * MS.day);
  for (const key of await documents.forget(before)) await blobs.delete(key);
  const isAbandoned = blobs.abandonedNames();
  let keys: string[] = [];
  const removeUnused = async (): Promise<void> => {
    const referenced = await documents.referenced(keys);
    for (const key of keys) if (!referenced.has(key)) await blobs.delete(key);
    keys = [];
  };
  for await (const { key } of blobs.list(`${DOCUMENTS}/`)) {
    if (!isAbandoned(key.slice(DOCUMENTS.length + 1))) continue;
    keys.push(key);
    if (keys.length >= SWEPT_AT_ONCE) await removeUnused();
  }
  await removeUnused();
}
