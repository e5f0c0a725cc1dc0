import { basename } from "node:path";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Connector, CsvPiece, RunOptions, SourceColumn } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import { startDeadline } from "../deadline.ts";
import { metadataOptions } from "../metadata.ts";
import type { CsvSettings } from "../settings.ts";
import { columnsOf, csvPieces } from "./csv-pieces.ts";
import { credentialsOf, parseBase, webError, withParameters } from "./web-request.ts";

/** A CSV file by its URL, passed on as it arrives. */
export function createCsvConnector(
  settings: CsvSettings,
  secrets: Secrets,
  { fetch, describeCsv }: Pick<ConnectorParts, "fetch" | "describeCsv">,
): Connector {
  const url = parseBase(settings.url);
  const credentials = credentialsOf(settings.auth, secrets);

  async function* piecesOf(options: RunOptions): AsyncGenerator<CsvPiece> {
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
      try {
        yield* csvPieces(body, settings, options.maxBytes);
      } finally {
        body.destroy();
      }
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : webError(error);
    } finally {
      deadline.clear();
    }
  }

  const columns = async (signal: AbortSignal | undefined): Promise<SourceColumn[]> => [
    ...(await columnsOf(piecesOf(metadataOptions(signal)), describeCsv, signal)),
  ];

  return {
    async test(signal) {
      await columns(signal);
      return { ok: true };
    },
    tables: async () => [{ name: basename(url.pathname) || url.hostname, kind: "table" }],
    columns: (_table, signal) => columns(signal),
    run(query, options) {
      if (query.trim() !== "") {
        throw new AppError("bad_request", "A CSV file takes no query of its own.", {
          hint: "Leave the query empty, and work on the rows that come.",
        });
      }
      return piecesOf(options);
    },
  };
}
