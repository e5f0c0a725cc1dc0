import type { Permission } from "../kernel/permissions.ts";
import type { Caller, CallMeta } from "./caller.ts";

/** What the call path needs from others. Identity implements these three. */

/** Permissions that are missing, by whose fault: the owner's role, or the token (its scopes or limits). */
export interface MissingPermissions {
  role: readonly Permission[];
  scope: readonly Permission[];
  limit: readonly Permission[];
}

export interface Authorizer {
  missing(caller: Caller, required: readonly Permission[]): MissingPermissions;
}

export type OperationKind = "tool" | "resource" | "prompt" | "completion" | "listing" | "subscription";

export interface Limiter {
  /** Throws AppError `rate_limited` (with `data.retryAfterMs`) when the caller has used up a window. */
  take(operation: { kind: OperationKind; name: string }, caller: Caller, meta: CallMeta): Promise<void>;
}

/** Counts what a plan limits. */
export interface Meter {
  /** Throws AppError `plan_limit` when the plan of the workspace has no room for it. */
  take(workspaceId: number, metric: string): Promise<void>;
  giveBack(workspaceId: number, metric: string): Promise<void>;
}

export interface AuditEvent {
  action: string;
  workspaceId: number | null;
  userId: number | null;
  resourceType: string | null;
  resourceId: string | null;
  success: boolean;
  /** The error code when it did not succeed. */
  outcome: string;
  durationMs: number;
  /** The address that it came from. */
  address?: string | undefined;
  tokenId?: number | undefined;
  applicationId?: string | undefined;
  /** Ids of the datasets whose rows were read or changed. */
  datasets?: readonly number[];
  metadata: Readonly<Record<string, unknown>>;
}

export interface AuditSink {
  /** Takes the event without waiting for the database; none is lost on a normal stop. */
  record(event: AuditEvent): void;
  /** Resolves at once unless many events wait to be written; then when there is room, but soon in any case. */
  room(): Promise<void>;
}
