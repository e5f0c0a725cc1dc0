import { z } from "zod";
import { defineTool } from "../define.ts";

/** Shows admins who did what. */
export const listAuditEvents = defineTool({
  name: "list_audit_events",
  toolset: "admin",
  title: "List audit events",
  description:
    "Who called what in this workspace, newest first: tool calls, resource reads, sessions, sign-ins and denials. Page on with before = next_before.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({
    action: z.string().max(100).optional().describe("Only this action, e.g. mcp.tool.call"),
    user_id: z.int().optional().describe("Only this user"),
    success: z.boolean().optional().describe("true: only what succeeded; false: only failures and denials"),
    since: z.iso.datetime({ offset: true }).optional().describe("Only events from this time on (ISO 8601)"),
    before: z.int().optional().describe("Only events older than the one with this id"),
    limit: z.int().min(1).max(500).default(50).describe("How many to return"),
  }),
  output: z.object({
    events: z.array(
      z.object({
        id: z.number(),
        at: z.string(),
        action: z.string(),
        user: z.string().nullable(),
        resource_type: z.string().nullable(),
        resource_id: z.string().nullable(),
        success: z.boolean(),
        outcome: z.string(),
        duration_ms: z.number(),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
    next_before: z.number().nullable(),
  }),

  async run({ user_id, since, ...filter }, { audit, caller }) {
    const page = await audit.list(caller.workspace.id, {
      limit: filter.limit,
      ...(filter.action !== undefined && { action: filter.action }),
      ...(filter.success !== undefined && { success: filter.success }),
      ...(filter.before !== undefined && { before: filter.before }),
      ...(user_id !== undefined && { userId: user_id }),
      ...(since !== undefined && { since: new Date(since) }),
    });
    const events = page.events.map((event) => ({
      id: event.id,
      at: event.at.toISOString(),
      action: event.action,
      user: event.email,
      resource_type: event.resourceType,
      resource_id: event.resourceId,
      success: event.success,
      outcome: event.outcome,
      duration_ms: event.durationMs,
      metadata: event.metadata,
    }));
    return { events, next_before: page.nextBefore };
  },
});
