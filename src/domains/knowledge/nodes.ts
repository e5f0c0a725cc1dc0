import { z } from "zod";
import { AppError } from "../../kernel/errors.ts";
import { isPreviewable } from "./file-kinds.ts";
import type { FoldersStore, NamedDocument, NamedFolder, NodeFilter } from "./folders.store.ts";
import { LIMITS } from "./limits.ts";

export const person = z.object({
  user_id: z.int(),
  user_name: z.string(),
  attributes: z.record(z.string(), z.string()),
});

export const nodeShape = z.object({
  node_id: z.string().describe("folder:ID or document:ID"),
  raw_id: z.int(),
  name: z.string(),
  node_type: z.enum(["folder", "document"]),
  parent_id: z.int(),
  has_children: z.boolean(),
  get children() {
    return z.array(nodeShape);
  },
  source_type: z.string().nullable(),
  index_status: z.string().nullable(),
  file_extension: z.string().nullable(),
  content_readable: z.boolean(),
  downloadable: z.boolean(),
  previewable: z.boolean(),
  mime_type: z.string().nullable(),
  file_size: z.int().nullable(),
  creator: person.nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  orphan: z.boolean(),
});

export type Node = z.output<typeof nodeShape>;

export interface NodeListing {
  items: Node[];
  totalReturned: number;
  totalAvailable: number;
  hasMore: boolean;
  warnings: string[];
}

export function personOf(id: number | null, name: string | null): z.output<typeof person> | null {
  return id === null || name === null ? null : { user_id: id, user_name: name, attributes: {} };
}

/** One level of a base, in pages. */
export async function listLevel(
  store: FoldersStore,
  filter: NodeFilter & { parentIds: readonly [number] },
  { limit, offset }: { limit: number; offset: number },
): Promise<NodeListing> {
  const [folderCount, documentCount] = await Promise.all([
    store.countFolders(filter),
    store.countDocuments(filter),
  ]);
  const folders = await store.folders(filter, Math.min(limit, folderCount - offset), offset);
  const rest = limit - folders.length;
  const documents = await store.documents(filter, rest, Math.max(0, offset - folderCount));
  const filled = await store.withChildren(
    filter,
    folders.map(({ id }) => id),
  );
  const items = [
    ...folders.map((folder) => ({ ...folderNode(folder), has_children: filled.has(folder.id) })),
    ...documents.map(documentNode),
  ];
  const totalAvailable = folderCount + documentCount;
  const hasMore = offset + items.length < totalAvailable;
  return { items, totalReturned: items.length, totalAvailable, hasMore, warnings: [] };
}

/** All of a base. What cannot be reached from its root is shown there, and the warnings say so. */
export async function listTree(store: FoldersStore, filter: NodeFilter): Promise<NodeListing> {
  const counts = await Promise.all([store.countFolders(filter), store.countDocuments(filter)]);
  assertFits(counts[0] + counts[1]);
  const most = LIMITS.knowledge.recursiveNodes;
  const [folders, documents] = await Promise.all([
    store.folders(filter, most),
    store.documents(filter, most),
  ]);
  return new TreeBuilder(folders, documents).build(0);
}

/** Subtree of one folder. */
export async function listSubtree(
  store: FoldersStore,
  filter: NodeFilter,
  folderId: number,
): Promise<NodeListing> {
  const folders: NamedFolder[] = [];
  const documents: NamedDocument[] = [];
  const seen = new Set([folderId]);
  for (
    let level = [folderId], depth = 0;
    level.length > 0 && depth <= LIMITS.knowledge.folderDepth;
    depth += 1
  ) {
    const here = { ...filter, parentIds: level };
    const room = LIMITS.knowledge.recursiveNodes + 1 - folders.length - documents.length;
    const found = await store.folders(here, room);
    const fresh = found.filter(({ id }) => !seen.has(id));
    folders.push(...fresh);
    documents.push(...(await store.documents(here, room - fresh.length)));
    assertFits(folders.length + documents.length);
    for (const { id } of fresh) seen.add(id);
    level = fresh.map(({ id }) => id);
  }
  return new TreeBuilder(folders, documents).build(folderId);
}

function assertFits(nodes: number): void {
  if (nodes <= LIMITS.knowledge.recursiveNodes) return;
  throw new AppError(
    "too_large",
    `A recursive listing returns at most ${LIMITS.knowledge.recursiveNodes} nodes.`,
    { hint: "List one folder, or page without recursive." },
  );
}

class TreeBuilder {
  readonly #folders: ReadonlyMap<number, NamedFolder>;
  readonly #below = new Map<number, NamedFolder[]>();
  readonly #held = new Map<number, NamedDocument[]>();
  readonly #placed = new Set<number>();
  readonly #warnings = new Set<string>();
  #count = 0;

  constructor(folders: readonly NamedFolder[], documents: readonly NamedDocument[]) {
    this.#folders = new Map(folders.map((folder) => [folder.id, folder]));
    for (const folder of folders) push(this.#below, folder.parentId, folder);
    for (const document of documents) push(this.#held, document.folderId, document);
  }

  build(root: number): NodeListing {
    const items = this.#children(root, 0);
    if (root === 0) this.#addOrphans(items);
    return {
      items,
      totalReturned: this.#count,
      totalAvailable: this.#count,
      hasMore: false,
      warnings: [...this.#warnings],
    };
  }

  #children(id: number, depth: number): Node[] {
    if (depth > LIMITS.knowledge.folderDepth) {
      this.#warnings.add(`Folders deeper than ${LIMITS.knowledge.folderDepth} levels are left out.`);
      return [];
    }
    const folders = (this.#below.get(id) ?? []).filter((folder) => !this.#placed.has(folder.id));
    const nodes = folders.map((folder) => this.#folder(folder, depth));
    const documents = (this.#held.get(id) ?? []).map(documentNode);
    this.#count += documents.length;
    return [...nodes, ...documents];
  }

  #folder(folder: NamedFolder, depth: number): Node {
    this.#placed.add(folder.id);
    this.#count += 1;
    const children = this.#children(folder.id, depth + 1);
    return { ...folderNode(folder), children, has_children: children.length > 0 };
  }

  /** Folders stand before documents at the root too. */
  #addOrphans(items: Node[]): void {
    const firstDocument = items.findIndex(({ node_type }) => node_type === "document");
    const isLost = ({ parentId }: NamedFolder) => parentId !== 0 && !this.#folders.has(parentId);
    const lost = [...this.#folders.values()].filter(isLost).map((folder) => this.#orphan(folder));
    if (lost.length > 0) this.#warnings.add("Some folders whose parent is missing are shown at the root.");
    // What is still not placed hangs together in rings, each of which is opened at its newest folder.
    const rings: Node[] = [];
    for (const folder of this.#folders.values())
      if (!this.#placed.has(folder.id) && this.#isInRing(folder)) rings.push(this.#orphan(folder));
    if (rings.length > 0)
      this.#warnings.add("Some folders contain each other; each ring is shown once, at the root.");
    items.splice(firstDocument === -1 ? items.length : firstDocument, 0, ...lost, ...rings);
    const documents = [...this.#held]
      .filter(([id]) => id !== 0 && !this.#folders.has(id))
      .flatMap(([, held]) => held.map((document) => ({ ...documentNode(document), orphan: true })));
    if (documents.length > 0)
      this.#warnings.add("Some documents whose folder is missing are shown at the root.");
    this.#count += documents.length;
    items.push(...documents);
  }

  #orphan(folder: NamedFolder): Node {
    return { ...this.#folder(folder, 0), orphan: true };
  }

  #isInRing(folder: NamedFolder): boolean {
    const seen = new Set<number>();
    let above = folder.parentId;
    while (above !== 0 && !seen.has(above)) {
      if (above === folder.id) return true;
      seen.add(above);
      above = this.#folders.get(above)?.parentId ?? 0;
    }
    return false;
  }
}

function push<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function folderNode(folder: NamedFolder): Node {
  return {
    node_id: `folder:${folder.id}`,
    raw_id: folder.id,
    name: folder.name,
    node_type: "folder",
    parent_id: folder.parentId,
    has_children: false,
    children: [],
    source_type: null,
    index_status: null,
    file_extension: null,
    content_readable: false,
    downloadable: false,
    previewable: false,
    mime_type: null,
    file_size: null,
    creator: personOf(folder.createdBy, folder.creatorName),
    created_at: folder.createdAt.toISOString(),
    updated_at: folder.updatedAt.toISOString(),
    orphan: false,
  };
}

/** Callers tell by it whether a document can be found; one that is switched off cannot, however well it was read. */
export function shownStatus({ indexStatus, isActive }: Pick<NamedDocument, "indexStatus" | "isActive">) {
  return isActive || indexStatus !== "success" ? indexStatus : "not_indexed";
}

function documentNode(document: NamedDocument): Node {
  return {
    node_id: `document:${document.id}`,
    raw_id: document.id,
    name: document.name,
    node_type: "document",
    parent_id: document.folderId,
    has_children: false,
    children: [],
    source_type: document.sourceType,
    index_status: shownStatus(document),
    file_extension: document.extension,
    content_readable: document.textLength > 0,
    downloadable: true,
    previewable: isPreviewable(document.mimeType),
    mime_type: document.mimeType,
    file_size: document.bytes,
    creator: personOf(document.createdBy, document.creatorName),
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
    orphan: false,
  };
}
