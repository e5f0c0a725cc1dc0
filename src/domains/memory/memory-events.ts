import { inArray } from "drizzle-orm";
import { z } from "zod";
import { type Catalog, type CatalogTx, publishEvent } from "../../platform/catalog/index.ts";
import type { ResourceChange } from "../../registry/define-resource.ts";
import { memoryVersions as versions } from "./memory.tables.ts";

/** What this slice tells of what happens in it: that memories say or are related to something else now, or are gone. */
const MEMORY_CHANGED = "memory.changed";

const memoryChanged = z.object({ workspaceId: z.int(), memoryIds: z.array(z.int()) });

/** The last thing in a transaction that changes memories which somebody may watch. */
export function tellOfMemories(
  tx: CatalogTx,
  workspaceId: number,
  memoryIds: readonly number[],
): Promise<void> {
  const payload: z.infer<typeof memoryChanged> = { workspaceId, memoryIds: [...memoryIds] };
  return publishEvent(tx, { topic: MEMORY_CHANGED, key: String(memoryIds[0]), payload });
}

/** The events of which resources of this slice change. */
export const MEMORY_EVENTS: readonly string[] = [MEMORY_CHANGED];

/** Which memories say something else now, by all the ids that somebody may watch them by. */
export async function changedMemories({ db }: Catalog, payload: unknown): Promise<ResourceChange[]> {
  const { workspaceId, memoryIds } = memoryChanged.parse(payload);
  const rows = await db
    .select({ key: versions.key })
    .from(versions)
    .where(inArray(versions.memoryId, memoryIds));
  // Of what was erased no id is left: whoever watches any looks again.
  if (rows.length === 0) return [{ workspaceId, resource: "memory", params: {} }];
  return [{ workspaceId, resource: "memory", params: { id: rows.map(({ key }) => key) } }];
}
