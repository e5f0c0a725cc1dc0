import type { Authorizer } from "../../../registry/ports.ts";

/** Names each missing permission once, by the first thing that withholds it: role, then scopes, then limits. */
export const authorizer: Authorizer = {
  missing(caller, required) {
    const role = required.filter((permission) => !caller.rolePermissions.includes(permission));
    const granted = required.filter((permission) => !role.includes(permission));
    const scope = granted.filter((permission) => !caller.scopes.includes(permission));
    const limit = granted.filter(
      (permission) => !scope.includes(permission) && !caller.permissions.includes(permission),
    );
    return { role, scope, limit };
  },
};
