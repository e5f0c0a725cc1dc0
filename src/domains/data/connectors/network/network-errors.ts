import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { GarbageError } from "./driver-stream.ts";

const UNKNOWN_HOST = new Set(["ENOTFOUND", "ENODATA", "EAI_FAIL", "EAI_NONAME"]);
const REFUSED = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const BROKEN = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE"]);
const BAD_CERTIFICATE =
  /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_SSL|EPROTO)/;

/** A failure of the connection itself as a sentence about it; undefined for anything else. */
export function networkError(error: unknown, server: string): AppError | undefined {
  if (isAppError(error)) return error;
  if (error instanceof GarbageError) return garbageError(server);
  const code = codeOf(error);
  if (UNKNOWN_HOST.has(code)) return lasting(`${server} was not found.`, "Check the host name.");
  if (code === "EAI_AGAIN") return unavailable(`${server} cannot be looked up just now.`, "Try again.");
  if (REFUSED.has(code)) {
    return unavailable(
      `Nothing answers at ${server}.`,
      "Check host and port, and that the server is running.",
    );
  }
  if (code === "ETIMEDOUT") {
    return unavailable(`${server} did not answer in time.`, "Check host, port and firewall.");
  }
  if (BAD_CERTIFICATE.test(code)) {
    return lasting(
      `There is no secure connection to ${server}: ${code}.`,
      "Check the TLS setting and the certificate authority of the datasource.",
    );
  }
  return BROKEN.has(code) ? brokenError(server) : undefined;
}

export function brokenError(server: string): AppError {
  return unavailable(`${server} closed the connection.`, "Try again.");
}

/** For what no honest server sends. */
export function garbageError(server: string): AppError {
  return unavailable(
    `${server} sent an answer that cannot be read.`,
    "Check that host and port are those of the database, and the type of the datasource.",
  );
}

function unavailable(message: string, hint: string): AppError {
  return new AppError("unavailable", message, { hint });
}

/** For what stays as it is until somebody changes the datasource: another try is no use. */
function lasting(message: string, hint: string): AppError {
  return new AppError("unavailable", message, { hint, data: { retryable: false } });
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}
