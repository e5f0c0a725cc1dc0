import { z } from "zod";
import { defineTool } from "../define.ts";

/** Takes a language model away, and its key with it. */
export const removeLlmProvider = defineTool({
  name: "remove_llm_provider",
  toolset: "admin",
  title: "Remove a language model",
  description: "Removes a language model of this workspace and its key for good.",
  permission: "admin",
  effect: "destroy",
  input: z.strictObject({ name: z.string().max(80) }),
  output: z.object({ removed: z.string() }),

  async run({ name }, { llm, caller }) {
    await llm.remove(caller.workspace.id, name, caller.user.id);
    return { removed: name };
  },
});
