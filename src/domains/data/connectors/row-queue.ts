import { AppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";
import type { RowBatch, SourceColumn, Truncation } from "./connector.ts";
import { type ColumnReader, uniqueNames, WrongValue } from "./value-text.ts";

/** Holds the other side back, and lets it go on. */
interface Valve {
  pause(): void;
  resume(): void;
}

export interface RowLimits {
  maxRows: number;
  maxBytes: number;
}

/** Decoder of a driver's row into JSON values. */
interface RowDecoder<Raw> {
  /** As they are known by now: a value may have shown that its column needs a wider type. */
  columns(): readonly SourceColumn[];
  decode(row: Raw): unknown[];
}

/**
 * Between a client library that calls back for each row and a reader who asks for batches. It holds about one
 * batch: then the valve is closed until the reader comes back.
 */
export class RowQueue<Raw> {
  readonly #valve: Valve;
  readonly #limits: RowLimits;
  #rows: Raw[] = [];
  #waitingBytes = 0;
  #totalRows = 0;
  #totalBytes = 0;
  #decoder: RowDecoder<Raw> = { columns: () => [], decode: () => [] };
  #truncated: Truncation | undefined;
  #isEnded = false;
  #isPaused = false;
  #error: unknown;
  #wake: () => void = () => undefined;

  constructor(valve: Valve, limits: RowLimits) {
    this.#valve = valve;
    this.#limits = limits;
  }

  describe(decoder: RowDecoder<Raw>): void {
    const width = decoder.columns().length;
    if (width > LIMITS.datasources.columns) {
      throw new AppError(
        "too_large",
        `The result has ${width.toLocaleString("en")} columns; ${LIMITS.datasources.columns.toLocaleString("en")} are allowed.`,
        { hint: "Name the columns that you need." },
      );
    }
    this.#decoder = decoder;
  }

  push(row: Raw, bytes: number): void {
    if (this.#isEnded || this.#error !== undefined) return;
    this.#totalRows += 1;
    this.#totalBytes += bytes;
    if (this.#totalRows > this.#limits.maxRows) this.#stop("rows");
    else if (this.#totalBytes > this.#limits.maxBytes) this.#stop("bytes");
    else this.#keep(row, bytes);
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  fail(error: unknown): void {
    if (this.#isEnded) return;
    this.#error ??= error;
    this.#wake();
  }

  async *batches(): AsyncGenerator<RowBatch> {
    for (let isFirst = true; ; isFirst = false) {
      await this.#ready();
      if (this.#error !== undefined) throw this.#error;
      const batch = this.#take();
      const isLast = this.#isEnded && this.#rows.length === 0;
      if (isLast && this.#truncated !== undefined) batch.truncated = this.#truncated;
      if (batch.rows.length > 0 || isFirst || batch.truncated !== undefined) yield batch;
      if (isLast) return;
      if (this.#isPaused && this.#error === undefined && !this.#isFull()) {
        this.#isPaused = false;
        this.#valve.resume();
      }
    }
  }

  async #ready(): Promise<void> {
    while (!this.#isEnded && this.#error === undefined && !this.#isFull()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** At most one batch: what arrived in the same piece may be more. */
  #take(): RowBatch {
    const { columns, decode } = this.#decoder;
    const before = this.#rows.length;
    const rows = this.#rows.splice(0, LIMITS.datasources.batchRows).map(decode);
    this.#waitingBytes = before === 0 ? 0 : (this.#waitingBytes * this.#rows.length) / before;
    return { columns: columns(), rows };
  }

  #keep(row: Raw, bytes: number): void {
    this.#rows.push(row);
    this.#waitingBytes += bytes;
    if (!this.#isFull()) return;
    if (!this.#isPaused) {
      this.#isPaused = true;
      this.#valve.pause();
    }
    this.#wake();
  }

  #stop(truncated: Truncation): void {
    this.#truncated = truncated;
    this.end();
  }

  #isFull(): boolean {
    return (
      this.#rows.length >= LIMITS.datasources.batchRows || this.#waitingBytes >= LIMITS.datasources.batchBytes
    );
  }
}

interface TextColumn extends ColumnReader {
  name: string;
}

/** Rows of a database that sends all values as text. */
export function textRows(columns: readonly TextColumn[]): RowDecoder<readonly (string | null)[]> {
  const names = uniqueNames(columns.map(({ name }) => name));
  let current = columns.map(({ type }, index) => ({ name: names[index]!, type }));
  const widen = (index: number): void => {
    if (current[index]!.type === "DOUBLE") return;
    // A new list: batches that were handed out keep theirs.
    current = current.with(index, { name: names[index]!, type: "DOUBLE" });
  };
  return {
    columns: () => current,
    decode(row) {
      if (row.length !== columns.length) throw wrongWidth();
      return row.map((text, index) => {
        if (text === null) return null;
        const column = columns[index]!;
        if (column.isTooLarge?.(text)) widen(index);
        return readValue(text, column);
      });
    },
  };
}

function readValue(text: string, { name, type, read }: TextColumn): unknown {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof WrongValue)) throw error;
    throw new AppError(
      "unavailable",
      `The server sent a value in the column ${name.slice(0, 100)} that is not a ${type}, as it says itself.`,
      { hint: "Cast the column to text in the query." },
    );
  }
}

function wrongWidth(): AppError {
  return new AppError(
    "unavailable",
    "The server sent a row with another number of columns than it announced.",
  );
}
