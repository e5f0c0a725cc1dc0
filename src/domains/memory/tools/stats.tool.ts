import { z } from "zod";
import { defineTool } from "../define.ts";

/** Lets a client see how much there is to recall before it asks. */
export const memoryStats = defineTool({
  name: "memory_stats",
  toolset: "curation",
  wire: { memory: "knowmind.stats" },
  title: "Memory statistics",
  description: "How many memories, relations (edges) and indexed chunks this workspace has.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({ memories: z.int(), edges: z.int(), chunks: z.int() }),

  run: (_input, { memories, caller }) => memories.stats(caller.workspace.id),
});
