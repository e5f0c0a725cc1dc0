import type { Caller } from "../../../registry/caller.ts";
import { type MemoryServices, timeText } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { MemoryRecord } from "./record.ts";

/** All memories of a workspace as they are now, the oldest first, with the relations that go out from each. */
export async function* exportMemories(
  { catalogue }: Pick<MemoryServices, "catalogue">,
  caller: Caller,
): AsyncGenerator<MemoryRecord> {
  for (let after = 0; ; ) {
    const page = await catalogue.page(caller.workspace.id, after, LIMITS.memory.importBatch);
    const relations = await catalogue.relationsFrom(page.map(({ memoryId }) => memoryId));
    for (const memory of page) {
      const own = relations.get(memory.memoryId) ?? [];
      yield {
        memory_id: memory.key,
        ...(memory.kind === "document" && { kind: "document" as const }),
        ...(memory.title !== null && { title: memory.title }),
        content: memory.content,
        memory_type: memory.type,
        ...(memory.tags.length > 0 && { tags: memory.tags }),
        ...(memory.source !== null && { source: memory.source }),
        valid_from: timeText(memory.validFrom),
        ...(memory.validTo !== null && { valid_to: timeText(memory.validTo) }),
        created_at: timeText(memory.createdAt),
        ...(own.length > 0 && { relations: own }),
      };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.memoryId;
  }
}
