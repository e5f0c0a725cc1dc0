import { inArray } from "drizzle-orm";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { ResourceChange } from "../../registry/define-resource.ts";
import { memoryVersions as versions } from "./memory.tables.ts";
import { MEMORY_CHANGED, memoryChanged } from "./memory-events.ts";

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
