import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import { looksLikeBase64 } from "../../platform/files/index.ts";
import type { Collection } from "../../platform/retrieval/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Usage } from "../identity/index.ts";
import { METRIC } from "./lifecycle.ts";
import { LIMITS } from "./limits.ts";
import type { By, MemoriesStore, MemoryUsage, NewMemory, StoredMemory } from "./memories.store.ts";
import type { MemoryType } from "./memory.tables.ts";
import { readableKey } from "./memory-keys.ts";
import type { Question, Recall, Recalled } from "./recall.ts";
import { relate } from "./relations.store.ts";
import { edgeName } from "./relations.ts";
import type { Splitter } from "./splitter.ts";

export interface MemoryParts {
  memories: MemoriesStore;
  recall: Recall;
  collection: Collection;
  /** What a plan has room for. */
  usage: Usage;
  /** What was recalled how often. */
  recalls: MemoryUsage;
  splitter: Splitter;
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
  /** What an import says of former versions. */
  history?: Pick<NewMemory, "former" | "recordedAt" | "reason"> | undefined;
}

export interface DocumentWish {
  key?: string | undefined;
  title?: string | undefined;
  content: string;
  source?: string | undefined;
  createdAt?: Date | undefined;
}

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
    const { stored, formerIds } = await this.#metered(caller, news.length, () =>
      this.#parts.memories.insert(byOf(caller), news, async () => undefined),
    );
    await this.#refresh(caller, [...formerIds, ...stored.map(({ versionId }) => versionId)]);
    return stored.map((one, i) => ({ ...one, createdAt: news[i]?.createdAt ?? now }));
  }

  /** A document and its sections, which are found by themselves. */
  async upload(
    caller: Caller,
    { key: wished, title, content, source, createdAt }: DocumentWish,
  ): Promise<{ key: string; sections: number }> {
    assertText(content, LIMITS.memory.documentBytes, "A document");
    if (looksLikeBase64(content) || content.startsWith("%PDF-"))
      throw new AppError("bad_request", "The content is a file, not the text of a document.", {
        hint: "Send its text. {tool:add_document} takes files such as PDF and Word.",
      });
    const now = this.#parts.clock.now();
    const pieces = await this.#parts.splitter.split(caller, content);
    const key = wished ?? readableKey("doc", title ?? source ?? content, now);
    const recorded = createdAt ?? now;
    const common = { type: "reference" as const, source, validFrom: recorded, createdAt: recorded };
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
    const isOwnKey = wished !== undefined;
    const document: NewMemory = { ...common, key, isOwnKey, kind: "document", title, content };
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

  async recall(
    caller: Caller,
    question: Omit<Question, "now" | "asOf"> & { asOf?: Date | "now" | undefined },
  ): Promise<Recalled[]> {
    const query = question.query.trim();
    if (query === "") throw new AppError("bad_request", "query must not be empty.");
    const now = this.#parts.clock.now();
    const asOf = question.asOf === "now" ? now : question.asOf;
    const found = await this.#parts.recall.recall(caller.workspace.id, { ...question, asOf, query, now });
    this.#parts.recalls.count(
      found.map(({ memoryId }) => memoryId),
      now,
    );
    return found;
  }

  /** What answers a question best by itself; a look that counts as no recall. */
  async nearest(caller: Caller, query: string): Promise<Recalled | undefined> {
    const now = this.#parts.clock.now();
    const [best] = await this.#parts.recall.recall(caller.workspace.id, { query, k: 1, hops: 0, now });
    return best;
  }

  async #metered<T>(caller: Caller, amount: number, work: () => Promise<T>): Promise<T> {
    const { usage } = this.#parts;
    // What the operator imports counts, and is not refused.
    const isBounded = caller.token.kind !== "operator";
    await usage.take(caller.workspace.id, METRIC, amount, { isBounded });
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
    ...wish.history,
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
