import { z } from "zod";
import { ROLES } from "../../../kernel/permissions.ts";
import { defineTool } from "../define.ts";
import { invitationShape, memberShape, shownInvitation, shownMember } from "../members/member-shape.ts";

/** Lets admins invite people and say what they may do. */
export const setMember = defineTool({
  name: "set_member",
  toolset: "admin",
  title: "Invite or change a member",
  description:
    "Changes the role, groups or attributes of a member; what is left out stays. Whoever is no member is invited: give them the link, by which they join with an account of their own. Inviting again makes a new link.",
  permission: "admin",
  effect: "write",
  input: z.strictObject({
    email: z.string().max(320),
    role: z.enum(ROLES).optional().describe("Of an invitation: viewer when left out"),
    groups: z
      .array(z.string().max(200))
      .max(100)
      .optional()
      .describe("All groups they shall be in; new ones are made"),
    attributes: z
      .record(z.string().max(200), z.string().max(1_000).nullable())
      .optional()
      .describe("Those to set; null takes one away"),
  }),
  output: z.object({
    status: z.enum(["changed", "invited"]),
    member: memberShape.optional(),
    invitation: invitationShape.extend({ link: z.string() }).optional(),
  }),

  async run({ email, role, groups, attributes }, { membership, caller, appUrl }) {
    const done = await membership.set({
      workspaceId: caller.workspace.id,
      email,
      ...(role !== undefined && { role }),
      ...(groups !== undefined && { groups }),
      ...(attributes !== undefined && { attributes }),
      by: { userId: caller.user.id },
    });
    if ("member" in done) return { status: "changed" as const, member: shownMember(done.member) };
    const link = `${appUrl}/invitation/${done.secret}`;
    return { status: "invited" as const, invitation: { ...shownInvitation(done.invitation), link } };
  },
});
