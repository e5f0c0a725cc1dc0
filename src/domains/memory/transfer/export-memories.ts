import type { Caller } from "../../../registry/caller.ts";
import type { MemoryVersion } from "../catalogue.store.ts";
import { type MemoryServices, timeText } from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { MemoryRecord } from "./record.ts";

/** All memories of a workspace, the oldest first, with what each said before and the relations that go out from it. */
export async function* exportMemories(
  { catalogue }: Pick<MemoryServices, "catalogue">,
  caller: Caller,
): AsyncGenerator<MemoryRecord> {
  for (let after = 0; ; ) {
    const page = await catalogue.page(caller.workspace.id, after, LIMITS.memory.importBatch);
    const relations = await catalogue.relationsFrom(page.map(({ memoryId }) => memoryId));
    const versions = await catalogue.versionsOf(page.map(({ memoryId }) => memoryId));
    for (const memory of page) {
      const said = versions.get(memory.memoryId) ?? [];
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
        ...(said.length > 1 && historyOf(said)),
        ...(own.length > 0 && { relations: own }),
      };
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.memoryId;
  }
}

function historyOf(said: readonly MemoryVersion[]): Partial<MemoryRecord> {
  const reasonOf = ({ updateReason }: MemoryVersion) =>
    updateReason === null ? {} : { update_reason: updateReason };
  const now = said.at(-1) as MemoryVersion;
  const versions = said.slice(0, -1).map((version) => ({
    memory_id: version.key,
    ...(version.title !== null && { title: version.title }),
    content: version.content,
    valid_from: timeText(version.validFrom),
    // What was superseded has an end.
    valid_to: timeText(version.validTo as Date),
    recorded_at: timeText(version.recordedAt),
    ...reasonOf(version),
  }));
  return { recorded_at: timeText(now.recordedAt), ...reasonOf(now), versions };
}
