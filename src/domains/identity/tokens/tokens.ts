import { createHash } from "node:crypto";
import { AppError } from "../../../kernel/errors.ts";
import { PERMISSIONS, type Permission, parseScopes } from "../../../kernel/permissions.ts";
import { randomText } from "../../../kernel/text.ts";
import { MS } from "../../../kernel/time.ts";
import { SURFACES, type SurfaceName, type TokenKind, type TokenLimits } from "../../../registry/caller.ts";
import { isToolset, TOOLSETS } from "../../../registry/define-tool.ts";
import { LIMITS } from "../limits.ts";

interface TokenKindRules {
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

/** When a token made now ends. Every token ends: a forgotten one must not be good for ever. */
export function expiryFor(kind: TokenKind, now: Date, wantedMs?: number): Date {
  const { defaultMs, minMs, maxMs } = TOKEN_RULES[kind].lifetime;
  const lifeMs = wantedMs ?? defaultMs;
  if (!Number.isFinite(lifeMs) || lifeMs < minMs || lifeMs > maxMs) {
    throw new AppError("bad_request", `A token of kind ${kind} lives for ${span(minMs)} to ${span(maxMs)}.`, {
      hint: `Choose a time in that range, or none for ${span(defaultMs)}.`,
    });
  }
  return new Date(now.getTime() + Math.floor(lifeMs));
}

function span(ms: number): string {
  if (ms === 365 * MS.day) return "1 year";
  if (ms % MS.day === 0) return count(ms / MS.day, "day");
  if (ms % MS.hour === 0) return count(ms / MS.hour, "hour");
  return count(Math.round(ms / MS.minute), "minute");
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? "" : "s"}`;
}

export const NO_LIMITS: TokenLimits = { readOnly: false, toolsets: null, models: null, knowledgeBases: null };

/** The limits that a new token is stored with: checked, in full form, without duplicates. */
export function limitsFor(wanted: Partial<TokenLimits> | undefined): TokenLimits {
  const limits = { ...NO_LIMITS, ...wanted };
  const unknown = limits.toolsets?.find((word) => !isToolset(word));
  if (unknown !== undefined) {
    throw new AppError("bad_request", `Unknown toolset: ${JSON.stringify(unknown.slice(0, 40))}.`, {
      hint: `Known are: ${Object.keys(TOOLSETS).join(", ")}.`,
    });
  }
  const badId = limits.knowledgeBases?.find((id) => !Number.isSafeInteger(id) || id < 1);
  if (badId !== undefined) {
    throw new AppError("bad_request", `${badId} is not the id of a knowledge base.`, {
      hint: "Ids are whole numbers.",
    });
  }
  return {
    readOnly: limits.readOnly === true,
    toolsets: named(limits.toolsets, "toolset"),
    models: named(limits.models, "model"),
    knowledgeBases: named(limits.knowledgeBases, "knowledge base"),
  };
}

function named<T extends string | number>(list: readonly T[] | null, what: string): T[] | null {
  if (list === null) return null;
  const unique = [...new Set(list)];
  const { namesPerTokenLimit, nameCharacters } = LIMITS.identity;
  const tooLong = unique.some((item) => String(item).trim() === "" || String(item).length > nameCharacters);
  if (unique.length === 0 || unique.length > namesPerTokenLimit || tooLong) {
    throw new AppError(
      "bad_request",
      `A token can be limited to 1 to ${namesPerTokenLimit} named ${what}s.`,
      {
        hint: `Leave the ${what}s out to allow all of them.`,
      },
    );
  }
  return unique;
}

/** What a token of this kind is limited to when it is used: its own limits and those of its kind. */
export function limitsInForce(kind: TokenKind, own: TokenLimits): TokenLimits {
  const ofKind = TOKEN_RULES[kind].toolsets;
  if (ofKind === null) return own;
  const toolsets = own.toolsets === null ? ofKind : ofKind.filter((word) => own.toolsets?.includes(word));
  return { ...own, toolsets };
}

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

const SECRET_BYTES = 32;
const HINT_CHARACTERS = 4;

const PREFIXES = Object.values(TOKEN_RULES).flatMap(({ prefix }) => (prefix === null ? [] : [prefix]));
const OWN_TOKEN = new RegExp(`^(?:${PREFIXES.join("|")})[A-Za-z0-9_-]{43}$`);

interface NewTokenText {
  token: string;
  hash: string;
  hintText: string;
}

export function newTokenText(kind: TokenKind): NewTokenText {
  const { prefix } = TOKEN_RULES[kind];
  if (prefix === null) throw new TypeError(`tokens of kind ${kind} are not made here`);
  const token = prefix + randomText(SECRET_BYTES);
  return { token, hash: hashOf(token), hintText: `${token.slice(0, prefix.length + HINT_CHARACTERS)}…` };
}

/** True if a text has the form of a token that we make: what has not need not be looked up. */
export function isOwnToken(text: string): boolean {
  return OWN_TOKEN.test(text);
}

export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
