import { inArray } from "drizzle-orm";
import { MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { Collection } from "../../../platform/retrieval/index.ts";
import { LIMITS } from "../limits.ts";
import { memoryUsage } from "../memory.tables.ts";
import type { MemoryUsage } from "../usage.store.ts";
import type { VersionsStore } from "../versions.store.ts";
import { compareFacts, type Finding } from "./compare-facts.ts";

export interface Similar {
  key: string;
  title: string | null;
  content: string;
  finding: Finding;
  why: string;
  /** It was among the hits of a recall a short while ago, so that the text may come from there. */
  wasRecalled: boolean;
}

/** How long after a recall a text that says the same is taken to come from it. */
const RECALLED_MS = MS.day;

/** Looks for what is there already when something is to be stored. Finds and tells; whoever stores decides. */
export class Hygiene {
  readonly #catalog: Catalog;
  readonly #collection: Collection;
  readonly #versions: VersionsStore;
  readonly #recalls: MemoryUsage;

  constructor(catalog: Catalog, collection: Collection, versions: VersionsStore, recalls: MemoryUsage) {
    this.#catalog = catalog;
    this.#collection = collection;
    this.#versions = versions;
    this.#recalls = recalls;
  }

  async similarTo(workspaceId: number, content: string, now: Date): Promise<Similar[]> {
    const hits = await this.#collection.search(workspaceId, {
      text: content.slice(0, LIMITS.memory.queryCharacters),
      k: LIMITS.memory.similar,
      filter: { open: [1], retracted: [0] },
      endsAfter: now.getTime(),
    });
    const found = await this.#versions.found(
      workspaceId,
      hits.map(({ id }) => id),
    );
    const similar = hits.flatMap(({ id, legs }) => {
      const version = found.get(id);
      const compared = version && compareFacts(content, version.content, legs.dense ?? 0);
      return compared === undefined ? [] : [{ ...version!, ...compared }];
    });
    const recalled = await this.#recalled(
      similar.map(({ memoryId }) => memoryId),
      now,
    );
    return similar.map(({ memoryId, key, title, content: known, finding, why }) => ({
      key,
      title,
      content: known,
      finding,
      why,
      wasRecalled: recalled.has(memoryId),
    }));
  }

  async #recalled(memoryIds: readonly number[], now: Date): Promise<Set<number>> {
    if (memoryIds.length === 0) return new Set();
    await this.#recalls.write();
    const rows = await this.#catalog.db
      .select({ id: memoryUsage.memoryId, last: memoryUsage.lastRecalledAt })
      .from(memoryUsage)
      .where(inArray(memoryUsage.memoryId, [...memoryIds]));
    return new Set(
      rows.filter(({ last }) => now.getTime() - last.getTime() < RECALLED_MS).map(({ id }) => id),
    );
  }
}
