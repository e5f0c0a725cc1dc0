import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "../limits.ts";
import { DELIMITERS, detectDelimiter, type Quoting } from "./csv-dialect.ts";

/** Besides the usual one: a quote in a value is doubled. */
const OTHERS = [
  { quote: '"', escape: "\\" },
  { quote: "'", escape: "'" },
  { quote: "'", escape: "\\" },
];

const HAS_ESCAPE = /\\["',;\t|\r\n]/;
const HAS_SINGLE_QUOTE = /(?:^|[,;\t|]) *'/m;
/** How many times fewer rows have to be out of line before the usual quotes are given up. */
const BETTER = 10;
const SAMPLE_RECORDS = 20_000;
const MOST_BROKEN = 100;
/** Longest value in quotes; behind that, the quote is believed to be a part of the value. */
const VALUE_CHARACTERS = 64 * 1024;

/**
 * Another quote or escape than the usual, where only that gives rows of one width. Undefined for all files whose rows
 * have one with the usual quotes, whatever signs stand in their values.
 */
export function otherQuoting(text: string, isCut: boolean, said: string | undefined): Quoting | undefined {
  const hasEscape = HAS_ESCAPE.test(text);
  const hasSingle = HAS_SINGLE_QUOTE.test(text);
  if (!hasEscape && !hasSingle) return undefined;
  const delimiter = said ?? detectDelimiter(text, '"');
  const usual = delimiter && measure(text, isCut, { delimiter, quote: '"', escape: '"' });
  if (usual && usual.flaws === 0) return undefined;
  const possible = OTHERS.filter(
    ({ quote, escape: sign }) => (sign !== "\\" || hasEscape) && (quote !== "'" || hasSingle),
  );
  const [best] = possible
    .flatMap((other) =>
      (said === undefined ? DELIMITERS : [said]).map((each) => ({ ...other, delimiter: each })),
    )
    .map((quoting) => ({ quoting, ...measure(text, isCut, quoting) }))
    .filter(({ width }) => width > 1)
    .toSorted((a, b) => a.flaws - b.flaws || b.width - a.width);
  const most = usual ? usual.flaws / BETTER : 0;
  return best !== undefined && best.flaws <= most ? best.quoting : undefined;
}

interface Fit {
  /** Fields that most records have. */
  width: number;
  /** Records that have another number of fields, or a quote at a wrong place. */
  flaws: number;
}

function measure(text: string, isCut: boolean, quoting: Quoting): Fit {
  const widths = new Map<number, number>();
  let broken = 0;
  let records = 0;
  for (let at = 0; at < text.length && records < SAMPLE_RECORDS && broken < MOST_BROKEN; ) {
    const record = readRecord(text, at, quoting);
    if (!record.isComplete && isCut) break;
    at = record.end;
    const { fields } = record;
    if (fields.every(({ value }) => value.trim() === "")) continue;
    records += 1;
    if (record.isBroken) broken += 1;
    else widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
  }
  const [width = 0, count = 0] = [...widths].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  // One row has always the width of itself.
  return records < 2 ? { width: 0, flaws: records } : { width, flaws: records - count };
}

interface Field {
  value: string;
  isQuoted: boolean;
}

interface ReadRecord {
  fields: Field[];
  end: number;
  /** False when the text ended before the record did. */
  isComplete: boolean;
  /** Whether a quote has no end, or something stands behind it. */
  isBroken: boolean;
}

/** One record as it is written, blanks and all. */
function readRecord(text: string, start: number, quoting: Quoting): ReadRecord {
  const { delimiter, quote } = quoting;
  const fields: Field[] = [];
  let isBroken = false;
  for (let at = start; ; ) {
    let first = at;
    while (text[first] === " " && delimiter !== " ") first += 1;
    const isQuoted = quote !== "" && text.startsWith(quote, first);
    const quoted = isQuoted ? readQuoted(text, first + quote.length, quoting) : undefined;
    if (quoted === "open") return { fields, end: text.length, isComplete: false, isBroken: true };
    const rest = readBare(text, quoted?.end ?? at, quoting);
    if (isQuoted && (quoted === undefined || rest.value.trim() !== "")) isBroken = true;
    fields.push(quoted === undefined ? { value: rest.value, isQuoted: false } : { ...quoted, isQuoted });
    if (rest.end >= text.length) return { fields, end: text.length, isComplete: false, isBroken };
    if (!text.startsWith(delimiter, rest.end))
      return {
        fields,
        end: rest.end + (text.startsWith("\r\n", rest.end) ? 2 : 1),
        isComplete: true,
        isBroken,
      };
    at = rest.end + delimiter.length;
  }
}

interface ReadValue {
  value: string;
  end: number;
}

/** Open where the text ends before the value; undefined where the value would be too long. */
function readQuoted(
  text: string,
  start: number,
  { quote, escape: sign }: Quoting,
): ReadValue | "open" | undefined {
  let value = "";
  for (let at = start; at - start < VALUE_CHARACTERS; ) {
    if (at >= text.length) return "open";
    if (sign !== quote && text[at] === sign && (text[at + 1] === quote || text[at + 1] === sign)) {
      value += text[at + 1];
      at += 2;
    } else if (text[at] !== quote) {
      value += text[at];
      at += 1;
    } else if (text[at + 1] === quote) {
      value += quote;
      at += 2;
    } else return { value, end: at + 1 };
  }
  return undefined;
}

function readBare(text: string, start: number, { delimiter, quote, escape: sign }: Quoting): ReadValue {
  let value = "";
  for (let at = start; ; ) {
    const letter = text[at];
    if (letter === undefined || letter === "\n" || letter === "\r" || text.startsWith(delimiter, at))
      return { value, end: at };
    const next = text[at + 1];
    const isEscape = sign === "\\" && letter === sign && next !== undefined;
    if (
      isEscape &&
      (next === sign || next === delimiter || next === quote || next === '"' || next === "\n")
    ) {
      value += next;
      at += 2;
    } else if (isEscape && text.startsWith("\r\n", at + 1)) {
      value += "\r\n";
      at += 3;
    } else {
      value += letter;
      at += 1;
    }
  }
}

const PIECE_BYTES = 1024 * 1024;
const BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

/** Writes a file again with the usual quotes. A line that does not keep to its own stays as it is. */
export async function writeUsual(
  input: string,
  output: string,
  quoting: Quoting,
  signal: AbortSignal,
): Promise<void> {
  await rewrite(input, output, signal, (text, at, isEnd) => {
    const record = readRecord(text, at, quoting);
    if (!record.isComplete && !isEnd && text.length - at <= LIMITS.analytics.rowBytes) return undefined;
    const isKept = record.isBroken || (!record.isComplete && !isEnd);
    const fields = record.fields.map((field) => usualField(field, quoting.delimiter));
    const lineEnd = record.isComplete ? "\n" : "";
    return {
      end: record.end,
      written: isKept ? text.slice(at, record.end) : `${fields.join(quoting.delimiter)}${lineEnd}`,
    };
  });
}

function usualField({ value, isQuoted }: Field, delimiter: string): string {
  const isBare =
    !/["\r\n]/.test(value) && !value.includes(delimiter) && !(isQuoted && value.trim() !== value);
  return isBare ? value : `"${value.replaceAll('"', '""')}"`;
}

/** Where a record ends, and what is written in its place. */
export interface Rewritten {
  end: number;
  written: string;
}

type Next = (text: string, at: number, isEnd: boolean) => Rewritten | undefined;

/** Writes a file again, record by record. Bytes are characters here, so that none is lost. */
export async function rewrite(input: string, output: string, signal: AbortSignal, next: Next): Promise<void> {
  const pieces = createReadStream(input, { highWaterMark: PIECE_BYTES, encoding: "latin1" });
  let rest = "";
  let isStart = true;
  const take = (piece: string, isEnd: boolean): Buffer => {
    const text =
      isStart && piece.startsWith(BYTE_ORDER_MARK) ? piece.slice(BYTE_ORDER_MARK.length) : rest + piece;
    isStart = false;
    const written: string[] = [];
    let at = 0;
    while (at < text.length) {
      const found = next(text, at, isEnd);
      if (found === undefined) break;
      written.push(found.written);
      at = found.end;
    }
    rest = text.slice(at);
    return Buffer.from(written.join(""), "latin1");
  };
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const piece of pieces) yield take(piece as string, false);
    yield take("", true);
  }
  await pipeline(Readable.from(lines()), createWriteStream(output, { mode: 0o600 }), { signal });
}
