import { z } from "zod";
import { assertName } from "../data.ts";
import { assertNotFromQuery } from "../dataset.ts";
import { changedDataset, changeOf, defineTool } from "../define.ts";
import { FILE_TYPES } from "../files/index.ts";

const content = z
  .string()
  .optional()
  .describe("Inline file content. Raw text for CSV/JSON/XML; base64-encoded binary for Excel.");
const fileUrl = z
  .string()
  .max(4_096)
  .optional()
  .describe("URL to download file from (http/https). Prefer for large files.");

/** What is not said is detected, and what was detected is said. */
export const importFile = defineTool({
  name: "import_file",
  toolset: "data",
  wire: {
    bi: {
      name: "knowi_import_file",
      description:
        "Import file data (CSV, JSON, XML, or Excel) into a dataset. Pass inline text for CSV/JSON/XML, or base64-encoded content for Excel. Creates or updates a dataset. One of content or fileUrl is required.",
      input: z.strictObject({
        datasetName: z.string().describe("Name for the dataset to create or update"),
        content,
        fileUrl,
        fileType: z
          .string()
          .optional()
          .describe("File format: csv, json, xml, or excel. Auto-detected if omitted."),
      }),
      adapt: (args: { datasetName: string; content?: string; fileUrl?: string; fileType?: string }) => ({
        dataset_name: args.datasetName,
        content: args.content,
        file_url: args.fileUrl,
        file_type: args.fileType,
      }),
    },
  },
  title: "Import a file",
  description:
    "Makes a dataset of a file, or replaces the rows of an existing one: CSV, TSV, JSON, NDJSON, XML, Excel or Parquet, inline or by URL. Format, delimiter, encoding, header, types and dates are detected; the answer says what was chosen and which rows were rejected. To append rows use push_data.",
  permission: "bi:write",
  effect: "write",
  timeoutMs: 600_000,
  input: z.strictObject({
    dataset_name: z.string().describe("Name of the dataset to create or replace"),
    content,
    file_url: fileUrl,
    file_type: z
      .string()
      .optional()
      .describe(`One of ${FILE_TYPES.join(", ")}; detected if left out`),
    sheet: z
      .union([z.string(), z.int().min(1)])
      .optional()
      .describe("Excel: name or number of the sheet"),
    row_path: z
      .string()
      .max(500)
      .optional()
      .describe("XML, JSON: which elements are the rows, e.g. catalog/book"),
  }),
  output: changedDataset.extend({
    rows_read: z.int(),
    rows_rejected: z.int(),
    rejected: z.array(z.object({ line: z.int(), reason: z.string() })),
    detected: z.record(z.string(), z.unknown()),
    notes: z.array(z.string()),
  }),

  async run(args, { data, datasets, imports, caller, signal, client }) {
    assertName(args.dataset_name);
    const existing = await datasets.findByName(caller.workspace.id, args.dataset_name);
    if (existing !== undefined) assertNotFromQuery(existing);
    const file = await imports.importFile({
      source: { content: args.content, fileUrl: args.file_url },
      scope: String(caller.workspace.id),
      key: data.newPartKey(),
      fileType: args.file_type,
      options: {
        ...(args.sheet !== undefined && { sheet: args.sheet }),
        ...(args.row_path !== undefined && { rowPath: args.row_path }),
      },
      signal,
      onProgress: ({ stage, fraction }) => client.progress(fraction ?? 0, { total: 1, message: stage }),
    });
    const detail = {
      ...file.detected,
      ...(file.fileName !== undefined && { file: file.fileName }),
      bytes: file.bytes,
    };
    const dataset = await data.commit(caller, args.dataset_name, "replace", file.part, {
      kind: "import",
      detail,
    });
    return {
      ...changeOf(caller, dataset),
      rows_read: file.rows,
      rows_rejected: file.rejectedRows,
      rejected: file.rejected.slice(0, 20),
      detected: { ...file.detected },
      notes: file.notes,
    };
  },
});
