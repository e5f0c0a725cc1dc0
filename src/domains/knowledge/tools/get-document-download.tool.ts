import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import type { CallMeta } from "../../../registry/caller.ts";
import { ownerOf } from "../../identity/index.ts";
import { defineTool, keyArgument, wordArgument } from "../define.ts";
import { DISPOSITIONS, DOWNLOAD_HEADER } from "../downloads.ts";
import { isPreviewable } from "../file-kinds.ts";
import { LIMITS } from "../limits.ts";

/** Lets a program fetch the original file, without a model reading it. */
export const getDocumentDownload = defineTool({
  name: "download_document",
  toolset: "knowledge",
  wire: { knowledge: "wegent_kb_get_document_download" },
  title: "Download document",
  description:
    "A short-lived credential for the original file: GET resource_url on this server with the returned headers.",
  permission: "knowledge:read",
  effect: "read",
  within: ["knowledgeBases"],
  input: z.strictObject({
    document_id: keyArgument("document_id"),
    disposition: wordArgument("disposition", DISPOSITIONS)
      .default("inline")
      .describe("inline only for what browsers preview"),
  }),
  output: z.object({
    document_id: z.int(),
    node_id: z.string(),
    knowledge_base_id: z.int(),
    resource_url: z.string(),
    headers: z.record(z.string(), z.string()),
    expiration_seconds: z.int(),
    disposition: z.enum(DISPOSITIONS),
    mime_type: z.string(),
    file_name: z.string(),
    file_extension: z.string(),
    file_size: z.int(),
    downloadable: z.boolean(),
    previewable: z.boolean(),
  }),

  async run({ document_id, disposition }, { knowledge, downloads, caller, meta }) {
    const document = await knowledge.requireDocument(caller, document_id);
    const previewable = isPreviewable(document.mimeType);
    if (disposition === "inline" && !previewable)
      throw new AppError("unsupported", "This file cannot be shown inline.", {
        hint: "Ask for it as attachment.",
      });
    (await knowledge.file(document)).destroy();
    const token = downloads.issue({ document: document.id, disposition, owner: ownerOf(caller) });
    return {
      document_id: document.id,
      node_id: `document:${document.id}`,
      knowledge_base_id: document.baseId,
      resource_url: fileUrl(document.id, meta),
      headers: { [DOWNLOAD_HEADER]: token },
      expiration_seconds: LIMITS.knowledge.downloadSeconds,
      disposition,
      mime_type: document.mimeType,
      file_name: document.name,
      file_extension: document.extension,
      file_size: document.bytes,
      downloadable: true,
      previewable,
    };
  },
});

/** Beside the endpoint that was called, which may stand below a prefix; other endpoints have the files elsewhere. */
function fileUrl(id: number, { surface, path = "" }: CallMeta): string {
  const base = surface === "knowledge" ? path.replace(/\/sse$/, "") : "/files";
  return `${base}/documents/${id}/file`;
}
