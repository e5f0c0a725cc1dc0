import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { ownerOf } from "../../identity/index.ts";
import { defineTool } from "../define.ts";
import { EXPORT_FORMATS } from "../export/links.ts";

const text = z.union([z.string(), z.array(z.string())]);

/** A dashboard or a widget as a document to keep or to send. */
export const exportDashboard = defineTool({
  name: "export_dashboard",
  toolset: "dashboards",
  wire: {
    bi: {
      name: "knowi_export_pdf",
      description:
        "Export a dashboard or widget as a PDF. Returns base64-encoded PDF content. One of dashboardId or widgetId is required.",
      input: z.strictObject({
        dashboardId: z.int().optional().describe("Dashboard to export"),
        widgetId: z.int().optional().describe("Widget to export"),
      }),
      adapt: ({ dashboardId, widgetId }: { dashboardId?: number; widgetId?: number }) => {
        if ((dashboardId === undefined) === (widgetId === undefined))
          throw new AppError("bad_request", "One of dashboardId or widgetId is required, and only one.");
        return { dashboard_id: dashboardId, widget_id: widgetId, inline: true };
      },
    },
  },
  title: "Export a dashboard",
  description:
    "A dashboard or widget as PDF, PNG or XLSX, by a link that works for 15 minutes. Rows as files come from export_data.",
  permission: "bi:read",
  effect: "read",
  timeoutMs: 180_000,
  input: z.strictObject({
    dashboard_id: z.int().optional(),
    widget_id: z.int().optional(),
    format: z.enum(EXPORT_FORMATS).default("pdf"),
    theme: z.enum(["light", "dark"]).default("light").describe("Of a PNG"),
    locale: z.string().max(35).optional().describe("Such as de-DE"),
    filters: z.record(z.string(), text).optional().describe("Values of the dashboard's filters, by name"),
    inline: z.boolean().default(false).describe("The file itself as well, in base64"),
  }),
  output: z.object({
    file_name: z.string(),
    mime_type: z.string(),
    bytes: z.int(),
    pages: z.int().optional(),
    url: z.string(),
    expires_at: z.string(),
    note: z.string().optional(),
    content_base64: z.string().optional(),
  }),
  content: (output) => [{ type: "text", text: JSON.stringify(output) }, linkOf(output)],
  compact: ({ content_base64: base64, ...output }) => ({
    content: [
      { type: "text", text: JSON.stringify(output) },
      linkOf(output),
      ...(base64 === undefined
        ? []
        : [{ type: "resource", resource: { uri: output.url, mimeType: output.mime_type, blob: base64 } }]),
    ],
    structured: output,
  }),

  async run(
    { dashboard_id, widget_id, format, theme, locale, filters: chosen, inline },
    { exports, exportLinks, caller, signal },
  ) {
    const [type, id] =
      dashboard_id === undefined ? (["widget", widget_id] as const) : (["dashboard", dashboard_id] as const);
    if (id === undefined || (dashboard_id !== undefined && widget_id !== undefined))
      throw new AppError("bad_request", "One of dashboard_id or widget_id is required, and only one.");
    const target = {
      type,
      id,
      format,
      theme,
      ...(locale !== undefined && { locale }),
      ...(chosen !== undefined && { chosen }),
    };
    const file = await exports.make(caller, target, signal);
    const { url, expiresAt } = exportLinks.issue(ownerOf(caller), target);
    return {
      file_name: file.name,
      mime_type: file.mimeType,
      bytes: file.content.length,
      ...(file.pages !== undefined && { pages: file.pages }),
      url,
      expires_at: expiresAt.toISOString(),
      ...(file.note !== undefined && { note: file.note }),
      ...(inline && { content_base64: file.content.toString("base64") }),
    };
  },
});

function linkOf({
  url,
  file_name: name,
  mime_type: mimeType,
  bytes: size,
}: {
  url: string;
  file_name: string;
  mime_type: string;
  bytes: number;
}) {
  return { type: "resource_link", uri: url, name, mimeType, size };
}
