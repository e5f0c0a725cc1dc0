import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, keyArgument } from "../define.ts";
import { chosenName } from "../file-kinds.ts";

/** Folders come into being with the documents in them; this is how they change and go. */
export const changeFolder = defineTool({
  name: "change_folder",
  toolset: "library",
  title: "Change folder",
  description:
    "Renames or moves a folder of a knowledge base, deletes it with all documents in it (confirm first), or brings it back with them within 30 days.",
  permission: "knowledge:write",
  effect: "destroy",
  within: ["knowledgeBases"],
  input: z.strictObject({
    knowledge_base_id: keyArgument("knowledge_base_id"),
    folder_id: keyArgument("folder_id"),
    name: z.string().max(1_000).optional(),
    parent: z
      .string()
      .max(4_096)
      .optional()
      .describe("Path of the folder to move it into; empty for the root"),
    delete: z.boolean().default(false),
    restore: z.boolean().default(false).describe("Bring back a deleted folder"),
    confirm: z.boolean().default(false).describe("Must be true to delete"),
  }),
  output: z.object({
    folder_id: z.int(),
    path: z.string(),
    deleted_documents: z.int(),
    restored_documents: z.int(),
  }),

  async run(args, { knowledge, folders, caller }) {
    const { id: baseId } = await knowledge.requireBase(caller, args.knowledge_base_id, "write");
    const told = async (id: number) => ({
      folder_id: id,
      path: (await folders.pathOf(baseId, id)).join("/"),
      deleted_documents: 0,
      restored_documents: 0,
    });
    if (args.restore) {
      const back = await folders.restore(baseId, args.folder_id);
      if (back === undefined)
        throw new AppError("not_found", "There is no deleted folder with that id here.");
      await knowledge.refresh(caller, back);
      return { ...(await told(args.folder_id)), restored_documents: back.length };
    }
    const folder = await knowledge.requireFolder(baseId, args.folder_id);
    if (args.delete) {
      if (!args.confirm)
        throw new AppError("bad_request", "confirm must be true.", {
          hint: "Ask the person first, then call again.",
        });
      const gone = await folders.remove(folder);
      await knowledge.refresh(caller, gone);
      return { ...(await told(folder.id)), path: "", deleted_documents: gone.length };
    }
    await folders.change(folder, {
      ...(args.name !== undefined && { name: chosenName(args.name, "folder") }),
      ...(args.parent !== undefined && {
        parentId: await folders.ensurePath(baseId, knowledge.folderNames(args.parent), caller.user.id),
      }),
    });
    return told(folder.id);
  },
});
