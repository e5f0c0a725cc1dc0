import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, documentIdArgument, documentKey, keyArgument } from "../define.ts";

const confirm = z.boolean().describe("Must be true to confirm deletion");

/** Takes a document out of its base and out of searches. */
export const deleteDocument = defineTool({
  name: "delete_document",
  toolset: "library",
  wire: {
    bi: {
      name: "knowi_delete_document",
      description: "Delete an ingested document from the vector store. Requires confirmation.",
      input: z.strictObject({
        documentId: documentIdArgument.describe("Document identifier, as listed"),
        confirm,
      }),
      adapt: (args: { documentId: z.infer<typeof documentIdArgument>; confirm: boolean }) => ({
        document_id: documentKey(args.documentId),
        confirm: args.confirm,
      }),
    },
  },
  title: "Delete document",
  description: "Deletes a document; change_document brings it back within 30 days.",
  permission: "knowledge:write",
  effect: "destroy",
  within: ["knowledgeBases"],
  input: z.strictObject({ document_id: keyArgument("document_id"), confirm }),
  output: z.object({ deleted: z.literal(true), document_id: z.int(), message: z.string() }),

  async run({ document_id, confirm }, { knowledge, documents, caller, say }) {
    if (!confirm)
      throw new AppError("bad_request", "confirm must be true.", {
        hint: "Ask the person first, then call again.",
      });
    const document = await knowledge.requireDocument(caller, document_id, "write");
    await documents.setDeleted(document.id, true);
    await knowledge.refresh(caller, [document.id]);
    const undo = say("{tool:change_document} brings it back within 30 days.");
    return { deleted: true as const, document_id, message: `${document.name} is deleted. ${undo}`.trim() };
  },
});
