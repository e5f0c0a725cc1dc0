import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { compactFile } from "../../../registry/compact-content.ts";
import { type ExportedFile, exportText } from "../../data/index.ts";
import { LIMITS } from "../../data/limits.ts";
import { ownerOf } from "../../identity/index.ts";
import { defineTool } from "../define.ts";
import { LIMITS as ASSETS } from "../limits.ts";
import { adaptIds, idArguments, namedAsset } from "../named-asset.ts";

const limit = z
  .int()
  .min(1)
  .max(LIMITS.data.exportRows)
  .default(10_000)
  .describe("Max rows (default 10000, max 200000)");

interface ContractInput {
  dashboardId?: number;
  widgetId?: number;
  datasetId?: number;
  limit: number;
}

/** Takes rows away as a file. */
export const exportData = defineTool({
  name: "export_data",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_export_csv",
      description:
        "Export a dashboard or widget as CSV. For dashboards, exports all widgets as separate CSV files. Returns base64-encoded content. One of dashboardId or widgetId is required; datasetId exports a dataset.",
      input: z.strictObject({
        dashboardId: z.int().optional().describe("Dashboard to export - each widget becomes a separate CSV"),
        widgetId: z.int().optional().describe("Single widget to export as CSV"),
        datasetId: z.int().optional().describe("Dataset to export as CSV"),
        limit,
      }),
      adapt: ({ dashboardId, widgetId, datasetId, limit }: ContractInput, assets) => ({
        ...adaptIds({ dashboardId, widgetId, datasetId }, assets, "rows"),
        format: "csv" as const,
        limit,
      }),
    },
  },
  title: "Export data",
  description:
    "Rows of a dataset as a file: CSV, JSON or Parquet. A small one comes as an embedded resource (Parquet in base64); a larger one as download_url, a link for 15 minutes that needs no token.",
  permission: "bi:read",
  effect: "read",
  timeoutMs: 300_000,
  input: (assets) =>
    z.strictObject({
      ...idArguments(assets, "rows"),
      format: z.enum(["csv", "json", "parquet"]).default("csv"),
      limit,
      offset: z.int().min(0).default(0).describe("Rows to skip"),
      c9ql: z.string().max(LIMITS.c9ql.textCharacters).optional().describe("As in get_data"),
      escape_formulas: z
        .boolean()
        .default(false)
        .describe("CSV only: put ' before cells that a spreadsheet would run as a formula"),
    }),
  output: z.object({
    file_name: z.string(),
    mime_type: z.string(),
    // Left out on /mcp, where the file stands beside this as an embedded resource.
    content_base64: z.string().optional(),
    file_uri: z.string().optional().describe("Of the resource that is the file"),
    download_url: z.string().optional().describe("Fetch the file here, with GET and without a token"),
    expires_at: z.string().optional().describe("Until then"),
    bytes: z.int().optional(),
    rows: z.int(),
    total_rows: z.int(),
    truncated: z.boolean(),
    note: z.string().optional(),
  }),
  compact: compactFile,

  async run({ format, escape_formulas, limit, offset, c9ql, ...ids }, context) {
    const { assets, data, exports, caller, meta, signal, say } = context;
    const { type, id } = namedAsset(ids);
    const { name, hasColumns, stream, count } = await assets.require(type, "rows").rows(caller, id);
    if (!hasColumns && format === "parquet")
      throw new AppError("bad_request", `${name} has no columns, and a Parquet file needs some.`, {
        hint: "Export it as csv or json.",
      });
    const wanted = { limit, offset, c9ql, signal };
    const rows = stream(wanted);
    const file =
      format === "parquet"
        ? await data.exportParquet(caller, rows, signal)
        : await exportText(rows, { format, escapeFormulas: escape_formulas });
    const mayBeMore = file.isCut || file.rows === limit || file.rows === 0;
    const seen = offset + file.rows;
    const total = mayBeMore ? await count(wanted) : seen;
    const fileName = `${name.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.${format}`;
    // Contracts print the whole file; a model has better things to read.
    const isLink = meta.surface === "all" && file.content.length > ASSETS.exports.inlineBytes;
    const kept = isLink && (await exports.keep(ownerOf(caller), { ...file, name: fileName }));
    return {
      file_name: fileName,
      mime_type: file.mimeType,
      ...(kept
        ? {
            download_url: kept.url,
            file_uri: kept.uri,
            expires_at: kept.expiresAt.toISOString(),
            bytes: file.content.length,
          }
        : { content_base64: file.content.toString("base64") }),
      rows: file.rows,
      total_rows: total,
      truncated: seen < total,
      ...(seen < total && { note: say(noteOn(file, seen)) }),
    };
  },
});

/** Why there are not all rows in the file, and how to get the rest. */
function noteOn({ rows, isCut }: ExportedFile, seen: number): string {
  const most = `${LIMITS.data.exportBytes / 1024 / 1024} MiB`;
  const why = isCut
    ? `A file of ${most} is the most for one answer, and ${rows} rows fit into it.`
    : "There are more rows than the limit.";
  return `${why} {tool:export_data(offset)} goes on with offset ${seen}, or takes fewer columns with c9ql; on the server's command line, kenning dataset export writes all of it.`;
}
