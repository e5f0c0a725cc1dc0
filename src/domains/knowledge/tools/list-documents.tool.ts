import { z } from "zod";
import { defineTool, keyArgument } from "../define.ts";
import { shownStatus } from "../nodes.ts";

const query = z.string().max(200).optional().describe("Part of a name");

/** Documents by name, over all bases that one can read. */
export const listDocuments = defineTool({
  name: "list_documents",
  toolset: "library",
  wire: {
    bi: {
      name: "knowi_list_documents",
      description:
        "List documents ingested into the document store. Returns document names and IDs for use with ask/extract/delete tools.",
      input: z.strictObject({
        datasourceId: z
          .int()
          .optional()
          .describe("Filter by document datasource ID (knowledge_base_id). If omitted, lists all."),
        query: query.describe("Filter documents by name (partial match)"),
      }),
      adapt: (args: { datasourceId?: number; query?: string }) => ({
        knowledge_base_id: args.datasourceId,
        query: args.query,
      }),
    },
  },
  title: "List documents",
  description:
    "Documents of one knowledge base, or of all that you can read, by part of a name, the newest first.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id").optional(),
    query,
    limit: z.int().min(1).max(200).default(100),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    documents: z.array(
      z.object({
        document_id: z.int(),
        name: z.string(),
        knowledge_base_id: z.int(),
        knowledge_base_name: z.string(),
        index_status: z.string(),
        error: z.string().optional(),
        is_active: z.boolean(),
        version: z.int(),
        pages: z.int().nullable(),
        bytes: z.int(),
        created_at: z.string(),
      }),
    ),
  }),

  async run({ knowledge_base_id, query, limit, offset }, { knowledge, documents, caller }) {
    if (knowledge_base_id !== undefined) await knowledge.requireBase(caller, knowledge_base_id);
    const filter = { baseId: knowledge_base_id, query: query?.trim() || undefined, limit, offset };
    const { total, items } = await documents.list(caller, filter);
    return {
      total,
      documents: items.map((document) => ({
        document_id: document.id,
        name: document.name,
        knowledge_base_id: document.baseId,
        knowledge_base_name: document.baseName,
        index_status: shownStatus(document),
        ...(document.indexError !== null && { error: document.indexError }),
        is_active: document.isActive,
        version: document.version,
        pages: document.pages,
        bytes: document.bytes,
        created_at: document.createdAt.toISOString(),
      })),
    };
  },
});
