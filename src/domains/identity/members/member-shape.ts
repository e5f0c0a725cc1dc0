import { z } from "zod";
import { ROLES } from "../../../kernel/permissions.ts";
import type { Invitation, Member } from "../identity.ts";

const common = {
  email: z.string(),
  role: z.enum(ROLES),
  groups: z.array(z.string()),
  attributes: z.record(z.string(), z.string()),
};

/** A member as the tools for admins tell of one. */
export const memberShape = z.object({
  user_id: z.int(),
  name: z.string(),
  ...common,
  disabled: z.boolean(),
  since: z.string(),
});

export const invitationShape = z.object({ ...common, invited_at: z.string(), expires_at: z.string() });

export function shownMember(member: Member & { groups: string[] }): z.output<typeof memberShape> {
  const { userId, name, email, role, groups, attributes, disabled, createdAt } = member;
  const shared = { email, role, groups: [...groups], attributes: { ...attributes } };
  return { user_id: userId, name, ...shared, disabled, since: createdAt.toISOString() };
}

export function shownInvitation(invitation: Invitation): z.output<typeof invitationShape> {
  const { email, role, groups, attributes, createdAt, expiresAt } = invitation;
  return {
    ...{ email, role, groups: [...groups], attributes: { ...attributes } },
    invited_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
