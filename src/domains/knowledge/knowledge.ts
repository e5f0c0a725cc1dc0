import type { Readable } from "node:stream";
import { AppError, isAppError } from "../../kernel/errors.ts";
import type { BlobContent, FolderBlobStore } from "../../platform/blobs/index.ts";
import { headOf, megabytes } from "../../platform/files/index.ts";
import type { Collection, Hit } from "../../platform/retrieval/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { type BasesStore, isOperator, type KnowledgeBase } from "./bases.store.ts";
import type { ChunksStore, FoundChunk } from "./chunks.store.ts";
import type {
  AddedDocument,
  DocumentsStore,
  FolderRow,
  FoundDocument,
  StoredFile,
} from "./documents.store.ts";
import { assertNamedKind, chosenName, documentName, extensionOf, mimeTypeOf } from "./file-kinds.ts";
import type { FoldersStore } from "./folders.store.ts";
import { LIMITS } from "./limits.ts";
import { joinOverlapping } from "./reading/split.ts";
import type { Readings } from "./reading.job.ts";

export interface KnowledgeParts {
  bases: BasesStore;
  folders: FoldersStore;
  documents: DocumentsStore;
  chunks: ChunksStore;
  readings: Readings;
  collection: Collection;
  blobs: FolderBlobStore;
}

type Verb = "read" | "write";

/** A file that is to become a document. */
export interface NewDocument {
  baseId: number;
  folderId: number;
  name: string;
  content: BlobContent;
  sourceType: StoredFile["sourceType"];
  sourceUrl?: string | undefined;
}

/** For everybody in the workspace, unless it says for whom. */
export interface NewBase {
  name: string;
  description?: string | undefined;
  group?: string | undefined;
  /** E-mail address of its owner. */
  personal?: string | undefined;
}

export interface Passage extends FoundChunk {
  score: number;
  legs: Hit["legs"];
  /** Where else the same stands, among what was found. */
  alsoIn?: readonly Pick<FoundChunk, "baseId" | "documentId">[];
}

export interface SearchWish {
  query: string;
  baseIds: readonly number[];
  documentIds?: readonly number[];
  limit: number;
  /** How many passages before and after each are put together with it. */
  context?: number;
}

/** The folder of the blob storage that documents are in. */
export const DOCUMENTS = "documents";

/** The base of documents that came without saying where to. */
const DEFAULT_BASE = "Documents";

/** Hits that may turn out to be gone, or to say the same as another. */
const SPARE_HITS = 20;

/** Operations on knowledge bases, with authorization. */
export class Knowledge {
  readonly #parts: KnowledgeParts;

  constructor(parts: KnowledgeParts) {
    this.#parts = parts;
  }

  /** Not found and not permitted look the same. */
  async requireBase(caller: Caller, id: number, verb: Verb = "read"): Promise<KnowledgeBase> {
    const [base] = await this.#parts.bases.readable(caller, [id]);
    if (base === undefined)
      throw new AppError("not_found", "The knowledge base was not found.", {
        hint: "{tool:list_knowledge_bases} shows those that you can read.",
      });
    if (verb === "write" && !base.mayEdit) throw mayNotEdit(base.name);
    return base;
  }

  /** Authorization to share or delete a base: its owner, and admins where it is not personal. */
  async requireOwnBase(caller: Caller, id: number): Promise<KnowledgeBase> {
    const base = await this.requireBase(caller, id);
    const isAdmins = base.level !== "personal" && caller.permissions.includes("admin");
    if (base.ownerId === caller.user.id || isAdmins || isOperator(caller)) return base;
    throw new AppError("forbidden", `Only the owner of ${base.name} or an admin may do that.`);
  }

  /** Where documents go that name no base; everybody in the workspace reads it. */
  async requireDefaultBase(caller: Caller): Promise<KnowledgeBase> {
    const { bases } = this.#parts;
    const isDefault = ({ level }: KnowledgeBase) => level === "organization";
    const found = (await bases.named(caller, DEFAULT_BASE)).find(isDefault);
    if (found !== undefined) return found;
    const id = await this.createBase(caller, { name: DEFAULT_BASE }).catch((error: unknown) => {
      if (isAppError(error) && error.code === "conflict") return undefined;
      throw error;
    });
    if (id !== undefined) return this.requireBase(caller, id);
    const made = (await bases.named(caller, DEFAULT_BASE)).find(isDefault);
    if (made === undefined)
      throw new AppError("forbidden", `This token may not use the base ${DEFAULT_BASE}.`);
    return made;
  }

  /** A path of folders as their names. */
  folderNames(path: string): string[] {
    const names = path.split("/").filter((name) => name.trim() !== "");
    return names.map((name) => chosenName(name, "folder"));
  }

  /** Throws `not_found`, or `forbidden` for a document of the workspace that the caller may not read. */
  async requireDocument(caller: Caller, id: number, verb: Verb = "read"): Promise<FoundDocument> {
    const document = await this.#parts.documents.locate(caller, id);
    if (document === undefined) throw new AppError("not_found", "The document was not found.");
    if (!document.isReadable) throw new AppError("forbidden", "You may not read this document.");
    if (verb === "write" && !document.mayEdit) throw mayNotEdit(document.baseName);
    return document;
  }

  async requireFolder(baseId: number, id: number): Promise<FolderRow> {
    const folder = await this.#parts.folders.find(baseId, id);
    if (folder === undefined)
      throw new AppError("not_found", "The folder was not found in this knowledge base.");
    return folder;
  }

  /** Resolves with the id of the new base. */
  async createBase(caller: Caller, wish: NewBase): Promise<number> {
    const { bases } = this.#parts;
    const { description, group, personal } = wish;
    if (group !== undefined && personal !== undefined)
      throw new AppError("bad_request", "A knowledge base is a group's or a person's, not both.");
    const name = chosenName(wish.name, "knowledge base");
    const made = { name, description, ownerId: caller.user.id };
    if (group !== undefined) {
      const groupId = await bases.groupByName(caller, group.trim());
      if (!isOperator(caller) && !caller.groups.includes(groupId))
        throw new AppError("forbidden", `You are not in the group ${group.trim()}.`);
      return bases.create(caller, { ...made, level: "group", groupId });
    }
    if (personal === undefined) return bases.create(caller, { ...made, level: "organization" });
    const ownerId = await bases.memberByEmail(caller, personal);
    if (!isOperator(caller) && ownerId !== caller.user.id)
      throw new AppError("forbidden", "A personal knowledge base is made by whom it is for.");
    return bases.create(caller, { ...made, ownerId, level: "personal" });
  }

  /** Throws `too_large` for a file that says so of itself, before any of it is taken. */
  assertSize(bytes: number): void {
    const { documentBytes } = LIMITS.knowledge;
    if (bytes > documentBytes)
      throw new AppError("too_large", `A document has at most ${megabytes(documentBytes)}.`);
  }

  /** Stores a file and has it read. Nothing is left of it when it fails. */
  async add(caller: Caller, wish: NewDocument, signal?: AbortSignal): Promise<AddedDocument> {
    const { documents, readings, blobs } = this.#parts;
    const name = documentName(wish.name);
    const extension = extensionOf(name);
    const key = `${DOCUMENTS}/${blobs.ownName()}`;
    const options = { maxBytes: LIMITS.knowledge.documentBytes, ...(signal && { signal }) };
    const { bytes, sha256 } = await blobs.put(key, wish.content, options);
    try {
      if (bytes === 0) throw new AppError("bad_request", "The document is empty.");
      assertNamedKind(name, await headOf(blobs.pathOf(key)));
      await readings.wake();
      const { baseId, folderId, sourceType, sourceUrl } = wish;
      const file = {
        name,
        extension,
        mimeType: mimeTypeOf(extension),
        bytes,
        sha256,
        blobKey: key,
        sourceType,
      };
      const place = { baseId, folderId };
      const added = await documents.add(caller, place, { ...file, sourceUrl }, readings.enqueue);
      if (added.outcome === "same") await blobs.delete(key);
      return added;
    } catch (error) {
      await blobs.delete(key);
      throw error;
    }
  }

  /** The passages that fit a question best, of bases that the caller may read. */
  async search(caller: Caller, wish: SearchWish): Promise<Passage[]> {
    const { collection, chunks } = this.#parts;
    const { query, baseIds, documentIds, limit, context = 0 } = wish;
    const filter = { base: baseIds, ...(documentIds !== undefined && { document: documentIds }) };
    const k = limit * (1 + context) + SPARE_HITS;
    const hits = await collection.search(caller.workspace.id, { text: query, k, filter });
    const found = await chunks.found(hits.map(({ id }) => id));
    const twins = new Map<string, Pick<FoundChunk, "baseId" | "documentId">[]>();
    const passages: Passage[] = [];
    for (const { id, score, legs } of hits) {
      const chunk = found.get(id);
      // The index may be a moment behind the catalog.
      if (chunk === undefined || !baseIds.includes(chunk.baseId)) continue;
      const { baseId, documentId, content } = chunk;
      // The same text in two documents is shown once.
      if (twins.get(content)?.push({ baseId, documentId }) !== undefined || passages.length === limit)
        continue;
      if (context > 0 && passages.some((other) => isWithin(chunk, other, context))) continue;
      const alsoIn: Pick<FoundChunk, "baseId" | "documentId">[] = [];
      twins.set(content, alsoIn);
      passages.push({ ...chunk, score, legs, alsoIn });
    }
    return context === 0 ? passages : this.#withContext(passages, context);
  }

  async #withContext(passages: readonly Passage[], context: number): Promise<Passage[]> {
    const neighbours = await this.#parts.chunks.around(passages, context);
    return passages.map((passage) => {
      const parts = neighbours.filter((other) => isWithin(other, passage, context));
      const [first = passage] = parts;
      const { start, page, titlePath } = first;
      return { ...passage, start, page, titlePath, content: joinOverlapping(parts) };
    });
  }

  /** The original file. Throws `gone` when it is not there any more. */
  async file({ blobKey }: FoundDocument, range?: { start: number; end: number }): Promise<Readable> {
    try {
      return await this.#parts.blobs.get(blobKey, range === undefined ? {} : { range });
    } catch (cause) {
      throw new AppError("gone", "The original file is not available.", { cause });
    }
  }

  /** Tells the index of what has changed about documents. */
  async refresh(caller: Caller, documentIds: readonly number[]): Promise<void> {
    const { collection, chunks } = this.#parts;
    await collection.refresh(caller.workspace.id, await chunks.idsOf(documentIds));
  }

  async refreshBase(caller: Caller, baseId: number): Promise<void> {
    const { collection, chunks } = this.#parts;
    await collection.refresh(caller.workspace.id, await chunks.idsOfBase(baseId));
  }
}

type Place = Pick<FoundChunk, "documentId" | "position">;

function isWithin(one: Place, other: Place, context: number): boolean {
  return one.documentId === other.documentId && Math.abs(one.position - other.position) <= context;
}

function mayNotEdit(baseName: string): AppError {
  return new AppError("forbidden", `You may read ${baseName}, and not change it.`, {
    hint: "Its owner can make you an editor.",
  });
}
