import { z } from "zod";
import { defineTool } from "../define.ts";
import { invitationShape, memberShape, shownInvitation, shownMember } from "../members/member-shape.ts";

/** Shows admins who belongs to the workspace. */
export const listMembers = defineTool({
  name: "list_members",
  toolset: "admin",
  title: "List members",
  description:
    "The members of this workspace with role, groups and attributes (which policies of datasets look at), who is invited and has not come yet, and all groups.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    members: z.array(memberShape),
    invitations: z.array(invitationShape),
    groups: z.array(z.string()),
  }),

  async run(_input, { membership, caller }) {
    const { members, invitations, groups } = await membership.list(caller.workspace.id);
    return { members: members.map(shownMember), invitations: invitations.map(shownInvitation), groups };
  },
});
