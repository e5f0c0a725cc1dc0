import type { AuditEvent } from "../../../registry/ports.ts";
import type { Actor } from "../identity.ts";

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
