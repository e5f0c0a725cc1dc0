import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { IMPROVEMENT_STATES } from "../models.tables.ts";

/** Ends an improvement request, one way or the other. */
export const closeImprovementRequest = defineTool({
  name: "close_improvement_request",
  toolset: "admin",
  title: "Close improvement request",
  description: "Mark an improvement request of a semantic model as done or declined, with a word on why.",
  permission: "admin",
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    id: z.int().describe("From list_improvement_requests"),
    state: z.enum(IMPROVEMENT_STATES).exclude(["open"]),
    resolution: z.string().trim().max(LIMITS.models.descriptionCharacters).optional(),
  }),
  output: z.object({ id: z.int(), state: z.enum(IMPROVEMENT_STATES) }),

  async run({ id, state, resolution = null }, { improvements, caller }) {
    await improvements.close(caller, id, { state, resolution });
    return { id, state };
  },
});
