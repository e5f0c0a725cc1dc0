import { type DuckDBDataChunk, type DuckDBResult, ResultReturnType } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";
import type { Column, JsonValue } from "../analytics-options.ts";
import { jsonConverter, type ToJson, typeName } from "../engine/json-values.ts";
import { LIMITS } from "../limits.ts";
import { plainName } from "./exact-sums.ts";

export interface JsonRows {
  /** A JSON array of arrays, in UTF-8. */
  json: Uint8Array;
  rows: number;
  /** What ended this batch: the result itself or a limit; too many values count as too many bytes. */
  end: "done" | "rows" | "bytes";
}

/** A result that ended with an error. The binding has no words for it: to be found out by whoever catches this. */
export class BrokenResult extends Error {}

/** Takes rows out of a streaming result, as many as a limit lets pass; the rest waits for the next call. */
export class ResultReader {
  readonly columns: Column[];
  readonly #result: DuckDBResult;
  readonly #convert: ToJson[];
  /** What the names of the columns add to a row that is shown as an object. */
  readonly #nameBytes: number;
  /** Whether a number was none so far. */
  hasNaN = false;
  #waiting: string[] = [];
  #next = 0;
  #isDone = false;

  /** Computed numbers are told without the traces of binary fractions; stored ones are what they are. */
  constructor(result: DuckDBResult, { isComputed = false }: { isComputed?: boolean } = {}) {
    this.#result = result;
    const types = result.columnTypes();
    this.columns = result
      .deduplicatedColumnNames()
      .map((name, index) => ({ name: isComputed ? plainName(name) : name, type: typeName(types[index]!) }));
    this.#convert = types.map((type) => jsonConverter(type, isComputed));
    this.#nameBytes = Buffer.byteLength(this.columns.map(({ name }) => JSON.stringify(name)).join(":"));
  }

  /** A batch of a stream holds at least one row, or the stream would never get past a large one. */
  async read(limits: { rows: number; bytes: number }, isStream: boolean): Promise<JsonRows> {
    const taken: string[] = [];
    const mostRows = isStream ? Infinity : LIMITS.analytics.resultValues / Math.max(1, this.columns.length);
    const nameBytes = isStream ? 0 : this.#nameBytes;
    let bytes = 2;
    for (;;) {
      for (; this.#next < this.#waiting.length; this.#next += 1) {
        const row = this.#waiting[this.#next]!;
        if (taken.length >= limits.rows) return encode(taken, "rows");
        if (taken.length + 1 > mostRows) return encode(taken, "bytes");
        bytes += Buffer.byteLength(row) + 1 + nameBytes;
        if (bytes > limits.bytes && (!isStream || taken.length > 0)) return encode(taken, "bytes");
        if (bytes > LIMITS.analytics.resultMaxBytes) throw rowTooLarge();
        taken.push(row);
      }
      if (this.#isDone) return encode(taken, "done");
      await this.#fill();
    }
  }

  async #fill(): Promise<void> {
    const chunk = await this.#result.fetchChunk();
    this.#next = 0;
    this.#isDone = chunk === null || chunk.rowCount === 0;
    // An error in the middle looks like the end of the rows, but for this.
    if (this.#isDone && this.#result.returnType === ResultReturnType.INVALID) throw new BrokenResult();
    // The last chunk has no rows, and no columns either.
    this.#waiting = chunk === null || this.#isDone ? [] : this.#rowsOf(chunk);
  }

  #rowsOf(chunk: DuckDBDataChunk): string[] {
    const { rowCount } = chunk;
    const rows: JsonValue[][] = Array.from({ length: rowCount }, () => []);
    for (const [index, convert] of this.#convert.entries()) {
      const vector = chunk.getColumnVector(index);
      for (let row = 0; row < rowCount; row += 1) {
        const value = vector.getItem(row);
        if (Number.isNaN(value)) this.hasNaN = true;
        rows[row]!.push(convert(value));
      }
    }
    return rows.map((row) => JSON.stringify(row));
  }
}

function rowTooLarge(): AppError {
  const most = LIMITS.analytics.resultMaxBytes.toLocaleString("en");
  return new AppError("too_large", `A single row is larger than ${most} bytes.`);
}

function encode(rows: readonly string[], end: JsonRows["end"]): JsonRows {
  return { json: Buffer.from(`[${rows.join(",")}]`), rows: rows.length, end };
}
