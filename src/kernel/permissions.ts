/** A permission is `<area>:<verb>`; OAuth scopes are the same words. */
export const AREAS = ["data_agent", "ontologies", "bi", "memory", "knowledge"] as const;
export type Area = (typeof AREAS)[number];
export type Permission = `${Area}:${"read" | "write"}` | "admin";

export const PERMISSIONS: readonly Permission[] = [
  ...AREAS.flatMap((area): Permission[] => [`${area}:read`, `${area}:write`]),
  "admin",
];

export const ROLES = ["admin", "contributor", "viewer"] as const;
export type Role = (typeof ROLES)[number];

const READS = PERMISSIONS.filter((permission) => permission.endsWith(":read"));

export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: READS,
  contributor: PERMISSIONS.filter((permission) => permission !== "admin"),
  admin: PERMISSIONS,
};

/** knowmind's words for the permissions of a memory token. */
const SCOPE_ALIASES: Readonly<Record<string, readonly Permission[]>> = {
  read: ["memory:read"],
  write: ["memory:read", "memory:write"],
};

export function isPermission(word: string): word is Permission {
  return (PERMISSIONS as readonly string[]).includes(word);
}

/** The permissions that a list of scope words stands for; words that mean nothing come back as `unknown`. */
export function parseScopes(words: readonly string[]): { permissions: Permission[]; unknown: string[] } {
  const permissions = new Set<Permission>();
  const unknown: string[] = [];
  for (const word of words) {
    const alias = Object.hasOwn(SCOPE_ALIASES, word) ? SCOPE_ALIASES[word] : undefined;
    const meant = isPermission(word) ? [word] : alias;
    if (meant === undefined) unknown.push(word);
    for (const permission of meant ?? []) permissions.add(permission);
  }
  return { permissions: [...permissions], unknown };
}
