import { z } from "zod";
import { type CatalogTx, publishEvent } from "../../platform/catalog/index.ts";

/** What this slice tells of what happens in it: that memories say or are related to something else now, or are gone. */
export const MEMORY_CHANGED = "memory.changed";

export const memoryChanged = z.object({ workspaceId: z.int(), memoryIds: z.array(z.int()) });

/** The last thing in a transaction that changes memories which somebody may watch. */
export function tellOfMemories(
  tx: CatalogTx,
  workspaceId: number,
  memoryIds: readonly number[],
): Promise<void> {
  const payload: z.infer<typeof memoryChanged> = { workspaceId, memoryIds: [...memoryIds] };
  return publishEvent(tx, { topic: MEMORY_CHANGED, key: String(memoryIds[0]), payload });
}
