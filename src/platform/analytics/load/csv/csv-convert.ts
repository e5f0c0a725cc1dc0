import { createReadStream } from "node:fs";
import { rm } from "node:fs/promises";
import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, messageOf } from "../../../../kernel/errors.ts";
import { quoteName, quoteText } from "../../../../kernel/sql-text.ts";
import { LIMITS as FILES } from "../../../files/limits.ts";
import type { WorkerContext } from "../../../sandbox/index.ts";
import type { Detected } from "../../analytics-options.ts";
import { whileRunning } from "../../engine/engine-errors.ts";
import { LIMITS } from "../../limits.ts";
import type { ConvertAnswer, ConvertParams, WriteAnswer } from "../../wire.ts";
import {
  detectEncoding,
  encodingName,
  encodingNotes,
  FALLBACK_ENCODING,
  hasBadBytes,
  isMostlyUtf8,
  readHead,
  refuseBinary,
  transcode,
} from "../text-encoding.ts";
import { writePart } from "../write-part.ts";
import { dateNotes, formatsOf } from "./csv-date-columns.ts";
import { asTexts, type DetectedCsv, detectAll, detectCsv } from "./csv-detect.ts";
import { parseRecord, skipLines } from "./csv-dialect.ts";
import { withUsualDialect } from "./csv-fast-path.ts";
import { type CsvFile, readCsv } from "./csv-file.ts";
import { NO_DELIMITER } from "./csv-header.ts";
import { digitNotes, shapeNotes, textNotes, valueNotes } from "./csv-notes.ts";
import { notesOn, thousandsOf } from "./csv-numbers.ts";
import { type Rejects, type Repaired, readRejects, repairCsv } from "./csv-repair.ts";
import { checkedColumn, isMisfit } from "./csv-types.ts";

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
  const isMended = given === undefined && hasBadBytes(head.bytes, encoding);
  const answer = await convertEncoded(job, { encoding, isMended }, context);
  // The first megabytes were plain, and then came something that is not UTF-8.
  const isOther = given === undefined && encoding === "utf-8" && answer.hasBadEncoding;
  const { hasBadEncoding: _, ...result } = isOther
    ? await convertEncoded(job, await lateEncoding(job.input), context)
    : answer;
  return result;
}

/** Of a file that begins as UTF-8 and does not go on so. */
async function lateEncoding(path: string): Promise<Decoding> {
  const isMended = await isMostlyUtf8(createReadStream(path));
  return { encoding: isMended ? "utf-8" : FALLBACK_ENCODING, isMended };
}

interface Decoding {
  encoding: string;
  /** Whether some bytes of a text in UTF-8 are not that. */
  isMended: boolean;
}

type EncodedAnswer = CsvAnswer & { hasBadEncoding: boolean };

async function convertEncoded(
  job: CsvJob,
  { encoding, isMended }: Decoding,
  context: WorkerContext,
): Promise<EncodedAnswer> {
  const { connection, input, workFile, format, options } = job;
  const isWritten = encoding !== "utf-8" || isMended;
  const lost = isWritten ? await transcode(input, workFile, encoding, context.signal) : 0;
  const decoded = isWritten ? workFile : input;
  const delimiter = options.delimiter ?? (format === "tsv" ? "\t" : undefined);
  const known = delimiter === undefined ? options : { ...options, delimiter };
  const { path, sample, found } = await withUsualDialect(
    decoded,
    { usual: usualPath(job), sample: `${workFile}.sample` },
    known,
    context.signal,
  );
  const detected = await whileRunning(connection, context.signal, () =>
    detectCsv(connection, path, sample, { ...known, ...found.read }),
  ).finally(() => rm(`${workFile}.sample`, { force: true }));
  try {
    const { written, rejects, file, repaired } = await convertDetected(job, detected, sample.text, context);
    const shortRows = repaired?.shortRows ?? 0;
    const rejected = [...rejects.rows, ...(repaired?.rejected ?? [])].toSorted((a, b) => a.line - b.line);
    return {
      ...written,
      rejected: rejected.slice(0, LIMITS.analytics.rejectedRows),
      rejectedRows: rejects.count + (repaired?.rejectedRows ?? 0),
      hasBadEncoding: rejects.hasBadEncoding,
      notes: await whileRunning(connection, context.signal, () =>
        allNotes(job, file, sample.text.slice(0, NOTES_SAMPLE), {
          ...detected,
          shortRows,
          firstNotes: [
            ...(options.encoding === undefined ? encodingNotes(encoding, lost) : []),
            ...found.notes,
          ],
        }),
      ),
      detected: { ...report(file, format, encoding, detected), ...found.written },
    };
  } finally {
    await rm(repairedPath(job), { force: true });
    await rm(usualPath(job), { force: true });
  }
}

/** Of the file as it is written again with the usual quotes and delimiter. */
function usualPath({ workFile }: CsvJob): string {
  return `${workFile}.usual`;
}

function repairedPath({ workFile }: CsvJob): string {
  return `${workFile}.repaired`;
}

async function allNotes(
  { connection, output }: CsvJob,
  file: CsvFile,
  head: string,
  {
    given,
    layoutNotes,
    extra,
    shortRows,
    firstNotes,
  }: DetectedCsv & { shortRows: number; firstNotes: string[] },
): Promise<string[]> {
  return [
    ...(await dateNotes(connection, file, output)),
    ...firstNotes,
    ...layoutNotes,
    ...shapeNotes(file, { shortRows, extra }),
    ...valueNotes(file),
    ...notesOn(file),
    ...digitNotes(file, head),
    ...(await textNotes(connection, file, head, given)),
  ].slice(0, FILES.files.notes);
}

interface Converted {
  written: WriteAnswer;
  rejects: Rejects;
  file: CsvFile;
  /** What had to be done before the file could be read. */
  repaired: Repaired | undefined;
}

/**
 * Each step can happen once: the file is repaired, values are not only hoped to be plain, all of them are looked at, what
 * then does not fit becomes text.
 */
const MOST_ATTEMPTS = 6;
/** From here on it pays to hope for plain values first. */
const MANY_COLUMNS = 200;

async function convertDetected(
  job: CsvJob,
  first: DetectedCsv,
  head: string,
  context: WorkerContext,
): Promise<Converted> {
  const { connection } = job;
  let detected = first;
  let isPlain = first.file.columns.length >= MANY_COLUMNS;
  let repaired: Repaired | undefined;
  const repair = async (): Promise<void> => {
    repaired = await repairCsv(detected.file, repairedPath(job), context.signal);
    const file: CsvFile = { ...detected.file, path: repairedPath(job), isRepaired: true };
    detected = { ...detected, file, isVerified: false };
  };
  const detectAgain = async (): Promise<void> => {
    const before = detected;
    detected = await whileRunning(connection, context.signal, () =>
      detectAll(connection, before, head, job.options),
    );
  };
  if (mixesLineEnds(head, first.file)) {
    await repair();
    await detectAgain();
  }
  for (let round = 0; round < MOST_ATTEMPTS; round += 1) {
    const result = await attempt(job, detected, isPlain && !detected.isVerified, context);
    if (repaired === undefined && (await needsRepair(job, detected.file, result))) {
      await repair();
      // Rows with too few fields may all have been passed over when types were looked for.
      const { columns } = detected.file;
      if (columns.every(({ type }, index) => type === "VARCHAR" || detected.given.has(index)))
        await detectAgain();
      continue;
    }
    if (result === "unreadable") throw unreadable();
    // A row that is rejected for its length has values that fit nothing.
    const isMisread =
      result !== "misfit" && !detected.isVerified && hasWrongType(result.rejects, detected.given);
    if (result === "misfit" || isMisread) {
      if (isPlain && !detected.isVerified) isPlain = false;
      else if (detected.isVerified) detected = asTexts(detected);
      else await detectAgain();
    } else return { ...result, repaired };
  }
  throw new Error("columns of text do not hold their values");
}

/** DuckDB finds no row at all where lines above the table, or those inside of its first record, end in another way. */
function mixesLineEnds(head: string, file: CsvFile): boolean {
  const { end } = parseRecord(head, skipLines(head, file.skippedLines), file);
  const next = file.skippedLines === 0 ? end : parseRecord(head, end, file).end;
  return new Set(head.slice(0, next).match(/\r\n|\r|\n/g)).size > 1;
}

function unreadable(): AppError {
  return new AppError("bad_request", "The quotes and line ends of this file cannot be told apart.", {
    hint: "Check that the file is CSV; options say its delimiter and quote.",
  });
}

type Attempt = Omit<Converted, "repaired"> | "misfit" | "unreadable";

/** An empty line in a file of one column was read as a row without a value. */
async function needsRepair(
  { connection, output }: CsvJob,
  { columns }: CsvFile,
  result: Attempt,
): Promise<boolean> {
  if (result === "misfit" || result === "unreadable") return result === "unreadable";
  // A quote in the header that has no end takes all rows into it.
  if (result.rejects.isRepairable || result.written.rows === 0) return true;
  if (columns.length > 1) return false;
  const reader = await connection.runAndReadAll(
    `SELECT count(*) FROM read_parquet(${quoteText(output)}) WHERE ${quoteName(columns[0]!.name)} IS NULL`,
  );
  return Number(reader.getRowsJS()[0]?.[0]) > 0;
}

/** A row that only failed because of a type that we have guessed is not to blame. */
function hasWrongType({ misfits }: Rejects, given: ReadonlySet<number>): boolean {
  return misfits.some((index) => !given.has(index));
}

/** Tables of rejected rows are never used twice. */
let lastTable = 0;

/** A misfit when a value does not fit the type of its column; unreadable when lines end in different ways. */
async function attempt(
  job: CsvJob,
  detected: DetectedCsv,
  isPlain: boolean,
  context: WorkerContext,
): Promise<Attempt> {
  const { connection, output } = job;
  const { file, given, isVerified } = detected;
  lastTable += 1;
  const table = `rejects_${lastTable}`;
  const columns = file.columns.map((_, index) =>
    checkedColumn(file, index, { isGiven: given.has(index), isVerified, isPlain }),
  );
  const source = readCsv(
    file,
    columns.map(({ readType }) => readType),
    table,
    (index) => columns[index]!.isRaw === true,
  );
  const needs = columns.flatMap((column) => column.needs ?? []);
  const from = needs.length === 0 ? source : `(SELECT *, ${needs.join(", ")} FROM ${source})`;
  const isKept = (_: unknown, index: number): boolean => !file.dropped.has(index);
  const items = columns.filter(isKept).map(({ expression }) => expression);
  const select = `SELECT ${items.join(", ")} FROM ${from}`;
  try {
    const plan = { select, columns: file.columns.filter(isKept) };
    const written = await writePart(connection, plan, output, context);
    return { written, rejects: await readRejects(connection, table, file.isRepaired === true), file };
  } catch (error) {
    if (isMisfit(error)) return "misfit";
    if (messageOf(error).includes("strict_mode=false")) return "unreadable";
    throw error;
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
    ...(delimiter === NO_DELIMITER ? {} : { delimiter }),
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
