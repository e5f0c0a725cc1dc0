import { createHash } from "node:crypto";
import type { Permission, Role } from "../kernel/permissions.ts";
import { changesSomething, type Effect, type Toolset } from "./define-tool.ts";

/** How a caller proved who it is. */
export const TOKEN_KINDS = ["api", "mcp", "memory", "knowledge", "bearer", "oauth", "operator"] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** What a token may do at most, whatever its owner may. `null` means "no such limit". */
export interface TokenLimits {
  readOnly: boolean;
  toolsets: readonly string[] | null;
  models: readonly string[] | null;
  knowledgeBases: readonly number[] | null;
}

/**
 * Who is calling, with what power. Plain data, so that a job can carry it: the power is recomputed
 * by `callerFor` when the job runs, never trusted from the queue.
 */
export interface Caller {
  workspace: { id: number; slug: string };
  user: { id: number; email: string; name: string };
  role: Role;
  groups: readonly number[];
  attributes: Readonly<Record<string, string>>;
  /** Of whoever sees an embed of the caller's: policies hold for a viewer with these as well as for the caller. */
  viewerAttributes?: Readonly<Record<string, string>>;
  /**
   * The caller's rights stand in for those of whoever sees the result: readers of a report, viewers of an embed. What
   * others changed since then (ever, for null) is shown only as far as they may see it as well.
   */
  standsIn?: { since: Date | null };
  /** Whose policies hold as well as the caller's own; null for somebody who has left, and may see nothing. */
  boundBy?: readonly (Bound | null)[];
  /** Everything the owner's role allows in this workspace. */
  rolePermissions: readonly Permission[];
  /** The scopes of the token (everything, for a token without scopes of its own). */
  scopes: readonly Permission[];
  /** Role ∩ scopes ∩ limits: what this call may really do. */
  permissions: readonly Permission[];
  token: {
    /** 0 when the token is not in our table, as those of applications are not. */
    id: number;
    kind: TokenKind;
    limits: TokenLimits;
    application?: Application | undefined;
  };
}

/** The part of a caller that policies look at. */
export type Bound = Pick<Caller, "role" | "groups" | "attributes">;

/** An application that a person connected by OAuth. */
export interface Application {
  id: string;
  /** As it calls itself. */
  name: string;
}

/** By what the thread of a conversation is kept: it ends with its session, whatever the next one is called. */
export function sessionKey({ surface, sessionId, sessionEpoch }: CallMeta): string | null {
  if (sessionId === null) return null;
  // Clients choose the names of their sessions, of any length.
  const text = [surface, sessionId, sessionEpoch].filter((part) => part !== undefined).join(" ");
  return createHash("sha256").update(text).digest("base64url");
}

/** Circumstances of one call that are not power: for audit, limits and logs. */
export interface CallMeta {
  surface: SurfaceName;
  requestId: string;
  address: string;
  tokenHash: string;
  sessionId: string | null;
  /** Tells a session from an earlier one of the same name, where its client chose the name. */
  sessionEpoch?: string;
  /** The thread of questions that a page keeps this one in, by its id. */
  thread?: string;
  /** The path of the endpoint that was called, where it was called by HTTP. */
  path?: string;
  client: { name: string; version: string };
}

export const SURFACES = ["bi", "agent", "memory", "models", "knowledge", "all"] as const;
export type SurfaceName = (typeof SURFACES)[number];

/** Which token an audit event is about. */
export function tokenFacts({ token: { id, application } }: Caller): {
  tokenId: number;
  applicationId?: string;
} {
  return { tokenId: id, ...(application && { applicationId: application.id }) };
}

/** What the application calls itself, for whoever reads the event. */
export function applicationFacts({ token: { application } }: Caller): Record<string, unknown> {
  return application === undefined ? {} : { applicationName: application.name };
}

/** The limits by which a token names the things that it is for. */
export type NamedLimit = Exclude<keyof TokenLimits, "readOnly" | "toolsets">;

/** What an operation says of itself so that the limits of tokens hold on it. What it does not say counts against it. */
export interface Bounds {
  effect: Effect;
  toolset: Toolset | undefined;
  /**
   * The sorts of named things that it reaches, each only as far as the token names them: `[]` reaches none of any
   * sort. Left out, it keeps to no names, and no token with names can call it.
   */
  within: readonly NamedLimit[] | undefined;
}

const THINGS: Record<NamedLimit, string> = { models: "semantic models", knowledgeBases: "knowledge bases" };

/** Why the limits of the caller's token forbid an operation, as the end of a sentence; undefined when they do not. */
export function limitPassed({ token }: Pick<Caller, "token">, bounds: Bounds): string | undefined {
  const { readOnly, toolsets, ...names } = token.limits;
  if (readOnly && changesSomething(bounds.effect)) return "changes something, and this token is read-only";
  if (toolsets !== null && (bounds.toolset === undefined || !toolsets.includes(bounds.toolset)))
    return "is in none of the toolsets that this token is for";
  // Every other limit is one of names: one that is added to tokens later holds without a word here.
  const named = (Object.keys(names) as NamedLimit[]).filter((limit) => names[limit] !== null);
  const { within } = bounds;
  if (named.length === 0 || within?.every((limit) => named.includes(limit))) return undefined;
  return `reaches more than the ${named.map((limit) => THINGS[limit]).join(" and ")} that this token is for`;
}
