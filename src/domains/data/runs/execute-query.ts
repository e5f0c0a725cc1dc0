import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Analytics, Column, ConvertResult, Part, TableView } from "../../../platform/analytics/index.ts";
import { LIMITS as ENGINE } from "../../../platform/analytics/limits.ts";
import type { FolderBlobStore } from "../../../platform/blobs/index.ts";
import { ownedTempPath } from "../../../platform/temp/index.ts";
import type { Caller } from "../../../registry/caller.ts";
import { asQueryError, compileOn, parse } from "../c9ql/index.ts";
import type { Truncation } from "../connectors/index.ts";
import type { Datasource } from "../datasources.store.ts";
import type { Datasources } from "../datasources.ts";
import { LIMITS } from "../limits.ts";
import type { Query } from "../queries.store.ts";
import { highestOf, mergedSql, queryFrom } from "./incremental.ts";
import { type Spooled, spool, storedType } from "./spool.ts";

export interface ExecutionParts {
  datasources: Datasources;
  analytics: Analytics;
  blobs: FolderBlobStore;
  clock: Clock;
  /** A folder for this alone, on the same file system as the parts. */
  tempFolder: string;
  newPartKey(): string;
}

export interface Execution {
  part: Part;
  /** Whether the part has more rows for the dataset, and not all of them. */
  isAppended: boolean;
  /** Rows that the datasource gave, before C9QL. */
  rowsRead: number;
  rejectedRows: number;
  truncated: Truncation | null;
}

/** A query to run, and its caller. */
interface Asked {
  caller: Caller;
  datasource: Datasource;
  /** The rows of its dataset, where only newer ones are asked for. */
  kept?: TableView | undefined;
}

interface Progress {
  signal: AbortSignal;
  onRows: (rows: number) => void;
}

/** Asks the datasource and makes one finished part of its answer. When it fails, nothing is left of it. */
export async function executeQuery(
  parts: ExecutionParts,
  query: Query,
  asked: Asked,
  progress: Progress,
): Promise<Execution> {
  const folder = ownedTempPath(parts.tempFolder);
  await mkdir(folder, { mode: 0o700 });
  try {
    const newer = await newerOf(parts, query, asked, progress.signal);
    const answer = await ask(parts, newer ?? query, asked, join(folder, "answer"), progress);
    const { part, rejectedRows } = await toPart(parts, query, answer, progress.signal);
    const isAppended = newer !== undefined;
    const { rows: rowsRead = part.rows + rejectedRows, truncated } = answer;
    // C9QL could name no column of an answer that has none.
    if (query.c9ql === null || part.columns.length === 0) {
      const key = newer?.key;
      if (key === undefined || part.rows === 0)
        return { part, isAppended, rowsRead, rejectedRows, truncated };
      const whole = await merge(
        parts,
        query,
        { kept: asked.kept as TableView, part, key },
        join(folder, "merged"),
        progress,
      );
      return { part: whole, isAppended: false, rowsRead, rejectedRows, truncated };
    }
    const path = join(folder, "transformed");
    const transformed = await transform(parts, query, part, path, progress);
    return {
      part: transformed.part,
      isAppended: false,
      rowsRead,
      rejectedRows: rejectedRows + transformed.rejectedRows,
      truncated: truncated ?? transformed.truncated,
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The query for newer rows alone; undefined where all are asked for, as when there are none yet. */
async function newerOf(
  { analytics }: ExecutionParts,
  query: Query,
  { kept, datasource }: Asked,
  signal: AbortSignal,
): Promise<(Pick<Query, "queryText" | "parameters"> & { key: readonly string[] | undefined }) | undefined> {
  const incremental = query.refresh?.incremental;
  if (incremental === undefined || kept === undefined || query.c9ql !== null) return undefined;
  const scope = String(query.workspaceId);
  const since = await highestOf(analytics, { scope, signal }, kept, incremental.column);
  if (since === undefined) return undefined;
  const { type } = datasource;
  return { ...queryFrom(query, incremental, { since, type }), key: incremental.key };
}

/** All rows of a dataset after newer ones have come, as one part; the newer ones were only its input. */
async function merge(
  parts: ExecutionParts,
  query: Query,
  { kept, part, key }: { kept: TableView; part: Part; key: readonly string[] },
  path: string,
  { signal, onRows }: Progress,
): Promise<Part> {
  const { analytics, blobs } = parts;
  const added = { name: "added", parts: [blobs.pathOf(part.key)], columns: part.columns, version: part.key };
  try {
    const batches = analytics.queryStream({
      scope: String(query.workspaceId),
      tableViews: [{ ...kept, name: "kept" }, added],
      sql: mergedSql(key),
      limits: { ms: ENGINE.analytics.convertMs },
      signal,
    });
    return (await toPart(parts, query, await spool(batches, path, onRows), signal)).part;
  } finally {
    await blobs.delete(part.key);
    analytics.forget([blobs.pathOf(part.key)]);
  }
}

function ask(
  { datasources }: ExecutionParts,
  { queryText, parameters }: Pick<Query, "queryText" | "parameters">,
  { caller, datasource }: Asked,
  path: string,
  { signal, onRows }: Progress,
): Promise<Spooled> {
  return datasources.connect(caller, datasource, (connector) => {
    const batches = connector.run(queryText, {
      parameters,
      maxRows: LIMITS.queries.rows,
      maxBytes: LIMITS.queries.bytes,
      timeoutMs: LIMITS.datasources.runMs,
      signal,
    });
    return spool(batches, path, onRows);
  });
}

async function toPart(
  { analytics, blobs, newPartKey }: ExecutionParts,
  { workspaceId }: Query,
  { path, format, options, rows, columns }: Omit<Spooled, "truncated">,
  signal: AbortSignal,
): Promise<{ part: Part; rejectedRows: number }> {
  const key = newPartKey();
  if (rows === 0) return { part: emptyPart(key, columns), rejectedRows: 0 };
  const source = { path, handOver: true };
  const scope = String(workspaceId);
  const isOurs = format === "ndjson";
  const converting = analytics.convert({ source, format, key, options, scope, signal });
  const result = await (isOurs ? converting.catch(answerError) : converting);
  if (result.rows > 0 || result.rejectedRows === 0) return result;
  await blobs.delete(key);
  throw new AppError("bad_request", noneReadable(result, isOurs ? "row" : "line"));
}

function noneReadable({ rejected: [first], rejectedRows }: ConvertResult, place: string): string {
  const example = first === undefined ? "" : ` The first, in ${place} ${first.line}: ${first.reason}`;
  return `None of the ${rejectedRows.toLocaleString("en")} rows could be read.${example}`;
}

/** The file in which an answer waits is our own business: whoever asked has sent none. */
function answerError(error: unknown): never {
  if (!isAppError(error) || error.code !== "bad_request") throw error;
  const { incident } = error.data;
  const isBug = incident !== undefined;
  const reason = isBug ? "the engine fails on it." : withoutKind(error.message);
  const log = isBug ? ` The operator finds the reason in the log under ${incident}.` : "";
  throw new AppError("bad_request", `The answer cannot be kept as a dataset: ${reason}`, {
    hint: `Leave out the column in question, or cast it to text in the query.${log}`,
    data: error.data,
    cause: error,
  });
}

function withoutKind(message: string): string {
  return message.replace(/^The file cannot be read as \w+\. /, "").replace(/^(?:[A-Z][\w ]* Error: )+/, "");
}

/** A dataset without rows has columns but no file. */
function emptyPart(key: string, columns: readonly Column[]): Part {
  const typed = columns.map(({ name, type }) => ({ name, type: storedType(type) }));
  return { key, path: "", bytes: 0, sha256: "", rows: 0, columns: typed };
}

/** C9QL works on the answer in the analytics engine; the first part is only its input. */
async function transform(
  parts: ExecutionParts,
  query: Query,
  input: Part,
  path: string,
  { signal, onRows }: Progress,
): Promise<Pick<Execution, "part" | "rejectedRows" | "truncated">> {
  const { analytics, blobs, clock } = parts;
  try {
    const columns = input.columns;
    const files = input.rows === 0 ? [] : [blobs.pathOf(input.key)];
    const tableView = { name: "rows", parts: files, columns, version: input.key };
    const request = {
      scope: String(query.workspaceId),
      tableViews: [tableView],
      limits: { ms: ENGINE.analytics.convertMs },
      signal,
    };
    const { parameters } = query;
    const options = { columns, source: '"rows"', parameters, now: clock.now(), timezone: "UTC" };
    const tree = parse(query.c9ql ?? "", { columns });
    const { sql, params } = await compileOn(tree, options, async (needed, values) => {
      const { rows } = await analytics.query({ ...request, sql: needed, params: values });
      return rows.map(([value]) => value as string | null);
    });
    const batches = analytics.queryStream({ ...request, sql, params });
    const { truncated, ...spooled } = await spool(batches, path, onRows);
    return { ...(await toPart(parts, query, spooled, signal)), truncated };
  } catch (error) {
    throw asQueryError(error);
  } finally {
    if (input.rows > 0) {
      await blobs.delete(input.key);
      analytics.forget([blobs.pathOf(input.key)]);
    }
  }
}
