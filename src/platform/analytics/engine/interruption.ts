import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError } from "../../../kernel/errors.ts";

const AGAIN_MS = 20;

/**
 * Interrupts the connection when the signal comes. DuckDB forgets an interruption that arrives between two
 * steps of a query, so it is repeated until the work is over.
 */
export async function whileRunning<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    timer = setTimeout(interrupt, AGAIN_MS);
  };
  if (signal.aborted) throw new AppError("cancelled", "The query was cancelled.");
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
