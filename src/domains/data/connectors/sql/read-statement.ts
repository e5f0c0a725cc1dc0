import { AppError } from "../../../../kernel/errors.ts";
import { nearest } from "../../../../kernel/text.ts";
import { LIMITS } from "../../limits.ts";
import type { Parameters, Scalar, TableName } from "../connector.ts";
import { checkQueryLength, noValue } from "../database-errors.ts";
import { type Dialect, type Segment, scan } from "./dialects.ts";

/** One statement that reads, with placeholders of the engine and the values for them. */
export interface ReadStatement {
  text: string;
  values: Scalar[];
}

/** Writes the placeholder of the value with this number (from 1). */
export type Placeholder = (number: number, value: Scalar) => string;

/** Checks what can be said without the server, and puts the engine's placeholders in place of `:name`. */
export function readStatement(
  query: string,
  parameters: Parameters | undefined,
  dialect: Dialect,
  placeholder: Placeholder,
): ReadStatement {
  checkQueryLength(query);
  const segments = withoutLastSemicolon(scan(query, dialect.lexicon));
  const code = codeOf(segments);
  checkNotEmpty(code);
  checkCharacters(query);
  checkOneStatement(code);
  checkReads(code, dialect);
  checkExecutableComments(segments, dialect);
  for (const { pattern, reason } of dialect.refused) if (pattern.test(code)) throw notReading(reason);
  return bind(segments, parameters ?? {}, placeholder);
}

/** The name of a table, quoted so that nothing in it can end it. */
export function quoteTable({ schema, name }: TableName, { quoteSign }: Dialect): string {
  const parts = schema === undefined ? [name] : [schema, name];
  return parts
    .map((part) => {
      if (part === "" || part.includes("\0") || part.length > 1_000)
        throw new AppError("bad_request", "This is not the name of a table.");
      return quoteSign + part.replaceAll(quoteSign, quoteSign + quoteSign) + quoteSign;
    })
    .join(".");
}

function withoutLastSemicolon(segments: Segment[]): Segment[] {
  const last = segments.findLastIndex(({ kind, text }) => kind !== "comment" && text.trim() !== "");
  return segments.map((segment, index) => {
    if (index !== last || segment.kind !== "code") return segment;
    return { kind: "code", text: segment.text.replace(/(\s*;)+\s*$/, "") };
  });
}

/** The code alone: a comment counts as a space, a quoted text as an empty one. */
function codeOf(segments: readonly Segment[]): string {
  return segments
    .map(({ kind, text }) => (kind === "code" ? text : kind === "comment" ? " " : " '' "))
    .join("");
}

function checkNotEmpty(code: string): void {
  if (code.trim() === "") throw new AppError("bad_request", "The query is empty.");
}

function checkCharacters(query: string): void {
  if (query.includes("\0")) throw new AppError("bad_request", "The query contains a NUL character.");
}

function checkOneStatement(code: string): void {
  if (!code.includes(";")) return;
  throw new AppError("bad_request", "The query has more than one statement.", {
    hint: "Send one statement, and no semicolon inside it.",
  });
}

function checkReads(code: string, { readWords }: Dialect): void {
  const word = /^[\s(]*([A-Za-z_]+)/.exec(code)?.[1]?.toUpperCase();
  if (word !== undefined && readWords.includes(word)) return;
  if (word !== undefined && WRITE_WORDS.has(word)) throw notReading(`it begins with ${word}`, readWords);
  const meant = word === undefined ? undefined : nearest(word, readWords);
  throw new AppError(
    "bad_request",
    word === undefined
      ? "The query does not begin with a word of SQL."
      : `A query that begins with ${word.slice(0, 100)} is none that is known to only read.`,
    {
      hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}Begin it with ${readWords.join(", ")}.`,
    },
  );
}

/** How statements begin that do something; any other word may be a slip in one of those that read. */
const WRITE_WORDS = new Set(
  (
    "ALTER ANALYZE ATTACH BEGIN CALL CHECKPOINT CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DELETE DETACH " +
    "DISCARD DO DROP EXECUTE EXPORT GRANT HANDLER IMPORT INSERT INSTALL KILL LISTEN LOAD LOCK MERGE NOTIFY OPTIMIZE " +
    "PRAGMA PREPARE REFRESH REINDEX RENAME REPAIR REPLACE RESET REVOKE ROLLBACK SAVEPOINT SET START TRUNCATE UNLOCK " +
    "UPDATE USE VACUUM"
  ).split(" "),
);

/** MySQL executes what stands in such a comment; nobody who reads the query would expect it. */
function checkExecutableComments(segments: readonly Segment[], { lexicon }: Dialect): void {
  if (!lexicon.hashComments) return;
  const found = segments.some(({ kind, text }) => kind === "comment" && /^\/\*M?!/i.test(text));
  if (found) throw notReading("it has a comment of the form /*! … */, which is executed");
}

function notReading(reason: string, readWords: readonly string[] = []): AppError {
  const begins = readWords.length === 0 ? "" : ` A query begins with ${readWords.join(", ")}.`;
  return new AppError(
    "bad_request",
    `A datasource is only read, and this query does not only read: ${reason}.`,
    {
      hint: `Send a query that only reads.${begins}`,
    },
  );
}

function bind(segments: readonly Segment[], parameters: Parameters, placeholder: Placeholder): ReadStatement {
  const values: Scalar[] = [];
  const put = (value: Scalar): string => {
    checkValue(value);
    if (values.length >= LIMITS.datasources.parameterValues) {
      throw new AppError(
        "too_large",
        `The parameters have more than ${LIMITS.datasources.parameterValues.toLocaleString("en")} values.`,
      );
    }
    values.push(value);
    return placeholder(values.length, value);
  };
  let depth = 0;
  const replace = (whole: string, name: string | undefined): string => {
    if (name === undefined) {
      depth = Math.max(0, depth + ("[{".includes(whole) ? 1 : -1));
      return whole;
    }
    if (!Object.hasOwn(parameters, name)) {
      // In brackets it may be a slice (a[:n]) or the field of a record ({'a':b}).
      if (depth > 0) return whole;
      throw noValue(name, Object.keys(parameters));
    }
    const value = parameters[name]!;
    if (!Array.isArray(value)) return put(value as Scalar);
    // IN () is no SQL; nothing is in an empty list.
    return value.length === 0 ? "NULL" : value.map(put).join(", ");
  };
  const text = segments
    .map(({ kind, text }) => (kind === "code" ? text.replace(NAME_OR_BRACKET, replace) : text))
    .join("");
  return { text, values };
}

/** A name behind a colon that is neither a cast (a::int) nor a slice (a[1:n]); and brackets of two kinds. */
const NAME_OR_BRACKET = /(?<![:\w]):([A-Za-z_]\w*)|[[\]{}]/g;

function checkValue(value: Scalar): void {
  const isFine = typeof value === "number" ? Number.isFinite(value) : !String(value).includes("\0");
  if (!isFine)
    throw new AppError("bad_request", "A parameter has a value that cannot be sent to a database.");
}
