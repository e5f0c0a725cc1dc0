import { z } from "zod";
import { defineTool, providerShape, shownProvider } from "../define.ts";

/** Shows admins which language models their workspace asks. */
export const listLlmProviders = defineTool({
  name: "list_llm_providers",
  toolset: "admin",
  title: "List language models",
  description: "The language models that this workspace may ask, without their keys.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({ providers: z.array(providerShape) }),

  async run(_, { llm, caller }) {
    const all = await llm.list(caller.workspace.id);
    return { providers: all.map((provider) => shownProvider(provider, llm.healthOf(provider))) };
  },
});
