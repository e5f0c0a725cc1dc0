import { eq } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import { memories, memoryChunks, memoryRelations } from "./memory.tables.ts";

/** The catalog's side of the memory slice. */
export class MemoryStore {
  readonly #catalog: Catalog;

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** How much a workspace remembers. */
  async stats(workspaceId: number): Promise<{ memories: number; edges: number; chunks: number }> {
    const { db } = this.#catalog;
    const [memoryCount, edges, chunks] = await Promise.all([
      db.$count(memories, eq(memories.workspaceId, workspaceId)),
      db.$count(memoryRelations, eq(memoryRelations.workspaceId, workspaceId)),
      db.$count(memoryChunks, eq(memoryChunks.workspaceId, workspaceId)),
    ]);
    return { memories: memoryCount, edges, chunks };
  }

  /** Throws `unavailable` when the store cannot be reached. */
  async ping(): Promise<void> {
    await this.#catalog.ping();
  }
}
