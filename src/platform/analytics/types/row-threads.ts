import { extname, join } from "node:path";
import type { JsonSlice } from "../../../kernel/json.ts";
import { WorkerPool } from "../../workers/index.ts";
import { LIMITS } from "../limits.ts";
import type { RowsTarget } from "./row-json.ts";
import type { RowsAnswer, RowsQuestion } from "./rows-worker.ts";

/** Reads the rows of large pushes in threads beside the server's own, which they would hold for a second or more. */
export class RowThreads {
  readonly #pool = new WorkerPool<RowsQuestion, RowsAnswer>({
    noun: "rows",
    nouns: "large pushes",
    hint: "Send them in several requests.",
    module: join(import.meta.dirname, `rows-worker${extname(import.meta.filename)}`),
    workers: LIMITS.analytics.rowReaders,
    waiting: LIMITS.analytics.waitingRowReaders,
    memoryMb: LIMITS.analytics.rowReaderMemoryMb,
    timeoutMs: LIMITS.analytics.rowReaderMs,
  });

  /** As `rowsToJson`. */
  toJson(
    rows: JsonSlice,
    { columns, into }: RowsTarget,
    { scope, signal }: { scope: string; signal?: AbortSignal | undefined },
  ): Promise<RowsAnswer> {
    return this.#pool.ask(scope, signal, () => {
      // A copy: what is handed over is gone here, and the rows may be asked for again.
      const list = new Uint8Array(rows.bytes);
      const target = { ...(columns && { columns }), ...(into && { into }) };
      return { value: { list, ...target }, transfer: [list.buffer as ArrayBuffer] };
    });
  }
}
