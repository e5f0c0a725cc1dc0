import { z } from "zod";
import { defineTool, keyArgument } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { isUnfinished } from "../reading.job.ts";

const FORMATS = "PDF, Word, Excel, PowerPoint, OpenDocument, HTML, e-mail, images, CSV, Markdown or text";
const fileUrl = z.string().max(4_096).optional().describe("URL to download the document from (http/https)");
const content = z
  .string()
  .optional()
  .describe("Raw text for text, CSV and Markdown; base64 for binary formats");

/** Puts a file into a knowledge base, where it is read, split and indexed. */
export const addDocument = defineTool({
  name: "add_document",
  toolset: "knowledge",
  wire: {
    bi: {
      name: "knowi_ingest_document",
      description:
        "Ingest a document (PDF, Word, CSV, Excel, images, or text) for Q&A and data extraction. Documents are chunked, embedded, and stored for semantic search. One of fileUrl or content is required.",
      input: z.strictObject({
        fileUrl,
        content,
        fileName: z
          .string()
          .max(1_000)
          .optional()
          .describe("File name with extension, such as report.pdf. Required with inline content."),
      }),
      adapt: (args: { fileUrl?: string; content?: string; fileName?: string }) => ({
        file_url: args.fileUrl,
        content: args.content,
        file_name: args.fileName,
      }),
    },
  },
  title: "Add document",
  description: `Adds a document (${FORMATS}) and makes it searchable. The same name in the same folder becomes a new version.`,
  permission: "knowledge:write",
  effect: "write",
  within: ["knowledgeBases"],
  timeoutMs: LIMITS.knowledge.readMs,
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id").optional().describe("Default: the base Documents"),
    folder: z.string().max(4_096).optional().describe("Path such as reports/2026, made if missing"),
    file_name: z.string().max(1_000).optional().describe("With its ending; required with content"),
    content,
    file_url: fileUrl,
  }),
  output: z.object({
    document_id: z.int(),
    knowledge_base_id: z.int(),
    name: z.string(),
    version: z.int(),
    outcome: z.enum(["new", "version", "same"]),
    index_status: z.string(),
    error: z.string().optional(),
    duplicate_of: z.int().optional().describe("Another document with the same bytes"),
    notes: z.array(z.string()),
  }),

  async run(args, { knowledge, uploads, readings, folders, caller, signal, client }) {
    const base =
      args.knowledge_base_id === undefined
        ? await knowledge.requireDefaultBase(caller)
        : await knowledge.requireBase(caller, args.knowledge_base_id, "write");
    const names = knowledge.folderNames(args.folder ?? "");
    const folderId = await folders.ensurePath(base.id, names, caller.user.id);
    const upload = {
      baseId: base.id,
      folderId,
      content: args.content,
      fileUrl: args.file_url,
      fileName: args.file_name,
    };
    const added = await uploads.add(caller, upload, {
      signal,
      onProgress: (fraction) => client.progress(fraction ?? 0, { total: 1, message: "fetching" }),
    });
    const document = await readings.waitFor(added.document, LIMITS.knowledge.waitMs, signal);
    const pending = isUnfinished(document)
      ? ["It is still being read; its index_status will say when it is searchable."]
      : [];
    return {
      document_id: document.id,
      knowledge_base_id: base.id,
      name: document.name,
      version: document.version,
      outcome: added.outcome,
      index_status: document.indexStatus,
      ...(document.indexError !== null && { error: document.indexError }),
      ...(added.duplicateOf !== undefined && { duplicate_of: added.duplicateOf }),
      notes: [added.note ?? [], document.notes, pending].flat(),
    };
  },
});
