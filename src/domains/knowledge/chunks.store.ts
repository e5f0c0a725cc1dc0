import { and, asc, between, eq, gt, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Catalog, CatalogVectors } from "../../platform/catalog/index.ts";
import type { Entry, KeptVectors, Source, Unembedded } from "../../platform/retrieval/index.ts";
import type { DocumentRow } from "./documents.store.ts";
import {
  knowledgeBases as bases,
  knowledgeChunks as chunks,
  knowledgeDocuments as documents,
  knowledgeTexts as texts,
  knowledgeVectors as vectors,
} from "./knowledge.tables.ts";
import type { ReadDocument } from "./reading/read-document.ts";

/** Rows of one INSERT: their values must stay below what one statement may have. */
const INSERTED_AT_ONCE = 1_000;

export interface FoundChunk {
  id: number;
  documentId: number;
  position: number;
  content: string;
  titlePath: string[];
  page: number | null;
  start: number;
  documentName: string;
  baseId: number;
  baseName: string;
}

/** Searchable chunks: of documents that are there, active, and in a base that is there. */
const isSearched: SQL | undefined = and(
  isNull(documents.deletedAt),
  eq(documents.isActive, true),
  isNull(bases.deletedAt),
);

/** Grows with every change of the document, and when the piece gets its vector. */
const seq = sql<number>`${documents.revision} * 2 + (${vectors.chunkId} is not null)::int`;

function isVectorOf(fingerprint: string): SQL | undefined {
  return and(eq(vectors.chunkId, chunks.id), eq(vectors.fingerprint, fingerprint));
}

/** The parsed texts of documents and the pieces that are searched; the index is made of these. */
export class ChunksStore extends CatalogVectors<typeof vectors.$inferInsert> implements Source, KeptVectors {
  readonly isLogged = true;

  constructor(catalog: Catalog) {
    super(catalog, {
      texts: chunks,
      id: chunks.id,
      vectors,
      of: vectors.chunkId,
      fingerprint: vectors.fingerprint,
      rowOf: (chunkId, { fingerprint, vector, tokens = null }) => ({ chunkId, fingerprint, vector, tokens }),
    });
  }

  /**
   * Puts what was read in the place of what was there. Resolves with the workspace and all pieces that changed, or
   * with nothing where the document has changed meanwhile.
   */
  async replace(
    { id, version }: Pick<DocumentRow, "id" | "version">,
    { text, chunks: pieces, pages, notes, mimeType }: ReadDocument,
  ): Promise<{ workspaceId: number; chunkIds: number[] } | undefined> {
    return this.catalog.transaction(async (tx) => {
      const [document] = await tx
        .select({ workspaceId: bases.workspaceId, deletedAt: documents.deletedAt })
        .from(documents)
        .innerJoin(bases, eq(bases.id, documents.baseId))
        .where(and(eq(documents.id, id), eq(documents.version, version)))
        .for("update", { of: documents });
      if (document === undefined) return undefined;
      const former = await tx.delete(chunks).where(eq(chunks.documentId, id)).returning({ id: chunks.id });
      const chunkIds = former.map((chunk) => chunk.id);
      for (let at = 0; at < pieces.length; at += INSERTED_AT_ONCE) {
        const rows = pieces
          .slice(at, at + INSERTED_AT_ONCE)
          .map((piece, i) => ({ ...piece, documentId: id, position: at + i }));
        const made = await tx.insert(chunks).values(rows).returning({ id: chunks.id });
        for (const chunk of made) chunkIds.push(chunk.id);
      }
      await tx
        .insert(texts)
        .values({ documentId: id, content: text })
        .onConflictDoUpdate({ target: texts.documentId, set: { content: text } });
      await tx
        .update(documents)
        .set({
          textLength: sql`char_length(${text}::text)`,
          pages,
          notes: [...notes],
          ...(mimeType !== undefined && { mimeType }),
          revision: sql`${documents.revision} + 1`,
        })
        .where(eq(documents.id, id));
      return { workspaceId: document.workspaceId, chunkIds };
    });
  }

  async list(
    workspaceId: number,
    after: number,
    limit: number,
    fingerprint: string,
  ): Promise<{ id: number; seq: number }[]> {
    return this.catalog.db
      .select({ id: chunks.id, seq })
      .from(chunks)
      .innerJoin(documents, eq(documents.id, chunks.documentId))
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .leftJoin(vectors, isVectorOf(fingerprint))
      .where(and(eq(bases.workspaceId, workspaceId), isSearched, gt(chunks.id, Math.max(0, after))))
      .orderBy(asc(chunks.id))
      .limit(limit);
  }

  async read(workspaceId: number, ids: readonly number[], fingerprint: string): Promise<Entry[]> {
    if (ids.length === 0) return [];
    const rows = await this.catalog.db
      .select({
        id: chunks.id,
        seq,
        body: chunks.content,
        name: documents.name,
        titlePath: chunks.titlePath,
        documentId: documents.id,
        position: chunks.position,
        baseId: documents.baseId,
        vector: vectors.vector,
      })
      .from(chunks)
      .innerJoin(documents, eq(documents.id, chunks.documentId))
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .leftJoin(vectors, isVectorOf(fingerprint))
      .where(and(eq(bases.workspaceId, workspaceId), isSearched, inArray(chunks.id, [...ids])));
    return rows.map(({ name, titlePath, documentId, position, baseId, vector, ...row }) => ({
      ...row,
      title: titleOf(name),
      context: titlePath.join(" "),
      thread: { key: String(documentId), order: position },
      attributes: { base: baseId, document: documentId },
      ...(vector !== null && vector.length > 0 && { embedding: { fingerprint, vector } }),
    }));
  }

  async tokens(
    _workspaceId: number,
    ids: readonly number[],
    fingerprint: string,
  ): Promise<{ id: number; tokens: Uint8Array }[]> {
    if (ids.length === 0) return [];
    const rows = await this.catalog.db
      .select({ id: vectors.chunkId, tokens: vectors.tokens })
      .from(vectors)
      .where(and(inArray(vectors.chunkId, [...ids]), eq(vectors.fingerprint, fingerprint)));
    return rows.flatMap(({ id, tokens }) => (tokens === null ? [] : { id, tokens }));
  }

  async missing(
    fingerprint: string,
    which: { after: number; ids?: readonly number[] },
    limit: number,
  ): Promise<Unembedded[]> {
    return this.catalog.db
      .select({ id: chunks.id, workspaceId: bases.workspaceId, text: chunks.content })
      .from(chunks)
      .innerJoin(documents, eq(documents.id, chunks.documentId))
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .leftJoin(vectors, isVectorOf(fingerprint))
      .where(and(this.isMissing(which), isSearched))
      .orderBy(asc(chunks.id))
      .limit(limit);
  }

  /** Pieces with what is said of them, by their keys; those that are not searched any more are left out. */
  async found(ids: readonly number[]): Promise<Map<number, FoundChunk>> {
    if (ids.length === 0) return new Map();
    const rows = await this.catalog.db
      .select({
        id: chunks.id,
        documentId: chunks.documentId,
        position: chunks.position,
        content: chunks.content,
        titlePath: chunks.titlePath,
        page: chunks.page,
        start: chunks.start,
        documentName: documents.name,
        baseId: bases.id,
        baseName: bases.name,
      })
      .from(chunks)
      .innerJoin(documents, eq(documents.id, chunks.documentId))
      .innerJoin(bases, eq(bases.id, documents.baseId))
      .where(and(inArray(chunks.id, [...ids]), isSearched));
    return new Map(rows.map((row) => [row.id, row]));
  }

  /** Pieces with those that stand so near to them in their documents, in order. */
  async around(
    places: readonly Pick<FoundChunk, "documentId" | "position">[],
    distance: number,
  ): Promise<Pick<FoundChunk, "documentId" | "position" | "content" | "titlePath" | "page" | "start">[]> {
    if (places.length === 0) return [];
    const near = places.map(({ documentId, position }) =>
      and(
        eq(chunks.documentId, documentId),
        between(chunks.position, position - distance, position + distance),
      ),
    );
    return this.catalog.db
      .select({
        documentId: chunks.documentId,
        position: chunks.position,
        content: chunks.content,
        titlePath: chunks.titlePath,
        page: chunks.page,
        start: chunks.start,
      })
      .from(chunks)
      .where(or(...near))
      .orderBy(asc(chunks.documentId), asc(chunks.position));
  }

  /** The first pieces of a document, to be looked through. */
  async placesOf(
    documentId: number,
    limit: number,
  ): Promise<{ content: string; page: number | null; section: string }[]> {
    const rows = await this.catalog.db
      .select({ content: chunks.content, page: chunks.page, titlePath: chunks.titlePath })
      .from(chunks)
      .where(eq(chunks.documentId, documentId))
      .orderBy(asc(chunks.position))
      .limit(limit);
    return rows.map(({ content, page, titlePath }) => ({ content, page, section: titlePath.join(" > ") }));
  }

  async idsOf(documentIds: readonly number[]): Promise<number[]> {
    if (documentIds.length === 0) return [];
    const rows = await this.catalog.db
      .select({ id: chunks.id })
      .from(chunks)
      .where(inArray(chunks.documentId, [...documentIds]));
    return rows.map(({ id }) => id);
  }

  async idsOfBase(baseId: number): Promise<number[]> {
    const rows = await this.catalog.db
      .select({ id: chunks.id })
      .from(chunks)
      .innerJoin(documents, eq(documents.id, chunks.documentId))
      .where(eq(documents.baseId, baseId));
    return rows.map(({ id }) => id);
  }
}

/** The name of a file as words, without its ending. */
function titleOf(name: string): string {
  return name.replace(/\.[A-Za-z0-9]{1,8}$/, "").replace(/[_\-.]+/g, " ");
}
