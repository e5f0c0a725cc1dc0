import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import type { WorkerContext } from "../sandbox/index.ts";
import type { Detected } from "./analytics-options.ts";
import { type DetectedCsv, detectCsv } from "./csv-detect.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { readRejects, type Rejects } from "./csv-rejects.ts";
import { checkedColumn, MISFIT, surveyTypes } from "./csv-types.ts";
import { whileRunning } from "./interruption.ts";
import { detectEncoding, encodingName, FALLBACK_ENCODING, readHead, refuseBinary, transcode } from "./text-encoding.ts";
import type { ConvertAnswer, ConvertParams, WriteAnswer } from "./wire.ts";
import { writePart } from "./write-part.ts";

export interface CsvJob extends ConvertParams {
  connection: DuckDBConnection;
  /** A file of our own, for a text that comes in another encoding. */
  workFile: string;
}

/** Turns a CSV file into a part: encoding, then dialect and types, then rows. */
export async function convertCsv(job: CsvJob, context: WorkerContext): Promise<ConvertAnswer> {
  const head = await readHead(job.input, LIMITS.analytics.rowBytes);
  refuseBinary(head.bytes, job.format);
  const given = job.options.encoding === undefined ? undefined : encodingName(job.options.encoding);
  const encoding = given ?? detectEncoding(head.bytes);
  const answer = await convertEncoded(job, encoding, context);
  // The first megabytes were plain, and then came something that is not UTF-8.
  const isOther = given === undefined && encoding === "utf-8" && answer.hasBadEncoding;
  const { hasBadEncoding: _, ...result } = isOther
    ? await convertEncoded(job, FALLBACK_ENCODING, context)
    : answer;
  return result;
}

type EncodedAnswer = ConvertAnswer & { hasBadEncoding: boolean };

async function convertEncoded(job: CsvJob, encoding: string, context: WorkerContext): Promise<EncodedAnswer> {
  const { connection, input, workFile, format, options } = job;
  if (encoding !== "utf-8") await transcode(input, workFile, encoding, context.signal);
  const path = encoding === "utf-8" ? input : workFile;
  const { bytes } = await readHead(path, LIMITS.analytics.rowBytes);
  const head = new TextDecoder().decode(bytes);
  if (head.trim() === "") throw new AppError("bad_request", "The file is empty.");
  const delimiter = options.delimiter ?? (format === "tsv" ? "\t" : undefined);
  const detected = await whileRunning(connection, context.signal, () =>
    detectCsv(connection, path, head, delimiter, options),
  );
  const { written, rejects, file } = await convertDetected(job, detected, context);
  return {
    ...written,
    rejected: rejects.rows,
    rejectedRows: rejects.count,
    hasBadEncoding: rejects.hasBadEncoding,
    detected: report(file, format, encoding, detected),
  };
}

interface Converted {
  written: WriteAnswer;
  rejects: Rejects;
  file: CsvFile;
}

async function convertDetected(job: CsvJob, detected: DetectedCsv, context: WorkerContext): Promise<Converted> {
  const { connection } = job;
  const { given } = detected;
  const first = await attempt(job, detected, context, "rejects_1");
  if (first !== undefined && !hasWrongType(first.rejects, given)) return first;
  const file = await whileRunning(connection, context.signal, () => surveyTypes(connection, detected.file, given));
  const second = await attempt(job, { ...detected, file }, context, "rejects_2");
  if (second === undefined) throw new Error("types that hold all values do not hold them");
  return second;
}

/** A row that only failed because of a type that we have guessed is not to blame. */
function hasWrongType({ misfits }: Rejects, given: ReadonlySet<number>): boolean {
  return misfits.some((index) => !given.has(index));
}

async function attempt(
  { connection, output }: CsvJob,
  { file, given }: DetectedCsv,
  context: WorkerContext,
  table: string,
): Promise<Converted | undefined> {
  const columns = file.columns.map((_, index) => checkedColumn(file, index, given.has(index)));
  const source = readCsv(file, columns.map(({ readType }) => readType), table);
  const select = `SELECT ${columns.map(({ expression }) => expression).join(", ")} FROM ${source}`;
  try {
    const written = await writePart(connection, { select, columns: [...file.columns] }, output, context);
    return { written, rejects: await readRejects(connection, table), file };
  } catch (error) {
    if (messageOf(error).includes(MISFIT)) return undefined;
    throw error;
  }
}

function report(file: CsvFile, format: Detected["format"], encoding: string, { renamed }: DetectedCsv): Detected {
  const { delimiter, quote, escape, header, decimal, dateFormat, timestampFormat, skippedLines } = file;
  return {
    format,
    encoding,
    delimiter,
    quote,
    escape,
    header,
    decimal,
    skippedLines,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(timestampFormat === undefined ? {} : { timestampFormat }),
    ...(renamed.length === 0 ? {} : { renamed }),
  };
}
