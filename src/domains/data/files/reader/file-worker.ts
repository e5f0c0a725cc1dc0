/**
 * Runs inside a sandboxed process that reads one file of a stranger's and ends. What is needed is imported here:
 * afterwards the process cannot read its own code.
 */
import { type FileHandle, open as openFile } from "node:fs/promises";
import { serve, type WorkerContext } from "../../../../platform/sandbox/index.ts";
import { openExcel } from "./excel/excel-reader.ts";
import { openJson } from "./json-reader.ts";
import type {
  Batch,
  OnFraction,
  OpenParams,
  ReadBatch,
  ReadOptions,
  ReadReport,
  TableReader,
} from "./table-reader.ts";
import { openXml } from "./xml-reader.ts";

type Open = (file: FileHandle, options: ReadOptions, onFraction: OnFraction) => Promise<TableReader>;

const READERS: Readonly<Record<OpenParams["kind"], Open>> = {
  excel: openExcel,
  xml: openXml,
  json: openJson,
};
const PROGRESS_MS = 200;

let batches: AsyncIterator<Batch> | undefined;

async function open(
  { kind, path, options }: OpenParams,
  { progress, signal }: WorkerContext,
): Promise<ReadReport> {
  let reportedAt = Date.now();
  const reader = await READERS[kind](await openFile(path), options, (fraction) => {
    signal.throwIfAborted();
    if (Date.now() - reportedAt < PROGRESS_MS) return;
    reportedAt = Date.now();
    progress({ fraction });
  });
  batches = reader.rows()[Symbol.asyncIterator]();
  return reader.report;
}

async function next(): Promise<ReadBatch> {
  const step = await batches!.next();
  if (step.done === true) return { bytes: new Uint8Array(0), isDone: true, fraction: 1 };
  return { ...step.value, isDone: false };
}

serve({ open: (params, context) => open(params as OpenParams, context), next });
