import type { Circumstances, Grant } from "../../src/domains/identity/authentication/grant.ts";
import { NO_LIMITS } from "../../src/domains/identity/tokens/tokens.ts";
import { APP_URL } from "./identity.ts";

export const NOW = new Date("2026-11-15T12:00:00Z");

/** A grant that passes every check, changed in the parts that a test is about. */
export function grantWith({
  token,
  owner,
}: {
  token?: Partial<Grant["token"]>;
  owner?: Partial<Grant["owner"]>;
} = {}): Grant {
  return {
    token: {
      id: 1,
      kind: "api",
      scopes: null,
      limits: NO_LIMITS,
      expiresAt: new Date(NOW.getTime() + 60_000),
      revokedAt: null,
      audience: null,
      ...token,
    },
    owner: {
      account: { id: 2, email: "ada@acme.test", name: "Ada", disabledAt: null },
      workspace: { id: 3, slug: "acme", plan: "self-hosted" },
      membership: { role: "admin", attributes: {}, groups: [] },
      ...owner,
    },
  };
}

export function circumstancesWith(
  proof: Partial<Circumstances["proof"]> = {},
  now: Date = NOW,
): Circumstances {
  return { proof: { surface: "all", resource: `${APP_URL}/mcp`, ...proof }, now, appUrl: APP_URL };
}
