/** Reads a DuckDB file in a sandboxed process. */

import {
  DuckDBInstance,
  type DuckDBResult,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  JsonDuckDBValueConverter,
  StatementType,
} from "@duckdb/node-api";
import { AppError, messageOf } from "../../../../kernel/errors.ts";
import { incidentError, isEngineBug, serve, type WorkerContext } from "../../../../platform/sandbox/index.ts";
import { lockedFile, refusedQuery, shownMessage, unknownTable, unreadableFile } from "../database-errors.ts";
import { parseJson, sizeOfRow } from "../value-text.ts";
import type { NextAnswer, NextCall, OpenAnswer, OpenCall } from "./file-connector.ts";

const MEMORY_LIMIT = "512MB";
const NESTED = new Set([
  DuckDBTypeId.LIST,
  DuckDBTypeId.ARRAY,
  DuckDBTypeId.STRUCT,
  DuckDBTypeId.MAP,
  DuckDBTypeId.UNION,
  DuckDBTypeId.VARIANT,
]);

interface Cursor {
  result: DuckDBResult;
  /** Column types of the result: the values of a JSON column do not say that they are JSON. */
  types: readonly DuckDBType[];
  /** Of the chunk that was fetched last; not all of them were asked for yet. */
  waiting: unknown[][];
  interrupt(): void;
}

let cursor: Cursor | undefined;

async function open(params: unknown, { signal }: WorkerContext): Promise<OpenAnswer> {
  const { path, query, values } = params as OpenCall;
  return explained(async () => {
    const instance = await DuckDBInstance.create(path, {
      access_mode: "READ_ONLY",
      enable_external_access: "false",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
      memory_limit: MEMORY_LIMIT,
      max_temp_directory_size: "0KB",
      threads: "2",
      lock_configuration: "true",
    });
    const connection = await instance.connect();
    const interrupt = (): void => connection.interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    const statements = await connection.extractStatements(query);
    if (statements.count !== 1) throw notReading();
    const prepared = await statements.prepare(0);
    if (![StatementType.SELECT, StatementType.EXPLAIN].includes(prepared.statementType)) throw notReading();
    prepared.bind([...values]);
    const result = await prepared.stream();
    signal.removeEventListener("abort", interrupt);
    const types = result.columnTypes();
    const columns = result.columnNames().map((name, index) => ({ name, type: columnType(types[index]!) }));
    cursor = { result, types, waiting: [], interrupt };
    return { columns };
  });
}

async function next(params: unknown, { signal }: WorkerContext): Promise<NextAnswer> {
  const { maxRows, maxBytes } = params as NextCall;
  const current = cursor;
  if (current === undefined) throw new AppError("unavailable", "The file is not open any more.");
  signal.addEventListener("abort", current.interrupt, { once: true });
  try {
    return await explained(() => take(current, maxRows, maxBytes));
  } finally {
    signal.removeEventListener("abort", current.interrupt);
  }
}

async function take(current: Cursor, maxRows: number, maxBytes: number): Promise<NextAnswer> {
  const rows: unknown[][] = [];
  let bytes = 0;
  while (rows.length < maxRows && bytes < maxBytes) {
    if (current.waiting.length === 0) {
      const chunk = await current.result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) return { rows, bytes, isLast: true };
      const toJson = (value: DuckDBValue, index: number): unknown => jsonValue(value, current.types[index]!);
      current.waiting = chunk
        .getRows()
        .map((row) => row.map(toJson))
        .reverse();
    }
    const row = current.waiting.pop()!;
    bytes += sizeOfRow(row);
    rows.push(row);
  }
  return { rows, bytes, isLast: false };
}

/** JSON is text with another name; what is nested becomes JSON. */
function columnType(type: DuckDBType): string {
  if (NESTED.has(type.typeId) || type.alias === "JSON") return "JSON";
  if (type.typeId === DuckDBTypeId.ENUM || type.typeId === DuckDBTypeId.SQLNULL) return "VARCHAR";
  return type.toString();
}

function jsonValue(value: DuckDBValue, type: DuckDBType): unknown {
  if (value === null) return null;
  if (type.typeId === DuckDBTypeId.BLOB)
    return Buffer.from((value as { bytes: Uint8Array }).bytes).toString("base64");
  if (type.typeId === DuckDBTypeId.INTERVAL) return String(value);
  if (type.alias === "JSON") return parsed(String(value));
  const json = JsonDuckDBValueConverter(value, type, JsonDuckDBValueConverter);
  // The process has no other time zone than UTC.
  if (/^TIMESTAMP/.test(type.toString()))
    return String(json)
      .replace(/^(\S+\d) /, "$1T")
      .replace(/\+00$/, "Z");
  return json;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function notReading(): AppError {
  return new AppError("bad_request", "A datasource is only read, and this query does not only read.", {
    hint: "Send one query that only reads.",
  });
}

async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw duckdbError(error);
  }
}

function duckdbError(error: unknown): AppError {
  const message = messageOf(error);
  if (isEngineBug(error)) {
    return incidentError("bad_request", "The engine fails on this file or query.", {
      hint: "Write the query in another way; if it stays, the file must be written anew (EXPORT DATABASE, IMPORT DATABASE).",
      cause: error,
    });
  }
  const shown = shownMessage(message.split("\n")[0], []);
  if (/Conflicting lock|Could not set lock/i.test(message)) return lockedFile();
  if (/Permission denied/i.test(message)) return unreadableFile();
  if (/not a valid DuckDB database|version number|Corrupt|checksum|Serialization Error/i.test(message))
    return new AppError("bad_request", `This is no DuckDB database that can be read: ${shown}.`);
  if (/^Catalog Error: Table with name/.test(message)) return unknownTable(shown);
  return refusedQuery(shown);
}

serve({ open, next });
