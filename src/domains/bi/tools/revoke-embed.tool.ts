import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";

/** Ends a link, at once and for good. */
export const revokeEmbed = defineTool({
  name: "revoke_embed",
  toolset: "dashboards",
  title: "Revoke an embed",
  description: "Ends an embed link for good. Its maker and admins can do so.",
  permission: "bi:write",
  effect: "destroy",
  input: z.strictObject({ embed_id: z.int() }),
  output: z.object({ revoked: z.literal(true), embed_id: z.int() }),

  async run({ embed_id }, { embeds, caller }) {
    const embed = await embeds.store.find(caller.workspace.id, embed_id);
    const isTheirs = embed?.createdBy === caller.user.id || caller.permissions.includes("admin");
    if (embed === undefined || !isTheirs)
      throw new AppError("not_found", `There is no embed ${embed_id} of yours.`, {
        hint: "{tool:list_embeds} shows them.",
      });
    await embeds.store.revoke(embed_id);
    return { revoked: true as const, embed_id };
  },
});
