import { basename } from "node:path";
import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  type CsvFormat,
  type CsvPiece,
  metadataOptions,
  type RowBatch,
  type RunOptions,
  type SourceColumn,
  startDeadline,
} from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import type { CsvSettings } from "../settings.ts";
import { credentialsOf, parseBase, webError, withParameters } from "./web-request.ts";

/** A CSV file by its URL, passed on as it arrives. */
export function createCsvConnector(
  settings: CsvSettings,
  secrets: Secrets,
  { fetch, sniffCsv }: Pick<ConnectorParts, "fetch" | "sniffCsv">,
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
    ...(await columnsOf(piecesOf(metadataOptions(signal)), sniffCsv, signal)),
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

/** Says which columns a CSV file has, from its beginning. */
export type SniffCsv = (
  head: Buffer,
  format: CsvFormat,
  signal: AbortSignal | undefined,
) => Promise<SourceColumn[]>;

/** Enough of a file to see its columns. */
const SAMPLE_BYTES = 1024 * 1024;

/** A CSV file piece by piece as it arrives. One that is compressed by itself (`.csv.gz`) is unpacked on the way. */
export async function* csvPieces(
  body: Readable,
  { delimiter, encoding, header, decimal }: CsvFormat,
  maxBytes: number,
): AsyncGenerator<CsvPiece> {
  const format = { delimiter, encoding, header, decimal };
  const mostBytes = Math.min(maxBytes, LIMITS.datasources.downloadBytes);
  let bytes = 0;
  for await (const csv of unpacked(body)) {
    bytes += csv.length;
    if (bytes > mostBytes) throw tooLarge(mostBytes);
    yield { csv, format };
  }
  if (bytes === 0) throw new AppError("bad_request", "The CSV file is empty.");
}

async function* unpacked(body: Readable): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const { done, value: first } = await chunks.next();
  if (done) return;
  if (first[0] !== 0x1f || first[1] !== 0x8b) {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
    return;
  }
  const whole = async function* (): AsyncGenerator<Buffer> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => chunks };
  };
  const gunzip = createGunzip();
  // The callback only keeps the error from being thrown a second time: the reader of the stream gets it.
  pipeline(whole, gunzip, () => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
  } catch (error) {
    const isOfPacking = /^Z_/.test(String((error as { code?: unknown }).code));
    throw isOfPacking ? new AppError("bad_request", "The file is compressed, and not sound.") : error;
  }
}

/** The columns of an answer, whichever form it has; no more of it is read than that takes. */
export async function columnsOf(
  answer: AsyncIterable<RowBatch | CsvPiece>,
  sniffCsv: SniffCsv,
  signal: AbortSignal | undefined,
): Promise<readonly SourceColumn[]> {
  let columns: readonly SourceColumn[] = [];
  let format: CsvFormat | undefined;
  const head: Buffer[] = [];
  let bytes = 0;
  for await (const batch of answer) {
    if (!("csv" in batch)) {
      columns = batch.columns;
      continue;
    }
    format = batch.format;
    head.push(batch.csv);
    bytes += batch.csv.length;
    if (bytes >= SAMPLE_BYTES) break;
  }
  if (format === undefined) return columns;
  return sniffCsv(wholeLines(Buffer.concat(head)), format, signal);
}

/** Without a line that goes on behind the sample. */
function wholeLines(head: Buffer): Buffer {
  const end = head.length < SAMPLE_BYTES ? 0 : head.lastIndexOf(10) + 1;
  if (end <= 0) return head;
  // In UTF-16 whose low bytes come first, half of the line end is still to come.
  const isHalf = end % 2 === 1 && head[end] === 0;
  return head.subarray(0, isHalf ? end + 1 : end);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("too_large", `The CSV file is larger than ${maxBytes.toLocaleString("en")} bytes.`);
}
