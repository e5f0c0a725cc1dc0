import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

const { dashboards: most } = LIMITS.bi;

/** What there is to look at. */
export const listDashboards = defineTool({
  name: "list_dashboards",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_list_dashboards",
      description: "List all dashboards accessible to the authenticated user. No required parameters.",
      input: z.strictObject({}),
      adapt: () => ({ limit: most }),
    },
  },
  title: "List dashboards",
  description: "The dashboards that you may see, with their addresses and numbers of widgets.",
  permission: "bi:read",
  effect: "read",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a name"),
    limit: z.int().min(1).max(most).default(100),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({
    message: z.string(),
    total: z.int(),
    dashboards: z.array(
      z.object({
        id: z.int(),
        name: z.string(),
        description: z.string().nullable(),
        widget_count: z.int(),
        url: z.string(),
        changed_at: z.string(),
        folder: z.string().optional(),
      }),
    ),
  }),

  async run({ query, limit, offset }, { boards, caller, appUrl }) {
    const { total, items } = await boards.store.listDashboards(caller, { query, limit, offset });
    return {
      message: `Found ${total} ${total === 1 ? "dashboard" : "dashboards"}`,
      total,
      dashboards: items.map(({ id, name, description, widgetCount, changedAt, settings }) => ({
        id,
        name,
        description,
        widget_count: widgetCount,
        url: `${appUrl}/d/${id}`,
        changed_at: changedAt.toISOString(),
        ...(settings.folder !== undefined && { folder: settings.folder }),
      })),
    };
  },
});
