import type { FileHandle } from "node:fs/promises";
import { ZipFile } from "../../../platform/files/index.ts";
import { EXCEL_ERRORS, zipSheets } from "../../data/files/reader/excel/index.ts";
import { lockedFile } from "./file-error.ts";
import type { FileContent } from "./file-pages.ts";
import { tableOf } from "./markdown-writer.ts";

/** Rows of all sheets that are read; searching more of them is work for a dataset. */
export const MOST_ROWS = 100_000;

export function rowsNote(): string {
  return `Only the first ${MOST_ROWS} rows are read.`;
}

/** The sheets of a workbook as tables, each below its name. */
export async function readSheets(file: FileHandle): Promise<FileContent> {
  const zip = await ZipFile.open(file, { ...EXCEL_ERRORS, locked: lockedFile });
  const parts: string[] = [];
  const losses = { errors: 0, uncalculated: 0 };
  let count = 0;
  for (const sheet of await zipSheets(zip)) {
    if (sheet.isHidden) continue;
    const rows: string[][] = [];
    for await (const batch of sheet.read(losses)) {
      for (const { cells } of batch.rows)
        rows.push(
          Array.from(cells, (cell) => (cell?.text ?? "").replace(/\s+/g, " ").replaceAll("|", "\\|")),
        );
      count += batch.rows.length;
      if (count > MOST_ROWS) break;
    }
    if (rows.length > 0) parts.push(`## ${sheet.name}\n\n${tableOf(rows)}`);
    if (count > MOST_ROWS) break;
  }
  return { pages: [{ markdown: parts.join("\n\n") }], notes: count > MOST_ROWS ? [rowsNote()] : [] };
}
