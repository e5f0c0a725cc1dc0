import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { AssetParts } from "../../../registry/asset-kind.ts";
import { compactFile } from "../../../registry/compact-content.ts";
import type { CallContext } from "../../../registry/context.ts";
import { type ExportedFile, exportText, wholeParquet } from "../../data/index.ts";
import { LIMITS } from "../../data/limits.ts";
import { audited, ownerOf } from "../../identity/index.ts";
import { type AssetsServices, adaptIds, defineTool, idArguments, namedAsset } from "../define.ts";
import { LIMITS as ASSETS } from "../limits.ts";

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
        ...adaptIds({ dashboardId, widgetId, datasetId }, assets, "rows", "parts"),
        format: "csv" as const,
        limit,
      }),
    },
  },
  title: "Export data",
  description:
    "Rows of a dataset or widget as a file: CSV, JSON or Parquet; of a dashboard, a file for each widget. A small file comes as an embedded resource (Parquet in base64); a larger one as download_url, a link for 15 minutes that needs no token.",
  permission: "bi:read",
  effect: "read",
  timeoutMs: 300_000,
  input: (assets) =>
    z.strictObject({
      ...idArguments(assets, ["rows", "parts"]),
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
    // Of a dashboard; each as the file of a widget would be.
    files: z.array(z.record(z.string(), z.unknown())).optional(),
  }),
  compact: compactFile,

  async run({ format, escape_formulas, limit, offset, c9ql, ...ids }, context) {
    const { assets, caller, meta } = context;
    // The contract has no argument for it.
    const escapeFormulas = meta.surface === "bi" ? context.escapeFormulas : escape_formulas;
    const { type, id } = namedAsset(ids);
    const wish = { format, escapeFormulas, limit, offset, c9ql };
    if (!assets.names("parts").includes(type)) return fileOf(type, id, wish, context);
    const { name, parts } = await assets.require(type, "parts").parts(caller, id);
    const files = await filesOf(parts, wish, context);
    const sum = (field: "rows" | "total_rows") => files.reduce((all, file) => all + file[field], 0);
    return {
      file_name: nameOf(name, format),
      mime_type: files[0]?.mime_type ?? "text/csv; charset=utf-8",
      rows: sum("rows"),
      total_rows: sum("total_rows"),
      truncated: files.some(({ truncated }) => truncated),
      files,
    };
  },
});

interface Wish {
  format: "csv" | "json" | "parquet";
  escapeFormulas: boolean;
  limit: number;
  offset: number;
  c9ql: string | undefined;
}

type Context = CallContext & AssetsServices;

/** One that cannot be read is told in its place, and does not keep the others back. */
async function filesOf(parts: AssetParts["parts"], wish: Wish, context: Context) {
  const files = [];
  const names = new Set<string>();
  let bytes = 0;
  for (const { type, id, name } of parts) {
    const missing = {
      file_name: nameOf(name, wish.format),
      mime_type: "text/plain",
      rows: 0,
      total_rows: 0,
      truncated: true,
    };
    const isFull = bytes > LIMITS.data.exportBytes;
    const file = isFull
      ? { ...missing, note: "There was no room for this file in one answer: export this widget by itself." }
      : await fileOf(type, id, wish, context).catch((error: unknown) => {
          if (!isAppError(error) || error.code === "cancelled") throw error;
          return { ...missing, note: error.advice };
        });
    bytes += "content_base64" in file ? file.content_base64.length : 0;
    const isTaken = names.has(file.file_name.toLowerCase());
    const file_name = isTaken ? nameOf(`${name} ${id}`, wish.format) : file.file_name;
    names.add(file_name.toLowerCase());
    files.push({ ...file, file_name, [`${type}_id`]: id });
  }
  return files;
}

function fileOf(type: string, id: number, wish: Wish, context: Context) {
  const { audit, caller, meta } = context;
  const what = {
    action: `${type}.export`,
    resourceType: type,
    resourceId: String(id),
    address: meta.address,
  };
  return audited(audit, { caller, ...what, metadata: { format: wish.format } }, () =>
    makeFile(type, id, wish, context),
  );
}

async function makeFile(type: string, id: number, wish: Wish, context: Context) {
  const { assets, data, caller, signal, say } = context;
  const { format, escapeFormulas, limit, offset, c9ql } = wish;
  const { name, hasColumns, stream, count } = await assets.require(type, "rows").rows(caller, id);
  if (!hasColumns && format === "parquet")
    throw new AppError("bad_request", `${name} has no columns, and a Parquet file needs some.`, {
      hint: "Export it as csv or json.",
    });
  const wanted = { limit, offset, c9ql, signal };
  const file =
    format === "parquet"
      ? ((await wholeFile(type, id, wish, context)) ??
        (await data.exportParquet(caller, stream(wanted), signal)))
      : await exportText(stream(wanted), { format, escapeFormulas });
  const mayBeMore = file.isCut || file.rows === limit || file.rows === 0;
  const seen = offset + file.rows;
  const total = mayBeMore ? await count(wanted) : seen;
  return {
    file_name: nameOf(name, format),
    mime_type: file.mimeType,
    ...(await contentOf(file, nameOf(name, format), context)),
    rows: file.rows,
    total_rows: total,
    truncated: seen < total,
    ...(seen < total && { note: say(noteOn(file, seen)) }),
  };
}

/** All rows of a dataset are copied as they are kept, without a detour. */
async function wholeFile(type: string, id: number, { limit, offset, c9ql }: Wish, context: Context) {
  if (type !== "dataset" || c9ql !== undefined || offset > 0) return undefined;
  const { data, caller, signal } = context;
  const dataset = await data.require(caller, id);
  return dataset.rowCount > limit ? undefined : wholeParquet(data, caller, dataset, signal);
}

/** Contracts print the whole file; on `/mcp` a model has better things to read. */
async function contentOf({ content, mimeType }: ExportedFile, name: string, context: Context) {
  const { exports, caller, meta } = context;
  if (meta.surface !== "all" || content.length <= ASSETS.exports.inlineBytes)
    return { content_base64: content.toString("base64") };
  const { url, uri, expiresAt } = await exports.keep(ownerOf(caller), { name, mimeType, content });
  return {
    download_url: url,
    file_uri: uri,
    expires_at: expiresAt.toISOString(),
    bytes: content.length,
  };
}

function nameOf(name: string, format: string): string {
  return `${name.replace(/[^\p{L}\p{N} ._-]/gu, "_")}.${format}`;
}

/** Why there are not all rows in the file, and how to get the rest. */
function noteOn({ rows, isCut }: ExportedFile, seen: number): string {
  const most = `${LIMITS.data.exportBytes / 1024 / 1024} MiB`;
  const why = isCut
    ? `A file of ${most} is the most for one answer, and ${rows} rows fit into it.`
    : "There are more rows than the limit.";
  return `${why} {tool:export_data(offset)} goes on with offset ${seen}, or takes fewer columns with c9ql; on the server's command line, kenning dataset export writes all of it.`;
}
