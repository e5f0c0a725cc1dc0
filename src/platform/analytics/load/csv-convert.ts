import { rm, writeFile } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Detected } from "../analytics-options.ts";
import { whileRunning } from "../engine/interruption.ts";
import type { ConvertAnswer, ConvertParams, WriteAnswer } from "../wire.ts";
import { type DetectedCsv, detectCsv, type Sample } from "./csv-detect.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { type Rejects, readRejects } from "./csv-rejects.ts";
import { checkedColumn, isMisfit, surveyTypes } from "./csv-types.ts";
import {
  detectEncoding,
  encodingName,
  FALLBACK_ENCODING,
  readHead,
  refuseBinary,
  transcode,
} from "./text-encoding.ts";
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
  const delimiter = options.delimiter ?? (format === "tsv" ? "\t" : undefined);
  const known = delimiter === undefined ? options : { ...options, delimiter };
  const sample = await takeSample(path, `${workFile}.sample`);
  const detected = await whileRunning(connection, context.signal, () =>
    detectCsv(connection, path, sample, known),
  ).finally(() => rm(`${workFile}.sample`, { force: true }));
  const { written, rejects, file } = await convertDetected(job, detected, context);
  return {
    ...written,
    rejected: rejects.rows,
    rejectedRows: rejects.count,
    hasBadEncoding: rejects.hasBadEncoding,
    detected: report(file, format, encoding, detected),
  };
}

/** The beginning of a file up to the end of a line, so that one giant row further down is not in the way. */
async function takeSample(path: string, samplePath: string): Promise<Sample> {
  const { bytes, fileBytes } = await readHead(path, LIMITS.analytics.rowBytes);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") throw new AppError("bad_request", "The file is empty.");
  if (bytes.length === fileBytes) return { text, path };
  const end = Math.max(bytes.lastIndexOf("\n"), bytes.lastIndexOf("\r"));
  if (end === -1) throw rowTooLong();
  await writeFile(samplePath, bytes.subarray(0, end + 1));
  return { text, path: samplePath };
}

function rowTooLong(): AppError {
  const most = LIMITS.analytics.rowBytes.toLocaleString("en");
  return new AppError("too_large", `The first row is longer than ${most} bytes.`, {
    hint: "Check that the file is CSV.",
  });
}

interface Converted {
  written: WriteAnswer;
  rejects: Rejects;
  file: CsvFile;
}

async function convertDetected(
  job: CsvJob,
  detected: DetectedCsv,
  context: WorkerContext,
): Promise<Converted> {
  const { connection } = job;
  const { given } = detected;
  const first = await attempt(job, detected, context);
  if (first !== undefined && !hasWrongType(first.rejects, given)) return first;
  const file = await whileRunning(connection, context.signal, () =>
    surveyTypes(connection, detected.file, given),
  );
  const second = await attempt(job, { ...detected, file }, context);
  if (second === undefined) throw new Error("types that hold all values do not hold them");
  return second;
}

/** A row that only failed because of a type that we have guessed is not to blame. */
function hasWrongType({ misfits }: Rejects, given: ReadonlySet<number>): boolean {
  return misfits.some((index) => !given.has(index));
}

/** Tables of rejected rows are never used twice. */
let lastTable = 0;

/** Undefined when a value turned out not to fit the type of its column. */
async function attempt(
  job: CsvJob,
  detected: DetectedCsv,
  context: WorkerContext,
): Promise<Converted | undefined> {
  const { connection, output } = job;
  const { file, given } = detected;
  lastTable += 1;
  const table = `rejects_${lastTable}`;
  const columns = file.columns.map((_, index) => checkedColumn(file, index, given.has(index)));
  const source = readCsv(
    file,
    columns.map(({ readType }) => readType),
    table,
  );
  const select = `SELECT ${columns.map(({ expression }) => expression).join(", ")} FROM ${source}`;
  try {
    const written = await writePart(connection, { select, columns: [...file.columns] }, output, context);
    return { written, rejects: await readRejects(connection, table), file };
  } catch (error) {
    if (isMisfit(error)) return undefined;
    // Lines that end in different ways are not worth refusing a file.
    const isTooStrict = file.isStrict && messageOf(error).includes("strict_mode=false");
    if (!isTooStrict) throw error;
    return attempt(job, { ...detected, file: { ...file, isStrict: false } }, context);
  }
}

function report(
  file: CsvFile,
  format: Detected["format"],
  encoding: string,
  { renamed }: DetectedCsv,
): Detected {
  const { delimiter, quote, header, decimal, dateFormat, timestampFormat, skippedLines } = file;
  return {
    format,
    encoding,
    delimiter,
    quote,
    escape: file.escape,
    header,
    decimal,
    skippedLines,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(timestampFormat === undefined ? {} : { timestampFormat }),
    ...(renamed.length === 0 ? {} : { renamed }),
  };
}
