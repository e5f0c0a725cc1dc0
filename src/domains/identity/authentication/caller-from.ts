import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from "../../../kernel/permissions.ts";
import type { Caller, TokenLimits } from "../../../registry/caller.ts";
import { TOKEN_RULES } from "../tokens/token-kinds.ts";
import { limitsInForce } from "../tokens/token-limits.ts";
import type { Grant } from "./grant.ts";

/** The caller that a grant stands for: its power is role ∩ scopes ∩ limits. Only for grants that passed all checks. */
export function callerFrom({ token, owner }: Grant): Caller {
  if (owner.membership === null) throw new TypeError("a caller must be a member of its workspace");
  const { role, groups, attributes } = owner.membership;
  const { ceiling } = TOKEN_RULES[token.kind];
  const limits = limitsInForce(token.kind, token.limits);
  const rolePermissions = ROLE_PERMISSIONS[role];
  const scopes = (token.scopes ?? PERMISSIONS).filter((permission) => ceiling.includes(permission));
  const permissions = rolePermissions.filter(
    (permission) => scopes.includes(permission) && !isWithheld(permission, limits),
  );
  // Frozen, because one caller is handed to every request that a token makes.
  return Object.freeze({
    workspace: Object.freeze({ id: owner.workspace.id, slug: owner.workspace.slug }),
    user: Object.freeze({ id: owner.account.id, email: owner.account.email, name: owner.account.name }),
    role,
    groups,
    attributes,
    rolePermissions,
    scopes,
    permissions,
    token: Object.freeze({
      id: token.id,
      kind: token.kind,
      limits,
      ...(token.application !== undefined && { application: token.application }),
    }),
  });
}

/** A token for some semantic models reaches rows through them alone, and not through the datasets below. */
function isWithheld(permission: Permission, { readOnly, models }: TokenLimits): boolean {
  if (readOnly && !permission.endsWith(":read")) return true;
  return models !== null && permission.startsWith("bi:");
}
