import type { DuckDBInstance } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { withConnection } from "../engine/engine.ts";
import { whileRunning } from "../engine/interruption.ts";
import { placeOf } from "../engine/table-view-sql.ts";
import type { EngineSpec } from "../wire.ts";

/** Found before any row was read. */
const BEFORE_ROWS = /^(?:Parser|Binder|Catalog) Error: /;
/** Tell of the engine, never of values. */
const HARMLESS = new Set<AppError["code"]>([
  "cancelled",
  "timeout",
  "too_large",
  "gone",
  "forbidden",
  "internal",
]);
const CHECK_MS = 5_000;

/**
 * Keeps the values of hidden rows out of errors. What a query says is evaluated only on rows that passed the
 * policies, so its errors tell nothing else; but the rows have to be read and turned into the dataset's types
 * before that, and an error there may quote any row. Which of the two it was cannot be read off its text: it was
 * there if the views alone, without the query, cannot be read either.
 */
export class HiddenValues {
  readonly #instance: DuckDBInstance;
  readonly #restricted: EngineSpec["tableViews"];
  /** An engine's files never change, so one look is enough. */
  #areReadable: boolean | undefined;

  constructor(instance: DuckDBInstance, { tableViews }: Pick<EngineSpec, "tableViews">) {
    this.#instance = instance;
    this.#restricted = tableViews.filter(({ isRestricted }) => isRestricted);
  }

  async keepOut(error: AppError, signal: AbortSignal): Promise<AppError> {
    if (this.#restricted.length === 0 || HARMLESS.has(error.code) || BEFORE_ROWS.test(error.message))
      return error;
    this.#areReadable ??= await this.#check(signal);
    if (signal.aborted) return new AppError("cancelled", "The query was cancelled.");
    return this.#areReadable === true ? error : unreadable(error);
  }

  /** Undefined when there was no time to find out. */
  async #check(signal: AbortSignal): Promise<boolean | undefined> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(CHECK_MS)]);
    try {
      await withConnection(this.#instance, (connection) =>
        whileRunning(connection, limited, async () => {
          for (const tableView of this.#restricted) {
            const rows = `SELECT hash("_scope_row") AS row FROM ${placeOf(tableView)} AS "_scope_row"`;
            await connection.runAndReadAll(`SELECT count(row) FROM (${rows})`);
          }
        }),
      );
      return true;
    } catch {
      return limited.aborted ? undefined : false;
    }
  }
}

/** Says what happened, but for the part that may quote a value; whoever sees all rows sees all of it. */
function unreadable(error: AppError): AppError {
  const kind = /([A-Z][A-Za-z ]*?) Error: /.exec(messageOf(error))?.[1]?.toLowerCase();
  const what = kind === undefined ? "" : ` (${kind} error)`;
  return new AppError("unavailable", `A value of the data could not be read${what}.`, {
    hint: "Which one is not shown, because policies keep rows from you. Ask someone who may see all rows.",
  });
}
