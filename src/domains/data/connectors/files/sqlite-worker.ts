/** Reads an SQLite file in a sandboxed process. */

import { existsSync } from "node:fs";
import { constants, DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { AppError, messageOf } from "../../../../kernel/errors.ts";
import { serve } from "../../../../platform/sandbox/index.ts";
import { ANY_TYPE, type SourceColumn } from "../connector.ts";
import { lockedFile, refusedQuery, shownMessage, unknownTable, unreadableFile } from "../database-errors.ts";
import { sizeOfRow } from "../value-text.ts";
import type { NextAnswer, NextCall, OpenAnswer, OpenCall } from "./file-connector.ts";

/** Authorizer actions of a read-only query. */
const ALLOWED = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_FUNCTION,
  constants.SQLITE_RECURSIVE,
]);

interface Cursor {
  rows: Iterator<unknown>;
  columns: readonly SourceColumn[];
}

let cursor: Cursor | undefined;

/**
 * A database in WAL mode wants to write beside its file even to be read. Where it may not, and nobody has it open
 * (then there would be a -wal file), the file alone is all of it.
 */
function openDatabase(path: string): DatabaseSync {
  const options = { readOnly: true, allowExtension: false, timeout: 5_000 };
  const attempt = (location: string | URL): DatabaseSync => {
    const database = new DatabaseSync(location, options);
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
    database.setAuthorizer((action) => (ALLOWED.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY));
    return database;
  };
  try {
    return attempt(path);
  } catch (error) {
    if (existsSync(`${path}-wal`) || !isBarredFromWriting(error)) throw error;
    const url = pathToFileURL(path);
    url.searchParams.set("immutable", "1");
    return attempt(url);
  }
}

/** SQLITE_READONLY and SQLITE_CANTOPEN, whatever the details in the higher bits. */
function isBarredFromWriting(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && [8, 14].includes(errcode & 255);
}

/** SQLite checks no types; only what every value can become is promised. */
function columnType(declared: string | null): string {
  const type = (declared ?? "").toUpperCase();
  if (/CHAR|CLOB|TEXT/.test(type)) return "VARCHAR";
  return type === "BLOB" ? "BLOB" : ANY_TYPE;
}

function jsonValue(value: unknown, type: string): unknown {
  if (value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (type === "BLOB") return Buffer.from(String(value)).toString("base64");
  if (type === "VARCHAR") return String(value);
  if (typeof value === "bigint")
    return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
}

function open(params: unknown): OpenAnswer {
  const { path, query, values } = params as OpenCall;
  return explained(() => {
    const statement: StatementSync = openDatabase(path).prepare(query);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    const columns = statement.columns().map(({ name, type }) => ({ name, type: columnType(type) }));
    const bound = values.map((value): SQLInputValue => (typeof value === "boolean" ? Number(value) : value));
    cursor = { columns, rows: statement.iterate(...bound) };
    return { columns };
  });
}

function next(params: unknown): NextAnswer {
  const { maxRows, maxBytes } = params as NextCall;
  if (cursor === undefined) throw new AppError("unavailable", "The file is not open any more.");
  const { rows: iterator, columns } = cursor;
  return explained(() => {
    const rows: unknown[][] = [];
    let bytes = 0;
    while (rows.length < maxRows && bytes < maxBytes) {
      const { done, value } = iterator.next();
      if (done) return { rows, bytes, isLast: true };
      const row = (value as unknown[]).map((item, index) => jsonValue(item, columns[index]!.type));
      bytes += sizeOfRow(row);
      rows.push(row);
    }
    return { rows, bytes, isLast: false };
  });
}

function explained<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { errcode, code } = error as { errcode?: number; code?: string };
    if (errcode === undefined && code !== "ERR_SQLITE_ERROR") throw error;
    throw sqliteError(messageOf(error), (errcode ?? 0) & 255);
  }
}

function sqliteError(message: string, code: number): AppError {
  const shown = shownMessage(message, []);
  if (code === 23) {
    return new AppError("bad_request", "A datasource is only read, and this query does not only read.", {
      hint: "Send a query that only reads.",
    });
  }
  if (code === 14 || code === 3) return unreadableFile();
  if (code === 26 || code === 11)
    return new AppError("bad_request", `This is no sound SQLite database: ${shown}.`);
  if (code === 5 || code === 6) return lockedFile();
  return message.startsWith("no such table") ? unknownTable(shown) : refusedQuery(shown);
}

serve({ open, next });
