import { z } from "zod";
import { defineTool } from "../define.ts";

/** Lets admins take somebody out of the workspace. */
export const removeMember = defineTool({
  name: "remove_member",
  toolset: "admin",
  title: "Remove a member",
  description:
    "Takes a member out of this workspace, with their tokens and connected apps for it, or takes an invitation back. Their account, and what they made for others, stays.",
  permission: "admin",
  effect: "destroy",
  input: z.strictObject({ email: z.string().max(320) }),
  output: z.object({ email: z.string(), removed: z.enum(["member", "invitation"]) }),

  async run({ email }, { membership, caller }) {
    const by = { userId: caller.user.id };
    const removed = await membership.remove({ workspaceId: caller.workspace.id, email, by });
    return { email: email.trim().toLowerCase(), removed };
  },
});
