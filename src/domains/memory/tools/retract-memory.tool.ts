import { z } from "zod";
import { defineTool, idArgument, timeText } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Takes back what was wrong. */
export const retractMemory = defineTool({
  name: "retract_memory",
  toolset: "curation",
  title: "Retract memory",
  description:
    "Takes back a memory that was wrong, with its relations: it is recalled no more, and its history stays. A document goes with its sections.",
  permission: "memory:write",
  effect: "destroy",
  input: z.strictObject({
    memory_id: idArgument,
    reason: z.string().max(LIMITS.memory.reasonCharacters).optional(),
  }),
  output: z.object({ memory_id: z.string(), retracted_at: z.string() }),

  async run({ memory_id, reason }, { lifecycle, caller }) {
    const { retractedAt } = await lifecycle.retract(caller, memory_id, reason);
    return { memory_id, retracted_at: timeText(retractedAt) };
  },
});
