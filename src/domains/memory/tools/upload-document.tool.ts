import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Remembers a longer text by its sections. */
export const uploadDocument = defineTool({
  name: "upload_document",
  toolset: "memory",
  wire: { memory: "knowmind.upload_document" },
  title: "Upload document",
  description:
    "Remembers a longer text as a document: it is split into sections, each of which can be recalled, linked by HAS_CHUNK.",
  permission: "memory:write",
  effect: "write",
  input: z.strictObject({
    title: z.string().max(LIMITS.memory.titleCharacters).optional().describe("Document title"),
    content: z.string().describe("Full document text; Markdown headings begin sections"),
    source: z.string().max(LIMITS.memory.sourceCharacters).optional().describe("URL or path it is from"),
  }),
  output: z.object({ document_id: z.string(), chunks: z.int(), status: z.literal("indexed") }),

  async run(document, { memory, caller }) {
    const { key, sections } = await memory.upload(caller, document);
    return { document_id: key, chunks: sections, status: "indexed" as const };
  },
});
