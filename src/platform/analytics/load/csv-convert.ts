import { rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";
import type { WorkerContext } from "../../sandbox/index.ts";
import type { Detected } from "../analytics-options.ts";
import { whileRunning } from "../engine/interruption.ts";
import type { ConvertAnswer, ConvertParams, WriteAnswer } from "../wire.ts";
import { dateNotes, formatsOf } from "./csv-date-columns.ts";
import { type DetectedCsv, detectAll, detectCsv } from "./csv-detect.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { notesOn, thousandsOf } from "./csv-grouping.ts";
import { shapeNotes, valueNotes } from "./csv-notes.ts";
import { type Rejects, readRejects } from "./csv-rejects.ts";
import { takeSample } from "./csv-sample.ts";
import { textNotes } from "./csv-text-notes.ts";
import { checkedColumn, isMisfit } from "./csv-types.ts";
import {
  detectEncoding,
  encodingName,
  FALLBACK_ENCODING,
  readHead,
  refuseBinary,
  transcode,
} from "./text-encoding.ts";
import { writePart } from "./write-part.ts";

/** Characters that are looked at for notes. */
const NOTES_SAMPLE = 256 * 1024;

export interface CsvJob extends ConvertParams {
  connection: DuckDBConnection;
  /** A file of our own, for a text that comes in another encoding. */
  workFile: string;
}

export interface CsvAnswer extends ConvertAnswer {
  /** What a reader should know about how the file was taken. */
  notes: string[];
}

/** Turns a CSV file into a part: encoding, then dialect and types, then rows. */
export async function convertCsv(job: CsvJob, context: WorkerContext): Promise<CsvAnswer> {
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

type EncodedAnswer = CsvAnswer & { hasBadEncoding: boolean };

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
  const { written, rejects, file, shortRows } = await convertDetected(job, detected, sample.text, context);
  return {
    ...written,
    rejected: rejects.rows,
    rejectedRows: rejects.count,
    hasBadEncoding: rejects.hasBadEncoding,
    notes: await whileRunning(connection, context.signal, () =>
      allNotes(job, file, sample.text.slice(0, NOTES_SAMPLE), { ...detected, shortRows }),
    ),
    detected: report(file, format, encoding, detected),
  };
}

async function allNotes(
  { connection, output }: CsvJob,
  file: CsvFile,
  head: string,
  { given, shortRows }: DetectedCsv & { shortRows: number },
): Promise<string[]> {
  return [
    ...(await dateNotes(connection, file, output)),
    ...shapeNotes(file, shortRows),
    ...valueNotes(file),
    ...notesOn(file),
    ...(await textNotes(connection, file, head, given)),
  ].slice(0, LIMITS.files.notes);
}

interface Converted {
  written: WriteAnswer;
  rejects: Rejects;
  file: CsvFile;
  /** Rows that had too few fields, and were filled up with nothing. */
  shortRows: number;
}

/** Each step can happen once: rows are filled up, all values are looked at, what then does not fit becomes text. */
const MOST_ATTEMPTS = 5;

async function convertDetected(
  job: CsvJob,
  first: DetectedCsv,
  head: string,
  context: WorkerContext,
): Promise<Converted> {
  const { connection } = job;
  let detected = first;
  let shortRows = 0;
  for (let round = 0; round < MOST_ATTEMPTS; round += 1) {
    const result = await attempt(job, detected, context);
    // A row that is rejected for its length has values that fit nothing.
    const isMisread =
      result !== undefined && !detected.isVerified && hasWrongType(result.rejects, detected.given);
    if (result === undefined || isMisread) {
      const before = detected;
      detected = before.isVerified
        ? asTexts(before)
        : await whileRunning(connection, context.signal, () =>
            detectAll(connection, before, head, job.options),
          );
    } else if (result.rejects.shortRows > 0 && !detected.file.isPadded) {
      shortRows = result.rejects.shortRows;
      detected = { ...detected, file: { ...detected.file, isPadded: true }, isVerified: false };
    } else return { ...result, shortRows };
  }
  throw new Error("columns of text do not hold their values");
}

function asTexts(detected: DetectedCsv): DetectedCsv {
  const columns = detected.file.columns.map((column, index) =>
    detected.given.has(index) ? column : { ...column, type: "VARCHAR" },
  );
  const nothing = { words: new Map(), units: new Map(), dates: new Map(), dropped: new Set<number>() };
  const grouping = { grouped: new Map(), ambiguous: new Map(), settled: undefined };
  return { ...detected, file: { ...detected.file, ...nothing, grouping, columns } };
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
): Promise<Omit<Converted, "shortRows"> | undefined> {
  const { connection, output } = job;
  const { file, given, isVerified } = detected;
  lastTable += 1;
  const table = `rejects_${lastTable}`;
  const columns = file.columns.map((_, index) =>
    checkedColumn(file, index, { isGiven: given.has(index), isVerified }),
  );
  const source = readCsv(
    file,
    columns.map(({ readType }) => readType),
    table,
  );
  const needs = columns.flatMap((column) => column.needs ?? []);
  const from = needs.length === 0 ? source : `(SELECT *, ${needs.join(", ")} FROM ${source})`;
  const isKept = (_: unknown, index: number): boolean => !file.dropped.has(index);
  const items = columns.filter(isKept).map(({ expression }) => expression);
  const select = `SELECT ${items.join(", ")} FROM ${from}`;
  try {
    const plan = { select, columns: file.columns.filter(isKept) };
    const written = await writePart(connection, plan, output, context);
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
  const thousands = thousandsOf(file);
  const [dateFormat, timestampFormat] = [formatsOf(file, "DATE"), formatsOf(file, "TIMESTAMP")];
  const { delimiter, quote, header, decimal, skippedLines, dropped } = file;
  const kept = renamed.filter(({ position }) => !dropped.has(position - 1));
  return {
    format,
    encoding,
    delimiter,
    quote,
    escape: file.escape,
    header,
    decimal,
    ...(thousands === undefined ? {} : { thousands }),
    skippedLines,
    ...(dateFormat === undefined ? {} : { dateFormat }),
    ...(timestampFormat === undefined ? {} : { timestampFormat }),
    ...(kept.length === 0 ? {} : { renamed: kept }),
  };
}
