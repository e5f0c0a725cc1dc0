import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../../../kernel/limits.ts";
import { rowError } from "../network/driver-stream.ts";

/** An empty cell is nothing; one in quotes is an empty text. */
export type CsvRow = (string | null)[];

/** Reads CSV (RFC 4180, and what programs make of it) piece by piece. */
export class CsvParser {
  readonly #delimiter: string;
  #row: CsvRow = [];
  #cell = "";
  #state: "start" | "plain" | "quoted" | "closed" = "start";
  #afterReturn = false;
  #rowLength = 0;
  /** Of the row that was read last, counted from 1. */
  line = 0;
  #nextLine = 1;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
  }

  /** The rows that end in this piece, with the line that each begins in. */
  *push(text: string): Generator<CsvRow> {
    let at = 0;
    while (at < text.length) {
      if (this.#state === "quoted") {
        at = this.#readQuoted(text, at);
        continue;
      }
      const end = this.#plainEnd(text, at);
      if (end > at) this.#append(text.slice(at, end));
      at = end;
      if (at < text.length) {
        const row = this.#takeSign(text[at]!);
        at += 1;
        if (row !== undefined) yield row;
      }
    }
  }

  /** The last row, if the text did not end with a line break. */
  end(): CsvRow | undefined {
    if (this.#state === "quoted") {
      throw new AppError("bad_request", `A quoted value in line ${this.#nextLine} of the CSV does not end.`);
    }
    return this.#row.length > 0 || this.#state !== "start" ? this.#finishRow() : undefined;
  }

  /** Where the next sign stands that means something outside of quotes. */
  #plainEnd(text: string, from: number): number {
    for (let at = from; at < text.length; at += 1) {
      const sign = text[at]!;
      if (sign === this.#delimiter || sign === "\n" || sign === "\r") return at;
      if (sign === '"' && this.#state === "start" && at === from) return at;
      if (this.#afterReturn) this.#afterReturn = false;
    }
    return text.length;
  }

  #takeSign(sign: string): CsvRow | undefined {
    const isSecondHalf = sign === "\n" && this.#afterReturn;
    this.#afterReturn = sign === "\r";
    if (isSecondHalf) return undefined;
    if (sign === '"' && this.#state === "start") this.#state = "quoted";
    else if (sign === this.#delimiter) this.#finishCell();
    else return this.#finishRow();
    return undefined;
  }

  #readQuoted(text: string, from: number): number {
    const quote = text.indexOf('"', from);
    const end = quote === -1 ? text.length : quote;
    const piece = text.slice(from, end);
    if (piece !== "") this.#append(piece, "quoted");
    if (quote === -1) return end;
    this.#state = "closed";
    return end + 1;
  }

  #append(piece: string, state: "plain" | "quoted" = "plain"): void {
    // A second quote behind a closed one stands for a quote, and the text goes on.
    if (state === "plain" && this.#state === "closed" && piece.startsWith('"')) {
      this.#grow('"');
      this.#state = "quoted";
      const rest = piece.slice(1);
      const close = rest.indexOf('"');
      if (close === -1) {
        if (rest !== "") this.#grow(rest);
        return;
      }
      this.#grow(rest.slice(0, close));
      this.#state = "closed";
      if (rest.length > close + 1) this.#append(rest.slice(close + 1));
      return;
    }
    this.#grow(piece);
    if (this.#state === "start") this.#state = state;
  }

  #grow(piece: string): void {
    this.#cell += piece;
    this.#rowLength += piece.length;
    if (this.#rowLength > LIMITS.datasources.rowBytes) throw rowError();
  }

  #finishCell(): void {
    this.#row.push(this.#state === "start" ? null : this.#cell);
    if (this.#row.length > LIMITS.datasources.columns) {
      throw new AppError("too_large", `A line of the CSV has more than ${LIMITS.datasources.columns} values.`);
    }
    this.#cell = "";
    this.#state = "start";
  }

  #finishRow(): CsvRow | undefined {
    const isEmpty = this.#row.length === 0 && this.#state === "start";
    this.#finishCell();
    const row = this.#row;
    this.#row = [];
    this.#rowLength = 0;
    this.line = this.#nextLine;
    this.#nextLine += 1;
    return isEmpty ? undefined : row;
  }
}
