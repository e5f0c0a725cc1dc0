import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../platform/catalog/index.ts";
import type { Collection } from "../../platform/retrieval/index.ts";
import type { Caller } from "../../registry/caller.ts";
import type { Usage } from "../identity/index.ts";
import { lockMemory, noMemory, successorOf, withEnd } from "./memories.store.ts";
import { memories, memoryRelations as relations, memoryVersions as versions } from "./memory.tables.ts";
import { tellOfMemories } from "./memory-events.ts";

export interface LifecycleParts {
  catalog: Catalog;
  collection: Collection;
  usage: Usage;
  clock: Clock;
}

type Head = typeof memories.$inferSelect;

/** What a plan counts. */
export const METRIC = "memories";

/** What becomes of a memory beside what it says: pinned, outdated, retracted, erased. */
export class Lifecycle {
  readonly #parts: LifecycleParts;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
  }

  /** It was wrong: nobody recalls it any more, and whoever asks what was known before still finds it. */
  async retract(caller: Caller, key: string, reason: string | undefined): Promise<{ retractedAt: Date }> {
    const now = this.#parts.clock.now();
    const workspaceId = caller.workspace.id;
    const { head, ids, changed } = await this.#parts.catalog.transaction(async (tx) => {
      const head = await lockWhole(tx, workspaceId, key);
      if (head.retractedAt !== null) return { head, ids: [], changed: 0 };
      const all = await withSections(tx, head);
      const set = { retractedAt: now, retractedBy: caller.user.id, retractionReason: reason ?? null };
      await tx.update(memories).set(set).where(inArray(memories.id, all));
      await tx
        .update(relations)
        .set({ endedAt: now })
        .where(
          and(or(inArray(relations.fromId, all), inArray(relations.toId, all)), isNull(relations.endedAt)),
        );
      const touched = await touch(tx, all);
      await tellOfMemories(tx, workspaceId, [head.id]);
      return { head, ids: touched, changed: 1 };
    });
    await this.#after(workspaceId, ids, changed);
    return { retractedAt: head.retractedAt ?? now };
  }

  /** As if it had never been there: with its versions, relations, sections, vectors and counts. */
  async erase(caller: Caller, key: string): Promise<{ versions: number; relations: number }> {
    const workspaceId = caller.workspace.id;
    const { collection, catalog } = this.#parts;
    const erased = await catalog.transaction(async (tx) => {
      const head = await lockWhole(tx, workspaceId, key);
      const all = await withSections(tx, head);
      const said = await tx.select({ id: versions.id }).from(versions).where(inArray(versions.memoryId, all));
      const related = await tx
        .delete(relations)
        .where(or(inArray(relations.fromId, all), inArray(relations.toId, all)))
        .returning({ isInverse: relations.isInverse });
      await tx.delete(memories).where(inArray(memories.id, all));
      await tellOfMemories(tx, workspaceId, [head.id]);
      return { ids: said.map(({ id }) => id), related, wasRetracted: head.retractedAt !== null };
    });
    await this.#after(workspaceId, erased.ids, erased.wasRetracted ? 0 : 1);
    await collection.purge(workspaceId);
    return {
      versions: erased.ids.length,
      relations: erased.related.filter(({ isInverse }) => !isInverse).length,
    };
  }

  /** What is pinned comes a little further up in every recall. */
  async pin(caller: Caller, key: string, isPinned: boolean): Promise<void> {
    await this.#change(caller, key, async (tx, head) => {
      await tx.update(memories).set({ isPinned }).where(eq(memories.id, head.id));
    });
  }

  /** From `validTo` on it does not hold; for ever, if null. What was believed before is kept. */
  async end(
    caller: Caller,
    key: string,
    {
      validTo,
      way,
      reason,
    }: { validTo: Date | null; way: "outdated" | "expires"; reason: string | undefined },
  ): Promise<Date | null> {
    const now = this.#parts.clock.now();
    let end = validTo;
    await this.#change(caller, key, async (tx, head) => {
      const isOpen = and(eq(versions.memoryId, head.id), isNull(versions.supersededAt));
      const [open] = await tx.select({ validFrom: versions.validFrom }).from(versions).where(isOpen);
      if (open === undefined) throw noMemory(key);
      if (way === "outdated" && open.validFrom > now) end = open.validFrom;
      if (end !== null && end < open.validFrom)
        throw new AppError("bad_request", "valid_to must not be before valid_from.");
      const ends = withEnd({ at: now, validTo: end, way, reason: reason ?? null, userId: caller.user.id });
      await tx.update(versions).set({ validTo: end, ends }).where(isOpen);
    });
    return end;
  }

  /** Another memory supersedes it: it ends now, or when that one begins. Tells which versions the index must take anew. */
  async supersede(tx: CatalogTx, caller: Caller, oldKey: string, newerId: number): Promise<number[]> {
    const now = this.#parts.clock.now();
    const old = await lockWhole(tx, caller.workspace.id, oldKey);
    const [newer] = await tx
      .select({ validFrom: versions.validFrom })
      .from(versions)
      .where(isOpenOf([newerId]));
    const all = await withSections(tx, old);
    for (const { id, validFrom, validTo } of await tx.select().from(versions).where(isOpenOf(all))) {
      const until = new Date(Math.max(...[now, validFrom, newer?.validFrom ?? now].map(Number)));
      if (validTo !== null && validTo <= until) continue;
      const why = { way: "superseded" as const, reason: null, userId: caller.user.id };
      const ends = withEnd({ at: now, validTo: until, ...why });
      await tx.update(versions).set({ validTo: until, ends }).where(eq(versions.id, id));
    }
    return touch(tx, all);
  }

  /** Nothing supersedes it any more: it ends when it would have ended. What was believed meanwhile is kept. */
  async reinstate(tx: CatalogTx, caller: Caller, oldKey: string): Promise<number[]> {
    const now = this.#parts.clock.now();
    const old = await lockWhole(tx, caller.workspace.id, oldKey);
    if ((await successorOf(tx, old.id)) !== undefined) return [];
    const all = await withSections(tx, old);
    for (const { id, ends, statedValidTo } of await tx.select().from(versions).where(isOpenOf(all))) {
      if (ends.at(-1)?.way !== "superseded") continue;
      const before = ends.at(-2);
      const validTo = before === undefined ? statedValidTo : dateOf(before.validTo);
      const why = { way: "reinstated" as const, reason: null, userId: caller.user.id };
      const set = { validTo, ends: withEnd({ at: now, validTo, ...why }) };
      await tx.update(versions).set(set).where(eq(versions.id, id));
    }
    return touch(tx, all);
  }

  /** Has the index take these versions anew. */
  async refresh({ workspace }: Caller, versionIds: readonly number[]): Promise<void> {
    await this.#after(workspace.id, versionIds, 0);
  }

  async #change(
    caller: Caller,
    key: string,
    work: (tx: CatalogTx, head: Head) => Promise<void>,
  ): Promise<void> {
    const workspaceId = caller.workspace.id;
    const ids = await this.#parts.catalog.transaction(async (tx) => {
      const head = await lockWhole(tx, workspaceId, key);
      if (head.retractedAt !== null) throw noMemory(key);
      const all = await withSections(tx, head);
      for (const id of all) await work(tx, { ...head, id });
      const touched = await touch(tx, all);
      await tellOfMemories(tx, workspaceId, [head.id]);
      return touched;
    });
    await this.#after(workspaceId, ids, 0);
  }

  async #after(workspaceId: number, versionIds: readonly number[], freed: number): Promise<void> {
    if (freed > 0) await this.#parts.usage.giveBack(workspaceId, METRIC, freed);
    await this.#parts.collection.refresh(workspaceId, versionIds);
  }
}

async function lockWhole(tx: CatalogTx, workspaceId: number, key: string): Promise<Head> {
  const head = await lockMemory(tx, workspaceId, key);
  if (head.kind !== "section") return head;
  throw new AppError("unsupported", `${key} is a section, which belongs to its document.`, {
    hint: "Take the id of the document; {tool:list_relations} shows it.",
  });
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function isOpenOf(memoryIds: readonly number[]) {
  return and(inArray(versions.memoryId, [...memoryIds]), isNull(versions.supersededAt));
}

/** The memory, and the sections of a document. */
async function withSections(tx: CatalogTx, { id, kind }: Head): Promise<number[]> {
  if (kind !== "document") return [id];
  const sections = await tx
    .select({ id: relations.toId })
    .from(relations)
    .where(and(eq(relations.fromId, id), eq(relations.type, "HAS_CHUNK")));
  return [id, ...sections.map((section) => section.id)];
}

/** All their versions, with another number, so that the index takes them anew. */
async function touch(tx: CatalogTx, memoryIds: readonly number[]): Promise<number[]> {
  const touched = await tx
    .update(versions)
    .set({ revision: sql`${versions.revision} + 1` })
    .where(inArray(versions.memoryId, [...memoryIds]))
    .returning({ id: versions.id });
  return touched.map(({ id }) => id);
}
