import { z } from "zod";
import { defineTool } from "../define.ts";

/** Which links there are; their secrets are known to nobody. */
export const listEmbeds = defineTool({
  name: "list_embeds",
  toolset: "dashboards",
  title: "List embeds",
  description:
    "The embed links of this workspace that work: what each shows, until when, and when it was last used. Admins see all, others their own.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({ limit: z.int().min(1).max(200).default(50) }),
  output: z.object({
    embeds: z.array(
      z.object({
        embed_id: z.int(),
        dashboard_id: z.int().nullable(),
        widget_id: z.int().nullable(),
        created_at: z.string(),
        expires_at: z.string().nullable(),
        last_used_at: z.string().nullable(),
        attributes: z.record(z.string(), z.string()).nullable(),
        origins: z.array(z.string()),
      }),
    ),
  }),

  async run({ limit }, { embeds, caller }) {
    const userId = caller.permissions.includes("admin") ? undefined : caller.user.id;
    const items = await embeds.store.list(caller.workspace.id, { limit, userId });
    return {
      embeds: items.map((embed) => ({
        embed_id: embed.id,
        dashboard_id: embed.dashboardId,
        widget_id: embed.widgetId,
        created_at: embed.createdAt.toISOString(),
        expires_at: embed.expiresAt?.toISOString() ?? null,
        last_used_at: embed.lastUsedAt?.toISOString() ?? null,
        attributes: embed.attributes as Record<string, string> | null,
        origins: embed.origins,
      })),
    };
  },
});
