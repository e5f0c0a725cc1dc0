import type { Clock } from "../../kernel/clock.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Collection } from "../../platform/retrieval/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Usage } from "../identity/index.ts";
import { splitText } from "../knowledge/index.ts";
import { LIMITS } from "./limits.ts";
import {
  type By,
  type MemoriesStore,
  type NewMemory,
  noMemory,
  type StoredMemory,
} from "./memories.store.ts";
import type { MemoryType } from "./memory.tables.ts";
import { readableKey } from "./memory-keys.ts";
import type { Recall, Recalled } from "./recall.ts";
import { type Edge, type End, type ListedRelation, type RelationsStore, relate } from "./relations.store.ts";
import { inverseOf } from "./vocabulary.ts";

export interface MemoryParts {
  memories: MemoriesStore;
  relations: RelationsStore;
  recall: Recall;
  collection: Collection;
  usage: Usage;
  clock: Clock;
}

export interface MemoryWish {
  /** Made of its title, if left out. */
  key?: string | undefined;
  title?: string | undefined;
  content: string;
  type?: MemoryType | undefined;
  tags?: readonly string[] | undefined;
  source?: string | undefined;
  validFrom?: Date | undefined;
  validTo?: Date | undefined;
  createdAt?: Date | undefined;
}

export interface LinkWish {
  from: string;
  to: string;
  type: string;
}

/** What a plan counts. */
const METRIC = "memories";

/** What can be done with memories. Every change is in the index before it is acknowledged. */
export class Memory {
  readonly #parts: MemoryParts;

  constructor(parts: MemoryParts) {
    this.#parts = parts;
  }

  /** All of them or none. */
  async store(
    caller: Caller,
    wishes: readonly MemoryWish[],
  ): Promise<(StoredMemory & { createdAt: Date })[]> {
    const now = this.#parts.clock.now();
    const news = wishes.map((wish) => newMemory(wish, now));
    const { stored } = await this.#metered(caller, news.length, () =>
      this.#parts.memories.insert(byOf(caller), news, async () => undefined),
    );
    await this.#refresh(
      caller,
      stored.map(({ versionId }) => versionId),
    );
    return stored.map((one, i) => ({ ...one, createdAt: news[i]?.createdAt ?? now }));
  }

  /** A document and its sections, which are found by themselves. */
  async upload(
    caller: Caller,
    { title, content, source }: { title?: string | undefined; content: string; source?: string | undefined },
  ): Promise<{ key: string; sections: number }> {
    assertText(content, LIMITS.memory.documentBytes, "A document");
    const now = this.#parts.clock.now();
    const pieces = splitText(content).filter((piece) => piece.content.trim() !== "");
    const key = readableKey("doc", title ?? source ?? content, now);
    const common = { type: "reference" as const, source, validFrom: now, createdAt: now };
    const sections = pieces.map((piece, i): NewMemory => {
      const path = [title, ...piece.titlePath].filter((part) => part !== undefined && part !== "");
      return {
        ...common,
        key: `${key}_s${i + 1}`,
        kind: "section",
        title: path.join(" › ").slice(0, LIMITS.memory.titleCharacters) || undefined,
        content: piece.content,
      };
    });
    const document: NewMemory = { ...common, key, kind: "document", title, content };
    const { stored } = await this.#metered(caller, 1, () =>
      this.#parts.memories.insert(byOf(caller), [document, ...sections], async (tx, [whole, ...parts]) => {
        const fromId = whole?.memoryId as number;
        const pairs = parts.map(({ memoryId: toId }) => ({
          fromId,
          toId,
          type: "HAS_CHUNK",
          inverse: "CHUNK_OF",
        }));
        await relate(tx, byOf(caller), pairs, now);
      }),
    );
    const [whole, ...parts] = stored;
    await this.#refresh(
      caller,
      parts.map(({ versionId }) => versionId),
    );
    return { key: whole?.key ?? key, sections: parts.length };
  }

  async update(
    caller: Caller,
    wish: { target: string; title: string; content: string; reason: string | undefined },
  ): Promise<{ oldKey: string; newKey: string; edge: string }> {
    assertText(wish.content, LIMITS.memory.contentBytes, "A memory");
    const now = this.#parts.clock.now();
    const updated = await this.#parts.memories.update(byOf(caller), { ...wish, now });
    await this.#refresh(caller, updated.versionIds);
    const { oldKey, newKey, edgeId } = updated;
    return { oldKey, newKey, edge: edgeName("SUPERSEDES", now, edgeId) };
  }

  async link(caller: Caller, wish: LinkWish): Promise<{ edge: string; inverse: string }> {
    const { from, to } = await this.#ends(caller, wish);
    const inverse = inverseOf(wish.type, from, to);
    if (from.id === to.id)
      throw new AppError("unsupported", "A memory cannot be related to itself.", {
        hint: "{tool:update_fact} makes a new version of it.",
      });
    const pair = { fromId: from.id, toId: to.id, type: wish.type, inverse };
    const edge: Edge = await this.#parts.relations.link(byOf(caller), pair, this.#parts.clock.now());
    return {
      edge: edgeName(edge.type, edge.createdAt, edge.id),
      inverse: edgeName(edge.inverse, edge.inverseCreatedAt, edge.inverseId),
    };
  }

  async unlink(caller: Caller, wish: LinkWish): Promise<void> {
    const { from, to } = await this.#ends(caller, wish);
    if (from.id === to.id && from.key !== to.key)
      throw new AppError("unsupported", "This relation is part of a memory's history, which is kept.");
    const missing = new AppError(
      "not_found",
      `There is no relation ${wish.type} from ${from.key} to ${to.key}.`,
      {
        hint: "{tool:list_relations} shows those that there are.",
      },
    );
    if (wish.type === "HAS_CHUNK" || wish.type === "CHUNK_OF")
      throw new AppError("unsupported", "The sections of a document belong to it.");
    const inverse = inverseOrNothing(wish.type, from, to);
    if (inverse === undefined) throw missing;
    const pair = { fromId: from.id, toId: to.id, type: wish.type, inverse };
    if (!(await this.#parts.relations.unlink(pair, this.#parts.clock.now()))) throw missing;
  }

  async relationsOf(
    caller: Caller,
    key: string,
  ): Promise<{ outgoing: ListedRelation[]; incoming: ListedRelation[] }> {
    const { relations } = this.#parts;
    const end = (await relations.ends(caller.workspace.id, [key])).get(key);
    if (end === undefined) throw noMemory(key);
    const [outgoing, incoming] = await Promise.all([
      relations.listed(end, "outgoing"),
      relations.listed(end, "incoming"),
    ]);
    return { outgoing, incoming };
  }

  async recall(
    caller: Caller,
    question: { query: string; k: number; hops: number; asOf?: Date | undefined; knownAt?: Date | undefined },
  ): Promise<Recalled[]> {
    const query = question.query.trim();
    if (query === "") throw new AppError("bad_request", "query must not be empty.");
    const now = this.#parts.clock.now();
    return this.#parts.recall.recall(caller.workspace.id, { ...question, query, now });
  }

  async #ends(caller: Caller, { from, to }: LinkWish): Promise<{ from: End; to: End }> {
    const ends = await this.#parts.relations.ends(caller.workspace.id, [from, to]);
    const require = (key: string): End => {
      const end = ends.get(key);
      if (end === undefined) throw noMemory(key);
      return end;
    };
    return { from: require(from), to: require(to) };
  }

  async #metered<T>(caller: Caller, amount: number, work: () => Promise<T>): Promise<T> {
    const { usage } = this.#parts;
    await usage.take(caller.workspace.id, METRIC, amount);
    try {
      return await work();
    } catch (error) {
      await usage.giveBack(caller.workspace.id, METRIC, amount);
      throw error;
    }
  }

  async #refresh(caller: Caller, versionIds: readonly number[]): Promise<void> {
    await this.#parts.collection.refresh(caller.workspace.id, versionIds);
  }
}

function byOf({ workspace, user }: Caller): By {
  return { workspaceId: workspace.id, userId: user.id };
}

function newMemory(wish: MemoryWish, now: Date): NewMemory {
  const { key, title, content, createdAt = now, validFrom = createdAt, validTo } = wish;
  assertText(content, LIMITS.memory.contentBytes, "A memory");
  if (validTo !== undefined && validTo < validFrom)
    throw new AppError("bad_request", "valid_to must not be before valid_from.");
  return {
    key: key ?? readableKey("memory", title ?? content, createdAt),
    isOwnKey: key !== undefined,
    ...(wish.type && { type: wish.type }),
    title: title?.trim() || undefined,
    content,
    tags: [...new Set(wish.tags ?? [])],
    source: wish.source?.trim() || undefined,
    validFrom,
    validTo,
    createdAt,
  };
}

function assertText(content: string, bytes: number, what: string): void {
  if (content.trim() === "") throw new AppError("bad_request", "content must not be empty.");
  const size = Buffer.byteLength(content);
  if (size <= bytes) return;
  throw new AppError("too_large", `${what} can have ${bytes} bytes; this one has ${size}.`, {
    hint:
      bytes === LIMITS.memory.contentBytes
        ? "Store it with {tool:upload_document}, which splits it into sections."
        : "Split it into several documents.",
    data: { bytes: size, limit: bytes },
  });
}

function edgeName(type: string, at: Date, id: number): string {
  return `edge_${type.toLowerCase()}_${at.toISOString().slice(0, 10).replaceAll("-", "_")}_${id}`;
}

/** A type that could not be between them now may have been, when their tags were others. */
function inverseOrNothing(type: string, from: End, to: End): string | undefined {
  try {
    return inverseOf(type, { ...from, tags: [] }, { ...to, tags: [] });
  } catch {
    return undefined;
  }
}
