import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../../../kernel/limits.ts";
import { rowError } from "../network/driver-stream.ts";

/** An empty cell is nothing; one in quotes is an empty text. */
export type CsvRow = (string | null)[];

/** Reads CSV (RFC 4180, and what programs make of it) piece by piece. */
export class CsvParser {
  readonly #delimiter: string;
  #row: CsvRow = [];
  #rowLength = 0;
  #cell = "";
  /** "closed": behind a quote that ended the cell, unless another one follows. */
  #state: "start" | "plain" | "quoted" | "closed" = "start";
  #isAfterReturn = false;
  /** The rows that were read, empty lines too: the number of the last one. */
  rowNumber = 0;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** The rows that end in this piece. */
  *push(text: string): Generator<CsvRow> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === "quoted") {
        at = this.#readQuoted(text, at);
        continue;
      }
      const sign = text[at]!;
      const isSecondHalf = sign === "\n" && this.#isAfterReturn;
      this.#isAfterReturn = sign === "\r";
      at += 1;
      if (isSecondHalf) continue;
      if (sign === this.#delimiter) this.#finishCell();
      else if (sign === "\n" || sign === "\r") yield* this.#finishRow();
      else if (sign === '"' && this.#state !== "plain") this.#openQuote();
      else at = this.#readPlain(text, at - 1);
    }
  }

  /** The last row, if the text did not end with a line break. */
  *end(): Generator<CsvRow> {
    if (this.#state === "quoted") {
      throw new AppError(
        "bad_request",
        `A quoted value in row ${this.rowNumber + 1} of the CSV does not end.`,
      );
    }
    if (this.#row.length > 0 || this.#state !== "start") yield* this.#finishRow();
  }

  #openQuote(): void {
    if (this.#state === "closed") this.#append('"');
    this.#state = "quoted";
  }

  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    this.#append(text.slice(from, quote === -1 ? text.length : quote));
    if (quote === -1) return text.length;
    this.#state = "closed";
    return quote + 1;
  }

  #readPlain(text: string, from: number): number {
    let end = from + 1;
    while (end < text.length && !this.#endsPlain(text[end]!)) end += 1;
    this.#append(text.slice(from, end));
    this.#state = "plain";
    return end;
  }

  #endsPlain(sign: string): boolean {
    return sign === this.#delimiter || sign === "\n" || sign === "\r";
  }

  #append(piece: string): void {
    this.#cell += piece;
    this.#rowLength += piece.length;
    if (this.#rowLength > LIMITS.datasources.rowBytes) throw rowError();
  }

  #finishCell(): void {
    this.#row.push(this.#state === "start" ? null : this.#cell);
    this.#cell = "";
    this.#state = "start";
    if (this.#row.length > LIMITS.datasources.columns) {
      throw new AppError(
        "too_large",
        `Row ${this.rowNumber + 1} of the CSV has more than ${LIMITS.datasources.columns.toLocaleString("en")} values.`,
      );
    }
  }

  *#finishRow(): Generator<CsvRow> {
    const isEmpty = this.#row.length === 0 && this.#state === "start";
    this.#finishCell();
    const row = this.#row;
    this.#row = [];
    this.#rowLength = 0;
    this.rowNumber += 1;
    if (!isEmpty) yield row;
  }
}

const DELIMITERS = [",", ";", "\t", "|"];

/** The sign that cuts most of the first rows into the same number of values, more than one if possible. */
export function findDelimiter(sample: string): string {
  const scores = DELIMITERS.map((delimiter) => {
    const parser = new CsvParser(delimiter);
    const widths = [...parser.push(sample)].slice(0, 50).map((row) => row.length);
    if (widths.length === 0) widths.push(...[...parser.end()].map((row) => row.length));
    const [first = 0] = widths;
    const same = widths.filter((width) => width === first).length / Math.max(1, widths.length);
    return { delimiter, score: first > 1 ? same * Math.log2(first + 1) : 0 };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}
