import { z } from "zod";
import { defineTool } from "../define.ts";
import { IMPROVEMENT_STATES } from "../models.tables.ts";

/** What waits for whoever looks after the models. */
export const listImprovementRequests = defineTool({
  name: "list_improvement_requests",
  toolset: "admin",
  title: "List improvement requests",
  description: "What people and their clients asked to be improved in the semantic models, the newest first.",
  permission: "admin",
  effect: "read",
  within: ["models"],
  input: z.strictObject({
    state: z.enum(["all", ...IMPROVEMENT_STATES]).default("open"),
    limit: z.int().min(1).max(200).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    total: z.int(),
    requests: z.array(
      z.object({
        id: z.int(),
        model: z.string(),
        title: z.string(),
        description: z.string(),
        state: z.enum(IMPROVEMENT_STATES),
        resolution: z.string().nullable(),
        requested_by: z.string(),
        created_at: z.string(),
        closed_at: z.string().nullable(),
      }),
    ),
  }),

  async run({ state, limit, offset }, { improvements, caller }) {
    const filter = { state: state === "all" ? null : state, limit, offset };
    const { total, items } = await improvements.list(caller, filter);
    return {
      total,
      requests: items.map(({ requestedBy, createdAt, closedAt, ...rest }) => ({
        ...rest,
        requested_by: requestedBy,
        created_at: createdAt.toISOString(),
        closed_at: closedAt?.toISOString() ?? null,
      })),
    };
  },
});
