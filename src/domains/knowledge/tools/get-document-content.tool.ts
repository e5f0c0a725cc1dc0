import { z } from "zod";
import { boundedArgument, defineTool, keyArgument, offsetArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { shownStatus } from "../nodes.ts";

const { readCharacters } = LIMITS.knowledge;

/** Reads the text of a document, a part at a time. */
export const getDocumentContent = defineTool({
  name: "read_document",
  toolset: "knowledge",
  wire: { knowledge: "wegent_kb_get_document_content" },
  title: "Read document",
  description: "The text of a document. Page through long ones with offset and limit, in characters.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    document_id: keyArgument("document_id"),
    offset: offsetArgument("offset").default(0),
    limit: boundedArgument("limit", 1, readCharacters).default(readCharacters),
  }),
  output: z.object({
    document_id: z.int(),
    node_id: z.string(),
    knowledge_base_id: z.int(),
    name: z.string(),
    content: z.string(),
    content_format: z.literal("text"),
    content_source: z.literal("parsed_attachment"),
    content_available: z.boolean(),
    offset: z.int(),
    returned_length: z.int(),
    total_length: z.int(),
    has_more: z.boolean(),
    index_status: z.string(),
  }),

  async run({ document_id, offset, limit }, { knowledge, documents, caller }) {
    const document = await knowledge.requireDocument(caller, document_id);
    const content = await documents.content(document.id, Math.min(offset, document.textLength), limit);
    const returned = [...content].length;
    return {
      document_id: document.id,
      node_id: `document:${document.id}`,
      knowledge_base_id: document.baseId,
      name: document.name,
      content,
      content_format: "text" as const,
      content_source: "parsed_attachment" as const,
      content_available: document.textLength > 0,
      offset,
      returned_length: returned,
      total_length: document.textLength,
      has_more: offset + returned < document.textLength,
      index_status: shownStatus(document),
    };
  },
});
