import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, keyArgument } from "../define.ts";
import { chosenName } from "../file-kinds.ts";
import { LIMITS } from "../limits.ts";

/** Says who else may read or change a knowledge base, and what it is called. */
export const shareKnowledgeBase = defineTool({
  name: "share_knowledge_base",
  toolset: "library",
  title: "Share knowledge base",
  description:
    "Lets a member or a group read or edit a knowledge base beyond its level, or takes that away (none); renames it; with its id alone, tells who has it. Only for its owner.",
  permission: "knowledge:write",
  effect: "write",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id"),
    email: z.string().max(320).optional(),
    group: z.string().max(200).optional(),
    access: z.enum(["reader", "editor", "none"]).optional().describe("For that email or group"),
    name: z.string().max(1_000).optional().describe("A new name"),
    description: z.string().max(LIMITS.knowledge.descriptionCharacters).optional(),
  }),
  output: z.object({
    knowledge_base_id: z.int(),
    name: z.string(),
    shared_with: z.array(
      z.object({ email: z.string().nullable(), group: z.string().nullable(), access: z.string() }),
    ),
  }),

  async run(args, { knowledge, bases, caller }) {
    const { email, group, access, name, description } = args;
    const isShared = email !== undefined || group !== undefined || access !== undefined;
    if (isShared && ((email === undefined) === (group === undefined) || access === undefined))
      throw new AppError("bad_request", "Give either an email or a group, and the access.");
    const { id } = await knowledge.requireOwnBase(caller, args.knowledge_base_id);
    if (name !== undefined || description !== undefined)
      await bases.change(id, {
        ...(name !== undefined && { name: chosenName(name, "knowledge base") }),
        ...(description !== undefined && { description }),
      });
    if (access !== undefined) await bases.share(caller, id, { email, group, access });
    const base = await knowledge.requireOwnBase(caller, id);
    return { knowledge_base_id: id, name: base.name, shared_with: await bases.shares(id) };
  },
});
