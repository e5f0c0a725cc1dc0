import { buffer } from "node:stream/consumers";
import { AppError } from "../../kernel/errors.ts";
import { defineResource } from "./define.ts";

/** A file of export_data that was too large for its answer, for whoever asked for it. */
export const exportResource = defineResource({
  uri: { all: "kenning://exports/{ticket}" },
  name: "export",
  title: "Exported file",
  description: "A file that export_data made for you, for 15 minutes.",
  mimeType: "application/octet-stream",
  permission: "bi:read",
  toolset: "data",

  async read({ ticket = "" }, { exports, caller }) {
    const file = exports.open(ticket);
    const { workspaceId, userId } = file.owner;
    if (workspaceId !== caller.workspace.id || userId !== caller.user.id)
      throw new AppError("not_found", "There is no such file, or not any more.");
    const content = await buffer(await exports.content(file));
    return isText(file.mimeType)
      ? { mimeType: file.mimeType, text: content.toString("utf8") }
      : { mimeType: file.mimeType, blob: content.toString("base64") };
  },
});

function isText(mimeType: string): boolean {
  return /^text\/|^application\/json\b/.test(mimeType);
}
