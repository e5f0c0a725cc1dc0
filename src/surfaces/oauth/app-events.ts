import type { AuditEvent } from "../../registry/ports.ts";

/** What happens to a connected app, for the audit log. */
export function appEvent(
  action: "oauth.app_connected" | "oauth.app_ended",
  app: { workspaceId: number; accountId: number; clientId: string },
  metadata: Record<string, unknown>,
): AuditEvent {
  return {
    action,
    workspaceId: app.workspaceId,
    userId: app.accountId,
    resourceType: "oauth_client",
    resourceId: app.clientId.slice(0, 200),
    success: true,
    outcome: "ok",
    durationMs: 0,
    metadata,
  };
}
