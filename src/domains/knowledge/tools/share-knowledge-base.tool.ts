import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, keyArgument } from "../define.ts";

/** Says who else may read or change a knowledge base. */
export const shareKnowledgeBase = defineTool({
  name: "share_knowledge_base",
  toolset: "library",
  title: "Share knowledge base",
  description:
    "Lets a member or a group read or edit a knowledge base beyond its level, or takes that away (none). Only for its owner.",
  permission: "knowledge:write",
  effect: "write",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id"),
    email: z.string().max(320).optional(),
    group: z.string().max(200).optional(),
    access: z.enum(["reader", "editor", "none"]),
  }),
  output: z.object({
    knowledge_base_id: z.int(),
    shared_with: z.array(
      z.object({ email: z.string().nullable(), group: z.string().nullable(), access: z.string() }),
    ),
  }),

  async run({ knowledge_base_id, email, group, access }, { knowledge, bases, caller }) {
    if ((email === undefined) === (group === undefined))
      throw new AppError("bad_request", "Give either an email or a group.");
    const base = await knowledge.requireOwnBase(caller, knowledge_base_id);
    await bases.share(caller, base.id, { email, group, access });
    return { knowledge_base_id: base.id, shared_with: await bases.shares(base.id) };
  },
});
