import { z } from "zod";
import { scopeOf } from "../../../kernel/fair-queue.ts";
import { assertName } from "../dataset.ts";
import { changedDataset, changeOf, defineTool } from "../define.ts";
import { FILE_TYPES, type FileOptions } from "../files/index.ts";
import { assertMayReplace, policyNotes, replacedOf, replaceRows } from "../replace-rows.ts";

const content = z
  .string()
  .optional()
  .describe("Inline file content. Raw text for CSV/JSON/XML; base64-encoded binary for Excel.");
const fileUrl = z
  .string()
  .max(4_096)
  .optional()
  .describe("URL to download file from (http/https). Prefer for large files.");

const options = z.strictObject({
  delimiter: z.string().min(1).max(4).optional(),
  quote: z.string().max(1).optional(),
  header: z.boolean().optional(),
  encoding: z.string().max(50).optional(),
  decimal: z.enum([".", ","]).optional(),
  date_format: z.string().min(1).max(100).optional(),
  skip_lines: z.int().min(0).max(10_000).optional(),
  nulls: z.array(z.string().max(100)).max(20).optional(),
  types: z.record(z.string(), z.string().max(200)).optional(),
  sheet: z.union([z.string(), z.int().min(1)]).optional(),
  row_path: z.string().max(500).optional(),
  content_encoding: z.enum(["text", "base64"]).optional(),
  allow_empty: z.boolean().optional(),
});

export type ImportOptions = z.output<typeof options>;

/** Checked as strictly as anything else, but told in a sentence: the schema would cost every client 400 tokens. */
export const toldOptions = z
  .looseObject({})
  .pipe(options)
  .optional()
  .describe(
    "Where detection is wrong: delimiter, quote, decimal, date_format (MM/DD/YYYY), encoding, header (boolean), skip_lines, nulls (array), types ({column: SQL type}), sheet, row_path (catalog/book), content_encoding (text, base64), allow_empty (no rows may replace rows)",
  );

interface ContractInput {
  datasetName: string;
  content?: string;
  fileUrl?: string;
  fileType?: string;
  options?: z.output<typeof options>;
}

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
        // Not of the contract; without it, what an import asks for could not be said here.
        options: toldOptions,
      }),
      adapt: (args: ContractInput) => ({
        dataset_name: args.datasetName,
        content: args.content,
        file_url: args.fileUrl,
        file_type: args.fileType,
        options: args.options,
      }),
    },
  },
  title: "Import a file",
  description:
    "Makes a dataset of a file, or replaces the rows of one: CSV, TSV, JSON, NDJSON, XML, Excel or Parquet, inline or by URL. How to read it is detected; the answer tells what was chosen, rejected, replaced and how to undo it. To append use push_data.",
  permission: "bi:write",
  effect: "destroy",
  timeoutMs: 600_000,
  input: z.strictObject({
    dataset_name: z.string().describe("Dataset to create or replace"),
    content: content.describe("The text, or base64"),
    file_url: fileUrl.describe("For large files"),
    file_type: z
      .string()
      .optional()
      .describe(`One of ${FILE_TYPES.join(", ")}`),
    options: toldOptions,
  }),
  output: changedDataset.extend({
    rows_read: z.int(),
    rows_rejected: z.int(),
    rejected: z.array(z.object({ line: z.int(), reason: z.string() })),
    detected: z.record(z.string(), z.unknown()),
    replaced: z.unknown().optional(),
    notes: z.array(z.string()),
  }),

  async run(args, { data, datasets, imports, received, caller, signal, client, say }) {
    assertName(args.dataset_name);
    const existing = await datasets.findByName(caller.workspace.id, args.dataset_name);
    if (existing !== undefined) assertMayReplace(caller, existing);
    const sent = await received.find(caller, args.file_url);
    const file = await imports.importFile({
      source: {
        content: args.content,
        ...(sent ?? { fileUrl: args.file_url }),
        contentEncoding: args.options?.content_encoding,
      },
      scope: scopeOf(caller),
      key: data.newPartKey(),
      fileType: args.file_type,
      options: fileOptions(args.options ?? {}),
      signal,
      onProgress: ({ stage, fraction }) => client.progress(fraction ?? 0, { total: 1, message: stage }),
    });
    const detail = {
      ...file.detected,
      ...(file.fileName !== undefined && { file: file.fileName }),
      bytes: file.bytes,
    };
    const source = { kind: "import" as const, detail };
    const { dataset, replaced } = await replaceRows(data, caller, {
      name: args.dataset_name,
      part: file.part,
      source,
      allowEmpty: args.options?.allow_empty === true,
    });
    return {
      ...changeOf(caller, dataset),
      rows_read: file.rows,
      rows_rejected: file.rejectedRows,
      rejected: file.rejected.slice(0, 20),
      detected: { ...file.detected },
      ...(replaced !== undefined && { replaced: replacedOf(caller, replaced, { dataset, say }) }),
      notes: [...file.notes, ...policyNotes(dataset)],
    };
  },
});

export function fileOptions({
  content_encoding: _encoding,
  allow_empty: _empty,
  date_format: dateFormat,
  skip_lines: skipLines,
  row_path: rowPath,
  ...same
}: ImportOptions): FileOptions {
  const all = { ...same, dateFormat, skipLines, rowPath };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
