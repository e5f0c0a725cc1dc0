import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { uniqueNames } from "../column-names.ts";
import { type SourceColumn, UNTYPED } from "../connector.ts";
import { CsvParser, type CsvRow, findDelimiter } from "./csv-parser.ts";
import type { RowSource } from "./row-batches.ts";

export interface CsvFormat {
  delimiter?: string | undefined;
  encoding?: string | undefined;
  header: boolean;
}

export interface CsvRows {
  rows: RowSource;
  /** Known once the first row was asked for. */
  columns(): readonly SourceColumn[];
}

/** Enough text to see what separates the values. */
const SAMPLE_CHARACTERS = 64 * 1024;

/** The rows of a CSV file as it arrives. All values are text: which types they have is to be found out later. */
export function csvRows(body: AsyncIterable<Buffer>, format: CsvFormat): CsvRows {
  let columns: SourceColumn[] = [];

  async function* rows(): RowSource {
    let isFirst = true;
    for await (const { row, number } of parsedRows(decoded(body, format.encoding), format.delimiter)) {
      if (isFirst) {
        isFirst = false;
        columns = columnsOf(row, format.header);
        if (format.header) continue;
      }
      yield fitted(row, columns.length, number);
    }
    return undefined;
  }

  return { rows: rows(), columns: () => columns };
}

async function* parsedRows(
  pieces: AsyncIterable<string>,
  delimiter: string | undefined,
): AsyncGenerator<{ row: CsvRow; number: number }> {
  let parser = delimiter === undefined ? undefined : new CsvParser(delimiter);
  let sample = "";
  for await (const piece of pieces) {
    sample += piece;
    if (parser === undefined && sample.length < SAMPLE_CHARACTERS) continue;
    parser ??= new CsvParser(findDelimiter(sample));
    for (const row of parser.push(sample)) yield { row, number: parser.rowNumber };
    sample = "";
  }
  parser ??= new CsvParser(findDelimiter(sample));
  for (const row of parser.push(sample)) yield { row, number: parser.rowNumber };
  for (const row of parser.end()) yield { row, number: parser.rowNumber };
}

/** The text of a file; a mark at its beginning tells its encoding better than any setting. */
async function* decoded(body: AsyncIterable<Buffer>, encoding = "utf-8"): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  try {
    for await (const chunk of body) {
      decoder ??= new TextDecoder(markedEncoding(chunk) ?? encoding, { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    if (decoder !== undefined) yield decoder.decode();
  } catch (error) {
    if (isAppError(error) || !(error instanceof TypeError)) throw error;
    throw new AppError(
      "bad_request",
      `The CSV is not text in the encoding ${decoder?.encoding ?? encoding}.`,
      {
        hint: "Name its encoding in the settings of the datasource, such as windows-1252.",
      },
    );
  }
}

function markedEncoding(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return "utf-16le";
  if (start[0] === 0xfe && start[1] === 0xff) return "utf-16be";
  return start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? "utf-8" : undefined;
}

function columnsOf(row: CsvRow, isHeader: boolean): SourceColumn[] {
  const names = uniqueNames(row.map((name) => (isHeader ? (name ?? "").trim() : "")));
  return names.map((name) => ({ name, type: UNTYPED }));
}

/** Missing values at the end are nothing; more values than columns would end up in the wrong place. */
function fitted(row: CsvRow, width: number, number: number): CsvRow {
  if (row.length <= width) return row;
  if (row.slice(width).every((value) => value === null)) return row.slice(0, width);
  throw new AppError(
    "bad_request",
    `Row ${number} of the CSV has ${row.length} values, but there are ${width} columns.`,
    { hint: "Check its delimiter and its quotes." },
  );
}
