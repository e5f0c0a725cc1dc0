/** The first rows of a text file, as they are written: what a person checks before the server reads all of it. */
export interface Preview {
  columns: { name: string; guess: string; empty: number }[];
  rows: string[][];
}

const HEAD_BYTES = 128 * 1024;
const SHOWN_ROWS = 8;
const GUESSED_ROWS = 200;

export async function previewOf(file: File): Promise<Preview | null> {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return null;
  const bytes = await file.slice(0, HEAD_BYTES).arrayBuffer();
  const text = decoded(bytes);
  const isWhole = file.size <= HEAD_BYTES;
  const lines = text.split(/\r?\n/).slice(0, GUESSED_ROWS + 1);
  const delimiter = delimiterOf(lines.slice(0, 10));
  const records = recordsOf(text, delimiter, GUESSED_ROWS + 1, isWhole);
  const [head = [], ...rows] = records;
  if (head.length === 0) return null;
  const names = uniqueNames(head);
  return {
    columns: names.map((name, at) => {
      const values = rows.map((row) => (row[at] ?? "").trim());
      return {
        name,
        guess: typeOf(values.filter((value) => value !== "")),
        empty: values.filter((value) => value === "").length,
      };
    }),
    rows: rows.slice(0, SHOWN_ROWS).map((row) => names.map((_, at) => row[at] ?? "")),
  };
}

function decoded(bytes: ArrayBuffer): string {
  const text = new TextDecoder("utf-8").decode(bytes).replace(/^\uFEFF/, "");
  return text.includes("\uFFFD") && !text.endsWith("\uFFFD")
    ? new TextDecoder("windows-1252").decode(bytes)
    : text;
}

function delimiterOf(lines: string[]): string {
  const counts = [",", ";", "\t", "|"].map((sign) => {
    const each = lines.filter((line) => line !== "").map((line) => line.split(sign).length - 1);
    const isSteady = each.every((count) => count === each[0]);
    return { sign, score: (each[0] ?? 0) * (isSteady ? 10 : 1) };
  });
  return counts.toSorted((a, b) => b.score - a.score)[0]?.sign ?? ",";
}

/** Quotation marks may hold delimiters and ends of lines. */
function recordsOf(text: string, delimiter: string, most: number, isWhole: boolean): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length && records.length < most; at += 1) {
    const sign = text[at] as string;
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && field === "") isQuoted = true;
    else if (sign === delimiter) {
      record.push(field);
      field = "";
    } else if (sign === "\n") {
      record.push(field.replace(/\r$/, ""));
      if (record.some((value) => value !== "")) records.push(record);
      record = [];
      field = "";
    } else field += sign;
  }
  // The last line of a part of a file may be half a line.
  if (isWhole && records.length < most && (field !== "" || record.length > 0))
    records.push([...record, field]);
  return records;
}

function uniqueNames(head: string[]): string[] {
  const seen = new Map<string, number>();
  return head.map((each, at) => {
    const name = each.trim() === "" ? `column ${at + 1}` : each.trim();
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

function typeOf(values: string[]): string {
  if (values.length === 0) return "VARCHAR";
  const all = (pattern: RegExp) => values.every((value) => pattern.test(value));
  if (all(/^(true|false|yes|no|ja|nein)$/i)) return "BOOLEAN";
  if (all(/^-?(0|[1-9]\d{0,17})$/)) return "BIGINT";
  if (all(/^-?[\d.,\s']*\d([eE][+-]?\d+)?$/) && !values.some((value) => /^0\d/.test(value))) return "DOUBLE";
  if (all(/^(\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[./-]\d{1,2}[./-]\d{2,4})$/)) return "DATE";
  if (all(/^\d{4}-\d{1,2}-\d{1,2}[T ]\d{1,2}:\d{2}/)) return "TIMESTAMP";
  return "VARCHAR";
}
