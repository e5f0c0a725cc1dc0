import { defineResource, timeText, titleOf } from "../define.ts";
import type { ListedRelation } from "../relations.store.ts";

/** Memories that a listing shows; the others are found by recall. */
const LISTED = 50;

/** One memory as it is now. */
export const memoryResource = defineResource({
  uri: { all: "kenning://memories/{id}" },
  name: "memory",
  title: "Memory",
  description: "What one memory says now, with its relations. Can be watched for changes.",
  mimeType: "application/json",
  permission: "memory:read",
  toolset: "memory",

  async list({ memoryList, clock, caller }) {
    const wish = { state: "current" as const, limit: LISTED, now: clock.now() };
    const { items } = await memoryList.list(caller.workspace.id, wish);
    return items.map((item) => ({ params: { id: item.key }, name: item.key, title: titleOf(item) }));
  },

  async complete(_, typed, __, { memoryList, caller }) {
    return memoryList.idsBeginning(caller.workspace.id, typed);
  },

  async read({ id = "" }, { memoryList, relations, caller }) {
    const memory = await memoryList.get(caller.workspace.id, id);
    const isRetracted = memory.retractedAt !== null;
    const related = isRetracted ? { outgoing: [], incoming: [] } : await relations.of(caller, memory.key);
    const text = JSON.stringify({
      memory_id: memory.key,
      title: titleOf(memory),
      content: memory.content,
      memory_type: memory.type,
      tags: memory.tags,
      source: memory.source,
      valid_from: timeText(memory.validFrom),
      valid_to: memory.validTo === null ? null : timeText(memory.validTo),
      retracted_at: memory.retractedAt === null ? null : timeText(memory.retractedAt),
      versions: memory.versions.map(({ key }) => key),
      outgoing: saidOf(related.outgoing).map(({ type, key }) => ({ rel_type: type, to: key })),
      incoming: saidOf(related.incoming).map(({ type, key }) => ({ rel_type: type, from: key })),
    });
    return { mimeType: "application/json", text };
  },
});

/** Whoever reads both lists knows the inverses too. */
function saidOf(related: readonly ListedRelation[]): ListedRelation[] {
  return related.filter(({ isInverse }) => !isInverse);
}
