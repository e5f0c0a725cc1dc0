import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Makes a place for documents. */
export const createKnowledgeBase = defineTool({
  name: "create_knowledge_base",
  toolset: "library",
  title: "Create knowledge base",
  description:
    "Makes a knowledge base that everybody in the workspace can read; with group, only its members; with personal, only you.",
  permission: "knowledge:write",
  effect: "write",
  input: z.strictObject({
    name: z.string().max(LIMITS.knowledge.nameCharacters),
    description: z.string().max(LIMITS.knowledge.descriptionCharacters).optional(),
    group: z.string().max(200).optional().describe("Name of a group that you are in"),
    personal: z.boolean().default(false),
  }),
  output: z.object({ knowledge_base_id: z.int(), name: z.string() }),

  async run({ name, description, group, personal }, { knowledge, caller }) {
    const wish = { name, description, group, ...(personal && { personal: caller.user.email }) };
    return { knowledge_base_id: await knowledge.createBase(caller, wish), name: name.trim() };
  },
});
