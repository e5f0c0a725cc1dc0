import { AppError, isAppError } from "../../kernel/errors.ts";

const TIMEOUTS = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);
const HEADERS_TOO_LARGE = new Set(["UND_ERR_HEADERS_OVERFLOW", "HPE_HEADER_OVERFLOW"]);
const UNKNOWN_HOST = new Set(["ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_FAIL", "EAI_NONAME"]);
const BAD_CERTIFICATE = /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|ERR_SSL|EPROTO)/;

/** What will be the same the next time. */
const LASTING = { retryable: false };

const UNREADABLE = /^(HPE_|Z_|ERR__|ERR_BROTLI|ERR_ZSTD|ZSTD_)/;

/** Whatever a connection can throw, as an expected failure. Nothing of the answer gets into it. */
export function fetchError(error: unknown, host: string): AppError {
  if (isAppError(error)) return error;
  const server = host.slice(0, 255);
  const code = codeOf(error);
  if (TIMEOUTS.has(code)) {
    return new AppError("timeout", `${server} did not answer in time.`, {
      hint: "Try again later.",
      cause: error,
    });
  }
  if (HEADERS_TOO_LARGE.has(code))
    return new AppError("too_large", `The headers from ${server} are too large.`);
  if (UNKNOWN_HOST.has(code))
    return new AppError("unavailable", `${server} was not found.`, {
      data: code === "EAI_AGAIN" ? {} : LASTING,
      cause: error,
    });
  if (code === "UND_ERR_INVALID_ARG") {
    return new AppError("bad_request", "The request cannot be sent as it is.", { cause: error });
  }
  if (BAD_CERTIFICATE.test(code)) {
    return new AppError("unavailable", `There is no secure connection to ${server}: ${code}.`, {
      data: LASTING,
      cause: error,
    });
  }
  // Errors of the parser and of the decompressor carry pieces of the answer, so they are not passed on as a cause.
  if (isUnreadable(error)) {
    return new AppError("unavailable", `The answer from ${server} cannot be read.`);
  }
  return new AppError("unavailable", `${server} cannot be reached.`, { cause: error });
}

/** The parser's own errors do not always have a code. */
function isUnreadable(error: unknown): boolean {
  return (error as Error).name === "HTTPParserError" || UNREADABLE.test(codeOf(error));
}

/** What cuts an answer off that had begun; a decompressor says the last one. */
const BROKEN_OFF = new Set([
  "UND_ERR_SOCKET",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "ECONNRESET",
  "EPIPE",
  "ERR_STREAM_PREMATURE_CLOSE",
  "Z_BUF_ERROR",
]);

export class BrokenOffError extends Error {}

/** The same for what goes wrong while the body of an answer is read: then the server was reached. */
export function bodyError(error: unknown, host: string): AppError {
  const isBrokenOff = error instanceof BrokenOffError || BROKEN_OFF.has(codeOf(error));
  if (isAppError(error) || !isBrokenOff) return fetchError(error, host);
  return new AppError("unavailable", `The answer from ${host.slice(0, 255)} ended early.`, {
    hint: "Try again.",
  });
}

function codeOf(error: unknown): string {
  const { code, errors: several } = error as { code?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  return Array.isArray(several) && several.length > 0 ? codeOf(several[0]) : "";
}
