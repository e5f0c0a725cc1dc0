import { AppError, isAppError, messageOf } from "../../../kernel/errors.ts";
import { LIMITS } from "../../../kernel/limits.ts";

/** DuckDB's errors begin with their kind: "Binder Error: …". */
const KIND = /^([A-Za-z][A-Za-z -]*?) Error: /;
const PREFIX = /^Failed to [a-z ]+: /;
/** Where the files lie is nobody's business. */
const PLACES = /(?:\.\.\/|(?<![^\s"'(])\/|\bwork\/)[^\s"'[\],]*/g;

const MEMORY_HINT = "Filter or aggregate more, or select fewer columns.";

/** An expected failure for whatever DuckDB threw; the engine's own bugs are `internal`. */
export function asEngineError(error: unknown): AppError {
  if (isAppError(error)) return error;
  const text = messageOf(error).replace(PREFIX, "");
  if (text === "") return new AppError("bad_request", "There is no SELECT.", { cause: error });
  const kind = KIND.exec(text)?.[1] ?? "";
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
    case "":
    case "INTERNAL":
    case "FATAL":
      return new AppError("internal", `The query engine failed. ${message}`, { cause: error });
    default:
      return new AppError("bad_request", message, { cause: error });
  }
}

/** The same for a stranger's file: what cannot be read is the file's fault. */
export function asFileError(error: unknown, format: string): AppError {
  const known = asEngineError(error);
  const isFault = !isAppError(error) && (known.code === "unavailable" || known.code === "internal");
  if (!isFault) return known;
  const message = shorten(messageOf(error).replace(PLACES, "(file)"));
  return new AppError("bad_request", `The file cannot be read as ${format.toUpperCase()}. ${message}`, {
    cause: error,
  });
}

/** After such an error an engine refuses everything; it must be opened anew. */
export function breaksEngine(error: unknown): boolean {
  return /(?:INTERNAL|FATAL) Error: |database has been invalidated/.test(messageOf(error));
}

/** DuckDB's advice is for those who can change its settings. */
const ADVICE = /\s*(?:Possible solutions:|Possible fixes:|See also https:)[\s\S]*$/;

function shorten(text: string): string {
  const message = text.replace(ADVICE, "");
  const most = LIMITS.analytics.errorCharacters;
  return message.length > most ? `${message.slice(0, most).toWellFormed()}…` : message;
}
