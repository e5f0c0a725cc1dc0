import { lstat, realpath } from "node:fs/promises";
import { extname, isAbsolute, join, sep } from "node:path";
import { z } from "zod";
import { AppError } from "../../../../kernel/errors.ts";
import { createSandbox, osUserOf, type Sandbox } from "../../../../platform/sandbox/index.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  type Deadline,
  type RowBatch,
  type RunOptions,
  type Scalar,
  type SourceColumn,
  startDeadline,
} from "../connector.ts";
import type { ConnectorParts } from "../connector-types.ts";
import { type Dialect, DUCKDB, SQLITE } from "../sql/dialects.ts";
import type { ReadStatement } from "../sql/read-statement.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { sizeOfRow, uniqueNames } from "../value-text.ts";

/** The process reads a file of strangers, so its answers are checked. */
const openAnswer: z.ZodType<OpenAnswer> = z.object({
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
});
const nextAnswer: z.ZodType<NextAnswer> = z.object({
  rows: z.array(z.array(z.unknown())),
  bytes: z.number(),
  isLast: z.boolean(),
});

interface FileEngine {
  dialect: Dialect;
  worker: string;
  /** DuckDB is native code, which Node's own walls cannot hold; the others stand. */
  permissionModel: "strict" | "addons";
  versionQuery: string;
  tablesQuery: string;
}

const FILE_ENGINES: Readonly<Record<"sqlite" | "duckdb", FileEngine>> = {
  sqlite: {
    dialect: SQLITE,
    worker: "sqlite-worker",
    permissionModel: "strict",
    versionQuery: "SELECT 'SQLite ' || sqlite_version()",
    tablesQuery: `SELECT NULL, name, type FROM sqlite_schema
      WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`,
  },
  duckdb: {
    dialect: DUCKDB,
    worker: "duckdb-worker",
    permissionModel: "addons",
    versionQuery: "SELECT 'DuckDB ' || version()",
    tablesQuery: `SELECT table_schema, table_name, table_type FROM information_schema.tables
      WHERE table_catalog = current_database() ORDER BY 1, 2`,
  },
};

/**
 * An SQLite or DuckDB file, which a stranger may have made: it is opened, for reading only, in a sandboxed process
 * that lives for one query.
 */
export function createFileConnector(
  type: "sqlite" | "duckdb",
  path: string,
  parts: ConnectorParts,
): Connector {
  const engine = FILE_ENGINES[type];

  async function* rowsOf(statement: ReadStatement, options: RunOptions): AsyncGenerator<RowBatch> {
    const deadline = startDeadline(Math.min(options.timeoutMs, LIMITS.datasources.runMs), options.signal);
    let sandbox: Sandbox | undefined;
    try {
      const file = await checkFile(path, parts.fileFolders);
      sandbox = startSandbox(type, engine, file.path, parts);
      yield* readFile(sandbox, file, statement, options, deadline);
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    } finally {
      await sandbox?.close();
      deadline.clear();
    }
  }

  const { dialect, versionQuery, tablesQuery } = engine;
  return sqlConnector({ dialect, versionQuery, tablesQuery, placeholder: () => "?", rowsOf });
}

/** Files of different workspaces are read side by side, and each reader should be somebody else. */
let started = 0;

function startSandbox(
  type: string,
  { worker, permissionModel }: FileEngine,
  file: string,
  { sandboxFolder, log }: ConnectorParts,
): Sandbox {
  return createSandbox({
    name: `${type} file`,
    module: join(import.meta.dirname, `${worker}${extname(import.meta.filename)}`),
    tempFolder: sandboxFolder,
    memoryMb: LIMITS.datasources.fileMemoryMb,
    requestTimeoutMs: LIMITS.datasources.runMs,
    // SQLite's write-ahead log and journal, of a database that is in use.
    allowRead: [file, `${file}-wal`, `${file}-shm`, `${file}-journal`],
    permissionModel,
    env: { TZ: "UTC" },
    user: osUserOf("databaseFile", ++started),
    log,
  });
}

async function* readFile(
  sandbox: Sandbox,
  file: CheckedFile,
  { text, values }: ReadStatement,
  { maxRows, maxBytes }: RunOptions,
  deadline: Deadline,
): AsyncGenerator<RowBatch> {
  const call = (method: "open" | "next", params: OpenCall | NextCall): Promise<unknown> =>
    sandbox.call(method, params, { signal: deadline.signal, timeoutMs: deadline.leftMs() + 1_000 });
  const opened = openAnswer.parse(await call("open", { path: file.path, query: text, values }));
  // Between the check and the opening, somebody may have put a link in its place.
  if (sandbox.hasOpen(file) === false) throw noSuchFile();
  const columns = named(opened.columns);
  let rowsLeft = maxRows;
  let bytesLeft = maxBytes;
  for (let isFirst = true; ; isFirst = false) {
    // One more than is wanted, to know whether there is more.
    const wanted = {
      maxRows: Math.min(LIMITS.datasources.batchRows, rowsLeft + 1),
      maxBytes: Math.min(LIMITS.datasources.batchBytes, bytesLeft + 1),
    };
    const { rows, bytes, isLast } = nextAnswer.parse(await call("next", wanted));
    if (rows.length > rowsLeft) {
      yield { columns, rows: rows.slice(0, rowsLeft), truncated: "rows" };
      return;
    }
    if (bytes > bytesLeft) {
      yield { columns, rows: rowsWithin(rows, bytesLeft), truncated: "bytes" };
      return;
    }
    rowsLeft -= rows.length;
    bytesLeft -= bytes;
    if (rows.length > 0 || isFirst) yield { columns, rows };
    if (isLast) return;
  }
}

function rowsWithin(rows: unknown[][], maxBytes: number): unknown[][] {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += sizeOfRow(row);
    return bytes > maxBytes;
  });
  return end === -1 ? rows : rows.slice(0, end);
}

function named(columns: readonly SourceColumn[]): SourceColumn[] {
  const names = uniqueNames(columns.map(({ name }) => name));
  return columns.map(({ type }, index) => ({ name: names[index]!, type }));
}

export interface CheckedFile {
  path: string;
  dev: number;
  ino: number;
}

/**
 * The real path of a file below one of the allowed folders, links followed. What lies elsewhere looks the same as
 * what does not exist: a datasource is no way to find out which files there are.
 */
async function checkFile(path: string, folders: readonly string[]): Promise<CheckedFile> {
  if (folders.length === 0) {
    throw new AppError("forbidden", "This server reads no SQLite or DuckDB files.", {
      hint: "Its operator can name folders from which such files may be read.",
    });
  }
  if (!isAbsolute(path)) {
    throw new AppError("bad_request", "The path of the file must be absolute.", {
      hint: "Write it from the root, such as /data/shop.db.",
    });
  }
  const real = await realpath(path).catch(() => undefined);
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => undefined)));
  const isBelow = allowed.some((folder) => folder !== undefined && real?.startsWith(withSlash(folder)));
  const info = isBelow ? await lstat(real!).catch(() => undefined) : undefined;
  if (info?.isFile()) return { path: real!, dev: info.dev, ino: info.ino };
  throw noSuchFile();
}

function noSuchFile(): AppError {
  return new AppError("not_found", "There is no such file in the folders that this server may read.", {
    hint: "Check the path, and that its operator allows the folder.",
  });
}

function withSlash(folder: string): string {
  return folder.endsWith(sep) ? folder : folder + sep;
}

/** Calls of a file connector to its sandboxed process. Rows are fetched batch by batch, for back-pressure. */
export interface OpenCall {
  path: string;
  query: string;
  values: readonly Scalar[];
}

export interface OpenAnswer {
  columns: SourceColumn[];
}

export interface NextCall {
  maxRows: number;
  maxBytes: number;
}

export interface NextAnswer {
  rows: unknown[][];
  bytes: number;
  isLast: boolean;
}
