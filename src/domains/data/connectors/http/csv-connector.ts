import { basename } from "node:path";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../../../kernel/limits.ts";
import type { GuardedFetch } from "../../../../platform/guarded-fetch/index.ts";
import type { Connector, RowBatch, RunOptions } from "../connector.ts";
import type { Secrets } from "../connector-types.ts";
import { startDeadline } from "../deadline.ts";
import { metadataOptions, readAll } from "../metadata.ts";
import type { CsvSettings } from "../settings.ts";
import { csvRows } from "./csv-rows.ts";
import { inBatches } from "./row-batches.ts";
import { credentialsOf, parseBase, webError, withParameters } from "./web-request.ts";

/** A CSV file by its URL, read as it arrives. */
export function createCsvConnector(settings: CsvSettings, secrets: Secrets, fetch: GuardedFetch): Connector {
  const url = parseBase(settings.url);
  const credentials = credentialsOf(settings.auth, secrets);

  async function* rowsOf(options: RunOptions): AsyncGenerator<RowBatch> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    try {
      const { body } = await fetch.download(withParameters(url, credentials.parameters), {
        headers: {
          accept: "text/csv, text/plain;q=0.9, */*;q=0.1",
          ...settings.headers,
          ...credentials.headers,
        },
        maxBytes: LIMITS.datasources.downloadBytes,
        totalMs: deadline.leftMs(),
        idleMs: LIMITS.datasources.silenceMs,
        signal: deadline.signal,
      });
      const { rows, columns } = csvRows(body, settings);
      try {
        yield* inBatches(rows, columns, options);
      } finally {
        body.destroy();
      }
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : webError(error);
    } finally {
      deadline.clear();
    }
  }

  const sample = (maxRows: number, signal: AbortSignal | undefined): Promise<RowBatch> =>
    readAll(rowsOf({ ...metadataOptions(signal), maxRows }));

  return {
    async test(signal) {
      const { columns } = await sample(1, signal);
      if (columns.length > 0) return { ok: true };
      throw new AppError("bad_request", `The file from ${url.hostname} is empty.`);
    },
    tables: async () => [{ name: basename(url.pathname) || url.hostname, kind: "table" }],
    columns: async (_table, signal) => [...(await sample(1, signal)).columns],
    run(query, options) {
      if (query.trim() !== "") {
        throw new AppError("bad_request", "A CSV file takes no query of its own.", {
          hint: "Leave the query empty, and work on the rows that come.",
        });
      }
      return rowsOf(options);
    },
    close: () => Promise.resolve(),
  };
}
