import type { DuckDBConnection } from "@duckdb/node-api";
import { AppError, isAppError, messageOf } from "../../../kernel/errors.ts";
import { incidentError, isEngineBug } from "../../sandbox/index.ts";
import { LIMITS } from "../limits.ts";

/** DuckDB's errors begin with their kind: "Binder Error: …". */
const KIND = /^([A-Za-z][A-Za-z -]*?) Error: /;
const PREFIX = /^Failed to [a-z ]+: /;
/** Where the files lie is nobody's business. */
const PLACES = /(?:\.\.\/|(?<![^\s"'(])\/|\bwork\/)[^\s"'[\],]*/g;

const MEMORY_HINT = "Filter or aggregate more, or select fewer columns.";

/** What an engine says to everybody after one of its own errors, with the words of that error. */
const REFUSAL = /^FATAL Error: .*database has been invalidated/;
const REOPENED = "engine_reopened";
/** By Node's words and by the operating system's. */
const NO_ROOM = /\bENOSPC\b|\bEDQUOT\b|No space left on device|Disk quota exceeded/;
const DISK_FULL = "disk_full";

/** An expected failure for whatever DuckDB threw; the engine's own bugs are `internal`. */
export function asEngineError(error: unknown): AppError {
  if (isAppError(error)) return error;
  const text = messageOf(error).replace(PREFIX, "");
  if (text === "") return new AppError("bad_request", "There is no SELECT.", { cause: error });
  if (REFUSAL.test(text)) return reopened(error);
  if (NO_ROOM.test(text)) return diskFull(error);
  const kind = KIND.exec(text)?.[1] ?? "";
  if (kind === "" || isEngineBug(error)) {
    return incidentError("internal", "The engine failed on this.", {
      hint: "Another way to write it may work.",
      cause: error,
    });
  }
  const message = shorten(text.replace(PLACES, "(data)"));
  switch (kind) {
    case "INTERRUPT":
      return new AppError("cancelled", "The query was cancelled.", { cause: error });
    case "Out of Memory":
      return new AppError("too_large", `This needs more memory than is allowed. ${message}`, {
        hint: MEMORY_HINT,
        cause: error,
      });
    case "Permission":
      return new AppError("forbidden", "SQL may not touch files, the network or settings.", { cause: error });
    case "IO":
      return new AppError("unavailable", `The data could not be read. ${message}`, { cause: error });
    default:
      return new AppError("bad_request", message, { cause: error });
  }
}

/** The same for a stranger's file that an engine had to itself: what cannot be read is the file's fault. */
export function asFileError(error: unknown, format: string): AppError {
  // Of what we say ourselves, the reason may still be the engine's.
  const thrown = isAppError(error) && error.cause !== undefined ? error.cause : error;
  const known = asEngineError(thrown);
  if (known.data.reason === DISK_FULL) return known;
  if (known.code === "internal" || isReopened(known)) {
    return incidentError("bad_request", "This file cannot be read: the engine fails on it.", {
      hint: "Save it anew with another program, or in another format such as CSV, and import that.",
      cause: thrown,
    });
  }
  if (isAppError(error)) return error;
  if (known.code === "too_large") {
    return new AppError("too_large", known.message, {
      hint: "Split the file into several ones, or write it with smaller row groups.",
      cause: error,
    });
  }
  const isUnreadable = known.code === "unavailable" || (format === "parquet" && known.code === "bad_request");
  if (!isUnreadable) return known;
  const message = shorten(messageOf(error).replace(PLACES, "(file)").replace(KIND, ""));
  return new AppError("bad_request", `The file cannot be read as ${format.toUpperCase()}. ${message}`, {
    hint: "It may be damaged or cut off. If other programs can read it, save it anew from one of them.",
    cause: error,
  });
}

function diskFull(cause: unknown): AppError {
  return new AppError("unavailable", "The server's disk is full.", {
    hint: "Nothing was changed. Tell whoever runs this server; kenning doctor says what to do.",
    data: { reason: DISK_FULL },
    cause,
  });
}

function reopened(cause: unknown): AppError {
  return new AppError("unavailable", "The engine had to be opened again because of something else.", {
    hint: "Try again.",
    data: { reason: REOPENED },
    cause,
  });
}

/** It failed because of what another did to the same engine. */
export function isReopened(error: unknown): boolean {
  return isAppError(error) && error.data.reason === REOPENED;
}

/** DuckDB's advice is for those who can change its settings. */
const ADVICE = /\s*(?:Possible solutions:|Possible fixes:|See also https:|Stack Trace:)[\s\S]*$/;

function shorten(text: string): string {
  const message = text.replace(ADVICE, "");
  const most = LIMITS.analytics.errorCharacters;
  return message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message;
}

const AGAIN_MS = 20;

/**
 * Interrupts the connection when the signal comes. DuckDB forgets an interruption that arrives between two
 * steps of a query, so it is repeated until the work is over.
 */
export async function whileRunning<T>(
  connection: DuckDBConnection,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    timer = setTimeout(interrupt, AGAIN_MS);
  };
  if (signal.aborted) throw new AppError("cancelled", "The query was cancelled.");
  signal.addEventListener("abort", interrupt, { once: true });
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
