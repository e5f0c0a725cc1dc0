import { AppError } from "../../../kernel/errors.ts";
import { PERMISSIONS, type Permission, parseScopes } from "../../../kernel/permissions.ts";
import type { TokenKind } from "../../../registry/caller.ts";
import { TOKEN_RULES } from "./token-kinds.ts";

/**
 * The scopes that a new token is stored with.
 *
 * A scope beyond the owner's present role is stored all the same: it has no effect (a token's power is
 * role ∩ scopes ∩ limits at each use) and begins to work when the role is raised. A word that means
 * nothing, or nothing for this kind of token, is refused: it would be a promise that is never kept.
 */
export function scopesFor(kind: TokenKind, words: readonly string[] | undefined): Permission[] | null {
  const { ceiling, defaultScopes } = TOKEN_RULES[kind];
  if (words === undefined) return defaultScopes === null ? null : [...defaultScopes];
  if (words.length === 0) {
    throw new AppError("bad_request", "A token without any scope could do nothing.", {
      hint: `Leave the scopes out for the usual ones, or name some of: ${ceiling.join(", ")}.`,
    });
  }
  const { permissions, unknown } = parseScopes(words.map((word) => meaningFor(kind, word)));
  if (unknown.length > 0) {
    throw new AppError("bad_request", `Unknown scope: ${unknown.slice(0, 5).map(quoted).join(", ")}.`, {
      hint: `Known are: ${PERMISSIONS.join(", ")}, and for memory tokens read, write, admin.`,
    });
  }
  const beyond = permissions.filter((permission) => !ceiling.includes(permission));
  if (beyond.length > 0) {
    throw new AppError("bad_request", `A ${kind} token cannot have the scope ${beyond.join(", ")}.`, {
      hint: `It can have: ${ceiling.join(", ")}. For more, make a token of kind api.`,
    });
  }
  return permissions;
}

/**
 * In the memory contract `admin` stands above `write`; none of its tools needs more than that. A memory
 * token is confined to memories, so there the word means all it can have, never the permission `admin`.
 */
function meaningFor(kind: TokenKind, word: string): string {
  return kind === "memory" && word === "admin" ? "write" : word;
}

function quoted(word: string): string {
  return JSON.stringify(word.slice(0, 40));
}
