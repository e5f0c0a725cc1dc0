import { z } from "zod";
import { defineTool, idArgument, timeText } from "../define.ts";

/** Lets a model learn what a memory is connected to before it follows a relation. */
export const listRelations = defineTool({
  name: "list_relations",
  toolset: "memory",
  wire: { memory: "knowmind.list_relations" },
  title: "List relations",
  description: "All relations into and out of one memory.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({ memory_id: idArgument.describe("Id as recall returns it") }),
  output: z.object({
    outgoing: z.array(z.object({ rel_type: z.string(), to: z.string(), created_at: z.string() })),
    incoming: z.array(z.object({ rel_type: z.string(), from: z.string(), created_at: z.string() })),
  }),

  async run({ memory_id }, { memory, caller }) {
    const { outgoing, incoming } = await memory.relationsOf(caller, memory_id);
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
