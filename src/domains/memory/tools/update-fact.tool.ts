import { z } from "zod";
import { defineTool, idArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Corrects a memory without forgetting what it said before. */
export const updateFact = defineTool({
  name: "update_fact",
  toolset: "memory",
  wire: { memory: "knowmind.update_fact" },
  title: "Update fact",
  description:
    "A new version of a memory, valid from now; the old one is kept as superseded. Its relations stay.",
  permission: "memory:write",
  effect: "write",
  input: z.strictObject({
    target_id: idArgument.describe("Id of the memory to update, of its present version"),
    new_title: z.string().min(1).max(LIMITS.memory.titleCharacters),
    new_content: z.string(),
    update_reason: z.string().max(LIMITS.memory.reasonCharacters).optional(),
  }),
  output: z.object({ old_memory_id: z.string(), new_memory_id: z.string(), supersedes_edge: z.string() }),

  async run({ target_id, new_title, new_content, update_reason }, { memory, caller }) {
    const wish = { target: target_id, title: new_title, content: new_content, reason: update_reason };
    const { oldKey, newKey, edge } = await memory.update(caller, wish);
    return { old_memory_id: oldKey, new_memory_id: newKey, supersedes_edge: edge };
  },
});
