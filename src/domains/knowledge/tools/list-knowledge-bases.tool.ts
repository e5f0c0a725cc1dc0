import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { KnowledgeBase } from "../bases.store.ts";
import {
  boundedArgument,
  defineTool,
  keyArgument,
  offsetArgument,
  textArgument,
  wordArgument,
} from "../define.ts";
import { LIMITS } from "../limits.ts";
import { person, personOf } from "../nodes.ts";

const SCOPES = ["all", "personal", "group", "organization"] as const;

/** Where work with documents begins: which knowledge bases there are for this caller. */
export const listKnowledgeBases = defineTool({
  name: "list_knowledge_bases",
  toolset: "knowledge",
  wire: { knowledge: "wegent_kb_list_knowledge_bases" },
  title: "List knowledge bases",
  description: "The knowledge bases that you can read, the newest first.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    scope: wordArgument("scope", SCOPES).default("all"),
    group_name: textArgument("group_name", LIMITS.knowledge.nameCharacters)
      .nullable()
      .default(null)
      .describe("Required when scope is group"),
    query: textArgument("query", LIMITS.knowledge.nameCharacters)
      .nullable()
      .default(null)
      .describe("Part of a name or description"),
    limit: boundedArgument("limit", 1, LIMITS.knowledge.listedBases).default(50),
    offset: offsetArgument("offset").default(0),
    owner_user_ids: z
      .array(keyArgument("owner_user_ids"))
      .max(LIMITS.knowledge.owners, {
        error: `owner_user_ids must contain at most ${LIMITS.knowledge.owners} items`,
      })
      .nullable()
      .default(null),
  }),
  output: z.object({
    total: z.int(),
    total_returned: z.int(),
    has_more: z.boolean(),
    limit: z.int(),
    offset: z.int(),
    items: z.array(
      z.object({
        knowledge_base_id: z.int(),
        knowledge_base_name: z.string(),
        description: z.string().nullable(),
        namespace: z.string(),
        namespace_level: z.string(),
        namespace_display_name: z.string(),
        owner_user_id: z.int().nullable(),
        creator: person.nullable(),
        document_count: z.int(),
        created_at: z.string(),
        updated_at: z.string(),
      }),
    ),
  }),

  async run({ scope, group_name, query, limit, offset, owner_user_ids }, { bases, caller }) {
    const groupName = group_name?.trim() || undefined;
    if (scope === "group" && groupName === undefined)
      throw new AppError("bad_request", "group_name is required when scope is group");
    const { total, items } = await bases.list(caller, {
      level: scope === "all" ? undefined : scope,
      groupName: scope === "group" || scope === "all" ? groupName : undefined,
      query: query?.trim() || undefined,
      ownerIds: owner_user_ids ?? undefined,
      limit,
      offset,
    });
    const counts = await bases.documentCounts(items.map(({ id }) => id));
    return {
      total,
      total_returned: items.length,
      has_more: offset + items.length < total,
      limit,
      offset,
      items: items.map((base) => ({
        knowledge_base_id: base.id,
        knowledge_base_name: base.name,
        description: base.description,
        ...namespaceOf(base),
        owner_user_id: base.ownerId,
        creator: personOf(base.createdBy, base.creatorName),
        document_count: counts.get(base.id) ?? 0,
        created_at: base.createdAt.toISOString(),
        updated_at: base.updatedAt.toISOString(),
      })),
    };
  },
});

/** The space that a base is in; what it is called says nothing of who shares it. */
function namespaceOf({ level, groupName, groupDisplayName, workspaceName, workspaceSlug }: KnowledgeBase) {
  const [namespace, display] =
    level === "personal"
      ? ["default", "personal"]
      : level === "group"
        ? [groupName ?? "", groupDisplayName ?? ""]
        : [workspaceSlug, workspaceName];
  return { namespace, namespace_level: level, namespace_display_name: display };
}
