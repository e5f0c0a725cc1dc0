import { z } from "zod";
import { booleanArgument, boundedArgument, defineTool, keyArgument, offsetArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { listLevel, listSubtree, listTree, nodeShape } from "../nodes.ts";

/** Shows what is in a knowledge base, as folders and documents. */
export const listNodes = defineTool({
  name: "browse_knowledge_base",
  toolset: "knowledge",
  wire: { knowledge: "wegent_kb_list_nodes" },
  title: "Browse knowledge base",
  description: "Folders and documents of a knowledge base, folders first, the newest first.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id"),
    folder_id: offsetArgument("folder_id").default(0).describe("0 is the root"),
    recursive: booleanArgument("recursive").default(false).describe("All that is below; not in pages"),
    include_inactive: booleanArgument("include_inactive").default(true).describe("Also what is not searched"),
    limit: boundedArgument("limit", 1, LIMITS.knowledge.listedNodes).default(100),
    offset: offsetArgument("offset").default(0),
  }),
  output: z.object({
    knowledge_base_id: z.int(),
    knowledge_base_name: z.string(),
    folder_id: z.int(),
    recursive: z.boolean(),
    total_returned: z.int(),
    total_available: z.int(),
    has_more: z.boolean(),
    items: z.array(nodeShape),
    warnings: z.array(z.string()),
  }),

  async run(args, { knowledge, folders, caller }) {
    const { knowledge_base_id, folder_id, recursive, include_inactive, limit, offset } = args;
    const base = await knowledge.requireBase(caller, knowledge_base_id);
    if (folder_id !== 0) await knowledge.requireFolder(base.id, folder_id);
    const filter = { baseId: base.id, includeInactive: include_inactive };
    const listing = !recursive
      ? await listLevel(folders, { ...filter, parentIds: [folder_id] }, { limit, offset })
      : folder_id === 0
        ? await listTree(folders, filter)
        : await listSubtree(folders, filter, folder_id);
    return {
      knowledge_base_id: base.id,
      knowledge_base_name: base.name,
      folder_id,
      recursive,
      total_returned: listing.totalReturned,
      total_available: listing.totalAvailable,
      has_more: listing.hasMore,
      items: listing.items,
      warnings: listing.warnings,
    };
  },
});
