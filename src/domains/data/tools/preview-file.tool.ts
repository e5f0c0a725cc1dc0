import { z } from "zod";
import { scopeOf } from "../../../kernel/fair-queue.ts";
import { rowShape } from "../../../registry/define-tool.ts";
import { columnShape, defineTool } from "../define.ts";
import { fileOptions, toldOptions } from "./import-file.tool.ts";

const SHOWN_ROWS = 20;

/** What a person checks before an import: the file is read as the import would read it, and nothing is kept. */
export const previewFile = defineTool({
  name: "preview_file",
  toolset: "datasources",
  title: "Preview a file",
  description:
    "How import_file would read a file: columns with types, first rows, what is rejected. Keeps nothing.",
  permission: "bi:write",
  effect: "read",
  timeoutMs: 600_000,
  input: z.strictObject({
    file_url: z.string().max(4_096),
    file_type: z.string().optional(),
    options: toldOptions.describe("As import_file"),
  }),
  output: z.object({
    columns: z.array(columnShape),
    rows: z.array(rowShape),
    rows_read: z.int(),
    rows_rejected: z.int(),
    rejected: z.array(z.object({ line: z.int(), reason: z.string() })),
    detected: z.record(z.string(), z.unknown()),
    notes: z.array(z.string()),
  }),

  async run({ file_url, file_type, options = {} }, { data, imports, received, caller, signal, client }) {
    const sent = await received.find(caller, file_url);
    const file = await imports.importFile({
      source: { ...(sent ?? { fileUrl: file_url }), contentEncoding: options.content_encoding },
      scope: scopeOf(caller),
      key: data.newPartKey(),
      fileType: file_type,
      options: fileOptions(options),
      signal,
      onProgress: ({ stage, fraction }) => client.progress(fraction ?? 0, { total: 1, message: stage }),
    });
    const rows = file.columns.length === 0 ? [] : await data.peek(caller, file.part, SHOWN_ROWS);
    return {
      columns: file.columns.map(({ name, type }) => ({ name, type })),
      rows,
      rows_read: file.rows,
      rows_rejected: file.rejectedRows,
      rejected: file.rejected.slice(0, SHOWN_ROWS),
      detected: { ...file.detected },
      notes: file.notes,
    };
  },
});
