import { z } from "zod";
import { defineTool, idArgument, timeArgument, timeOf, timeText } from "../define.ts";

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
    outgoing: z.array(z.object({ rel_type: z.string(), to: z.string(), created_at: z.string() })),
    incoming: z.array(z.object({ rel_type: z.string(), from: z.string(), created_at: z.string() })),
  }),

  async run({ memory_id, known_at }, { relations, caller }) {
    const { outgoing, incoming } = await relations.of(
      caller,
      memory_id,
      known_at === undefined ? undefined : timeOf(known_at),
    );
    return {
      outgoing: outgoing.map(({ type, key, createdAt }) => ({
        rel_type: type,
        to: key,
        created_at: timeText(createdAt),
      })),
      incoming: incoming.map(({ type, key, createdAt }) => ({
        rel_type: type,
        from: key,
        created_at: timeText(createdAt),
      })),
    };
  },
});
