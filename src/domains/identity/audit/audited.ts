import { isAppError } from "../../../kernel/errors.ts";
import { type Caller, tokenFacts } from "../../../registry/caller.ts";
import type { AuditEvent, AuditSink } from "../../../registry/ports.ts";
import type { Actor } from "../identity.ts";

/** What somebody looks at or takes away beside the call path. */
interface Access extends Pick<AuditEvent, "action" | "resourceType" | "resourceId" | "address" | "metadata"> {
  caller: Caller;
  /** Nobody is known by name: whoever has the link, with the rights of the caller. */
  isAnonymous?: boolean;
}

/** Does it, and writes down that it was done or refused, and how long it took. */
export async function audited<T>(
  audit: Pick<AuditSink, "record">,
  { caller, isAnonymous = false, ...access }: Access,
  work: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  const record = (outcome: string) =>
    audit.record({
      ...access,
      workspaceId: caller.workspace.id,
      userId: isAnonymous ? null : caller.user.id,
      ...(!isAnonymous && tokenFacts(caller)),
      success: outcome === "ok",
      outcome,
      durationMs: performance.now() - started,
    });
  try {
    const done = await work();
    record("ok");
    return done;
  } catch (error) {
    record(isAppError(error) ? error.code : "internal");
    throw error;
  }
}

/** The record of a change to identity that succeeded: who did it to what. */
export function changeEvent(
  action: string,
  by: Actor,
  what: Pick<AuditEvent, "workspaceId" | "resourceType" | "resourceId"> & {
    metadata?: Record<string, unknown>;
  },
): AuditEvent {
  const { metadata = {}, ...resource } = what;
  const outcome = { success: true, outcome: "ok", durationMs: 0 };
  const base = { action, ...resource, ...outcome };
  if (by === "operator") return { ...base, userId: null, metadata: { ...metadata, by } };
  return { ...base, userId: by.userId, metadata };
}
