import { z } from "zod";
import { ownerOf } from "../../identity/index.ts";
import { defineTool, keyArgument } from "../define.ts";
import { documentName } from "../file-kinds.ts";
import { LIMITS } from "../limits.ts";
import { UPLOAD_HEADER } from "../uploads.ts";

/** Lets a program send a file that is too large for a message. */
export const requestUpload = defineTool({
  name: "request_upload",
  toolset: "library",
  title: "Request upload",
  description:
    "A short-lived credential to send one large file: PUT its bytes to upload_url with the returned headers.",
  permission: "knowledge:write",
  effect: "write",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id"),
    file_name: z.string().max(1_000),
    folder: z.string().max(4_096).optional().describe("Path such as reports/2026, made if missing"),
  }),
  output: z.object({
    upload_url: z.string(),
    headers: z.record(z.string(), z.string()),
    expiration_seconds: z.int(),
    max_bytes: z.int(),
  }),

  async run({ knowledge_base_id, file_name, folder = "" }, { knowledge, tickets, caller }) {
    const { id: baseId } = await knowledge.requireBase(caller, knowledge_base_id, "write");
    knowledge.folderNames(folder);
    const ticket = { baseId, folder, name: documentName(file_name), owner: ownerOf(caller) };
    return {
      upload_url: "/files/documents",
      headers: { [UPLOAD_HEADER]: tickets.issue(ticket) },
      expiration_seconds: LIMITS.knowledge.uploadSeconds,
      max_bytes: LIMITS.knowledge.documentBytes,
    };
  },
});
