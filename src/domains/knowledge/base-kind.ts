import { AppError, isNotFound } from "../../kernel/errors.ts";
import type { AssetKind } from "../../registry/asset-kind.ts";
import type { KnowledgeServices } from "./define.ts";

/** Knowledge bases, as tools that span slices see them. */
export function baseKind({ knowledge, bases }: Pick<KnowledgeServices, "knowledge" | "bases">): AssetKind {
  return {
    name: "knowledge_base",
    idsFrom: "list_knowledge_bases",
    async can(caller, id, verb) {
      if (!caller.permissions.includes(`knowledge:${verb}`)) return false;
      try {
        await (verb === "read" ? knowledge.requireBase(caller, id) : knowledge.requireOwnBase(caller, id));
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },

    async describe(caller, id) {
      const { name, description, level, groupName, creatorName, createdAt, mayEdit } =
        await knowledge.requireBase(caller, id);
      return {
        id,
        name,
        description,
        level,
        group: groupName,
        creator: creatorName,
        documents: (await bases.documentCounts([id])).get(id) ?? 0,
        may_edit: mayEdit,
        created_at: createdAt.toISOString(),
        ...(mayEdit && { shared_with: await bases.shares(id) }),
      };
    },

    async delete(caller, id) {
      await knowledge.requireOwnBase(caller, id);
      await bases.remove(id);
      await knowledge.refreshBase(caller, id);
    },

    async restore(caller, id) {
      if (!(await bases.restore(caller, id)))
        throw new AppError("not_found", `There is no deleted knowledge base with id ${id}.`);
      await knowledge.refreshBase(caller, id);
    },
  };
}
