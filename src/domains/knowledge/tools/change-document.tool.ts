import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, keyArgument } from "../define.ts";
import { documentName, extensionOf } from "../file-kinds.ts";
import { shownStatus } from "../nodes.ts";

/** Everything about a document but its file. */
export const changeDocument = defineTool({
  name: "change_document",
  toolset: "library",
  title: "Change document",
  description:
    "Renames or moves a document, takes it into searches or out of them (active), reads its file again, or brings a deleted one back.",
  permission: "knowledge:write",
  effect: "write",
  within: ["knowledgeBases"],
  input: z.strictObject({
    document_id: keyArgument("document_id"),
    name: z.string().max(1_000).optional(),
    folder: z
      .string()
      .max(4_096)
      .optional()
      .describe("Path such as reports/2026, made if missing; empty for the root"),
    active: z.boolean().optional(),
    reread: z.boolean().optional(),
    restore: z.boolean().optional(),
  }),
  output: z.object({
    document_id: z.int(),
    name: z.string(),
    folder: z.string(),
    active: z.boolean(),
    index_status: z.string(),
    former_versions: z.array(z.object({ version: z.int(), bytes: z.int(), replaced_at: z.string() })),
  }),

  async run(args, { knowledge, documents, folders, readings, caller }) {
    const { document_id: id, name, folder, active } = args;
    if (args.restore === true) await restore(id);
    const document = await knowledge.requireDocument(caller, id, "write");
    const given = name === undefined ? undefined : documentName(name);
    const change = {
      ...(given !== undefined && { name: given, extension: extensionOf(given) }),
      ...(folder !== undefined && {
        folderId: await folders.ensurePath(document.baseId, knowledge.folderNames(folder), caller.user.id),
      }),
      ...(active !== undefined && { isActive: active }),
    };
    if (Object.keys(change).length > 0) await documents.change(id, change);
    if (args.reread === true) {
      await readings.wake();
      await documents.requeue(id, readings.enqueue);
    }
    await knowledge.refresh(caller, [id]);
    const now = await knowledge.requireDocument(caller, id);
    return {
      document_id: id,
      name: now.name,
      folder: (await folders.pathOf(now.baseId, now.folderId)).join("/"),
      active: now.isActive,
      index_status: shownStatus(now),
      former_versions: (await documents.versionsOf(id)).map(({ version, bytes, replacedAt }) => ({
        version,
        bytes,
        replaced_at: replacedAt.toISOString(),
      })),
    };

    async function restore(key: number): Promise<void> {
      const found = await documents.locate(caller, key, { isDeleted: true });
      if (found === undefined || !found.isReadable || !found.mayEdit)
        throw new AppError("not_found", "There is no such deleted document.");
      await documents.setDeleted(key, false);
    }
  },
});
