import { z } from "zod";
import { defineTool, idArgument, timeArgument, timeOf, timeText } from "../define.ts";
import type { ListedRelation } from "../relations.store.ts";

const edge = {
  created_at: z.string(),
  inverse: z.boolean().optional().describe("True of the edge that came with one said the other way round"),
};
const memory_id = idArgument.describe("Id as recall returns it");

/** Lets a model learn what a memory is connected to before it follows a relation. */
export const listRelations = defineTool({
  name: "list_relations",
  toolset: "memory",
  wire: { memory: { name: "knowmind.list_relations", input: z.strictObject({ memory_id }) } },
  title: "List relations",
  description: "All relations into and out of one memory.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({
    memory_id,
    known_at: timeArgument("known_at").optional().describe("Those that were known then, ISO 8601"),
  }),
  output: z.object({
    outgoing: z.array(z.object({ rel_type: z.string(), to: z.string(), ...edge })),
    incoming: z.array(z.object({ rel_type: z.string(), from: z.string(), ...edge })),
  }),

  async run({ memory_id, known_at }, { relations, caller }) {
    const knownAt = known_at === undefined ? undefined : timeOf(known_at);
    const { outgoing, incoming } = await relations.of(caller, memory_id, knownAt);
    return {
      outgoing: outgoing.map((one) => ({ rel_type: one.type, to: one.key, ...edgeOf(one) })),
      incoming: incoming.map((one) => ({ rel_type: one.type, from: one.key, ...edgeOf(one) })),
    };
  },
});

function edgeOf({ createdAt, isInverse }: ListedRelation) {
  return { created_at: timeText(createdAt), ...(isInverse && { inverse: true }) };
}
