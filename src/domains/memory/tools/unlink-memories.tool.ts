import { z } from "zod";
import { defineTool, idArgument, typeArgument } from "../define.ts";

/** Takes a relation back. */
export const unlinkMemories = defineTool({
  name: "unlink_memories",
  toolset: "curation",
  wire: { memory: "knowmind.unlink" },
  title: "Unlink memories",
  description: "Takes back a relation between two memories, and its inverse.",
  permission: "memory:write",
  effect: "destroy",
  input: z.strictObject({ from_id: idArgument, to_id: idArgument, rel_type: typeArgument }),
  output: z.object({ deleted: z.literal(true) }),

  async run({ from_id, to_id, rel_type }, { relations, caller }) {
    await relations.unlink(caller, { from: from_id, to: to_id, type: rel_type });
    return { deleted: true as const };
  },
});
