import { z } from "zod";
import { defineTool } from "../define.ts";

/** Shows admins who did what. */
export const listAuditEvents = defineTool({
  name: "list_audit_events",
  toolset: "admin",
  title: "List audit events",
  description: "Who called what in this workspace, newest first. Page on with before = next_before.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({
    action: z.string().max(100).optional().describe("Such as mcp.tool.call, auth.sign_in"),
    user_id: z.int().optional(),
    success: z.boolean().optional().describe("false: failures and denials"),
    token_id: z.int().optional(),
    application: z.string().max(500).optional().describe("OAuth client, by id or name"),
    address: z.string().max(100).optional(),
    dataset_id: z.int().optional().describe("What read or changed it"),
    slower_than_ms: z.int().optional(),
    show: z
      .enum(["all", "work", "agents"])
      .default("all")
      .describe("work: without looking around in a browser"),
    since: z.iso.datetime({ offset: true }).optional().describe("ISO 8601"),
    until: z.iso.datetime({ offset: true }).optional(),
    before: z.int().optional().describe("Only events older than the one with this id"),
    limit: z.int().min(1).max(500).default(50),
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
        title: z.string().nullable().describe("Of the tool that was called"),
        effect: z.string().nullable().describe("Of that tool: read, write, destroy or delegate"),
        success: z.boolean(),
        outcome: z.string(),
        duration_ms: z.number(),
        token_id: z.number().nullable(),
        application_id: z.string().nullable(),
        address: z.string().nullable(),
        dataset_ids: z.array(z.number()),
        metadata: z.record(z.string(), z.unknown()),
      }),
    ),
    next_before: z.number().nullable(),
  }),

  async run(
    { user_id, token_id, dataset_id, slower_than_ms, since, until, show, ...filter },
    { audit, caller, allTools },
  ) {
    const tools = new Map(allTools().map(({ name, tool }) => [name, tool] as const));
    const reading = [...tools].flatMap(([name, { effect }]) => (effect === "read" ? [name] : []));
    const page = await audit.list(caller.workspace.id, {
      limit: filter.limit,
      ...(filter.action !== undefined && { action: filter.action }),
      ...(filter.success !== undefined && { success: filter.success }),
      ...(filter.before !== undefined && { before: filter.before }),
      ...(user_id !== undefined && { userId: user_id }),
      ...(filter.application !== undefined && { application: filter.application }),
      ...(filter.address !== undefined && { address: filter.address }),
      ...(token_id !== undefined && { tokenId: token_id }),
      ...(dataset_id !== undefined && { datasetId: dataset_id }),
      ...(slower_than_ms !== undefined && { slowerThanMs: slower_than_ms }),
      ...(show === "agents" && { notInBrowser: null }),
      ...(show === "work" && { notInBrowser: reading }),
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    });
    const events = page.events.map((event) => ({
      id: event.id,
      at: event.at.toISOString(),
      action: event.action,
      user: event.email,
      resource_type: event.resourceType,
      resource_id: event.resourceId,
      title: tools.get(event.resourceId ?? "")?.title ?? null,
      effect: tools.get(event.resourceId ?? "")?.effect ?? null,
      success: event.success,
      outcome: event.outcome,
      duration_ms: event.durationMs,
      token_id: event.tokenId,
      application_id: event.applicationId,
      address: event.address,
      dataset_ids: [...event.datasets],
      metadata: event.metadata,
    }));
    return { events, next_before: page.nextBefore };
  },
});
