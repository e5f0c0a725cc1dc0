import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool } from "../define.ts";
import { viewerAttributes } from "../embeds.ts";
import { LIMITS } from "../limits.ts";

const { origins } = LIMITS.bi;

/** Shows a dashboard or a widget to people without an account. */
export const getEmbedUrl = defineTool({
  name: "get_embed_url",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_get_embed_url",
      description:
        "Generate an embeddable share URL for a dashboard or widget. One of dashboardId or widgetId is required.",
      input: z.strictObject({
        dashboardId: z.int().optional().describe("Dashboard to share"),
        widgetId: z.int().optional().describe("Widget to share"),
      }),
      adapt: ({ dashboardId, widgetId }: { dashboardId?: number; widgetId?: number }) => {
        if ((dashboardId === undefined) === (widgetId === undefined))
          throw new AppError("bad_request", "One of dashboardId or widgetId is required, and only one.");
        return { dashboard_id: dashboardId, widget_id: widgetId };
      },
    },
  },
  title: "Get an embed URL",
  description:
    "A link that shows a dashboard or widget to whoever has it, also inside other pages, with your rights and no more. It is shown once; list_embeds and revoke_embed manage links.",
  permission: "bi:write",
  effect: "write",
  input: z.strictObject({
    dashboard_id: z.int().optional(),
    widget_id: z.int().optional(),
    expires_in_days: z.int().min(1).max(3_650).optional().describe("Never, if left out"),
    attributes: viewerAttributes
      .optional()
      .describe("Of the viewer: policies of datasets hold for them as well"),
    origins: z
      .array(z.string().max(300))
      .max(origins)
      .optional()
      .describe("Pages that may show it, e.g. https://intranet.example; any if left out"),
  }),
  output: z.object({
    embed_id: z.int(),
    url: z.string(),
    html: z.string(),
    expires_at: z.string().nullable(),
  }),

  async run({ dashboard_id: dashboardId, widget_id: widgetId, ...wish }, { boards, embeds, caller }) {
    if ((dashboardId === undefined) === (widgetId === undefined))
      throw new AppError("bad_request", "One of dashboard_id or widget_id is required, and only one.");
    const shown =
      dashboardId === undefined
        ? (await boards.widget(caller, widgetId as number)).widget
        : await boards.dashboard(caller, dashboardId);
    const { embed, url } = await embeds.create(caller, {
      dashboardId,
      widgetId,
      expiresInDays: wish.expires_in_days,
      attributes: wish.attributes,
      origins: wish.origins,
    });
    const title = shown.name.replace(/[&<>"]/g, "");
    return {
      embed_id: embed.id,
      url,
      html: `<iframe src="${url}" title="${title}" width="100%" height="600" style="border:0"></iframe>`,
      expires_at: embed.expiresAt?.toISOString() ?? null,
    };
  },
});
