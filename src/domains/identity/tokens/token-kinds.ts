import { PERMISSIONS, type Permission } from "../../../kernel/permissions.ts";
import { MS } from "../../../kernel/time.ts";
import { SURFACES, type SurfaceName, type TokenKind } from "../../../registry/caller.ts";

export interface TokenKindRules {
  /** Beginning of the token's text, before 43 random characters; null for kinds that are not kept in our table. */
  prefix: string | null;
  /** Endpoints that accept it. */
  surfaces: readonly SurfaceName[];
  /** What a token of this kind can be given at most, whatever its owner may. */
  ceiling: readonly Permission[];
  /** Scopes when none are asked for; null means everything that the owner's role allows, now and later. */
  defaultScopes: readonly Permission[] | null;
  /** Toolsets that it sees on `/mcp`; null means all. */
  toolsets: readonly string[] | null;
  lifetime: { defaultMs: number; minMs: number; maxMs: number };
}

const YEAR = 365 * MS.day;
const MEMORY: readonly Permission[] = ["memory:read", "memory:write"];
const KNOWLEDGE: readonly Permission[] = ["knowledge:read", "knowledge:write"];

const EVERYWHERE = { surfaces: SURFACES, ceiling: PERMISSIONS, defaultScopes: null, toolsets: null } as const;

/** Which token is good for what: the whole matrix, as data. */
export const TOKEN_RULES: Readonly<Record<TokenKind, TokenKindRules>> = {
  api: {
    ...EVERYWHERE,
    prefix: "kapi_",
    lifetime: { defaultMs: 90 * MS.day, minMs: MS.minute, maxMs: YEAR },
  },
  mcp: { ...EVERYWHERE, prefix: "kmcp_", lifetime: { defaultMs: YEAR, minMs: 30 * MS.day, maxMs: YEAR } },
  bearer: { ...EVERYWHERE, prefix: "kbt_", lifetime: { defaultMs: MS.hour, minMs: MS.hour, maxMs: MS.hour } },
  memory: {
    prefix: "kmt_",
    surfaces: ["memory", "all"],
    ceiling: MEMORY,
    defaultScopes: MEMORY,
    toolsets: ["memory", "curation"],
    lifetime: { defaultMs: YEAR, minMs: MS.minute, maxMs: YEAR },
  },
  knowledge: {
    prefix: "wg-",
    surfaces: ["knowledge", "all"],
    ceiling: KNOWLEDGE,
    defaultScopes: KNOWLEDGE,
    toolsets: ["knowledge", "library"],
    lifetime: { defaultMs: YEAR, minMs: MS.minute, maxMs: YEAR },
  },
  // Its audience, not its kind, says where it is good.
  oauth: {
    ...EVERYWHERE,
    prefix: null,
    lifetime: { defaultMs: 15 * MS.minute, minMs: MS.minute, maxMs: YEAR },
  },
  // Commands and jobs on the server itself; never comes in through an endpoint.
  operator: { ...EVERYWHERE, surfaces: [], prefix: null, lifetime: { defaultMs: 0, minMs: 0, maxMs: 0 } },
};
