import {
  AppError,
  type AppErrorOptions,
  ERROR_CODES,
  type ErrorCode,
  isAppError,
  messageOf,
} from "../../kernel/errors.ts";
import { randomText } from "../../kernel/text.ts";
import type { WorkerError } from "./protocol.ts";
import type { EndReason } from "./sandbox-process.ts";

const ENDINGS: Readonly<Record<EndReason, string>> = {
  crash: "The process that worked on this ended unexpectedly.",
  memory: "This needed more memory than is allowed.",
  stuck: "The process that worked on this had to be stopped because of another call.",
  folder: "The folder in which this was worked on is not there any more.",
  protocol: "The process that worked on this gave an answer that cannot be read.",
  start: "The process that works on this could not be started.",
  closed: "The server is stopping.",
};

/** The error of a call whose process ended under it, and whether it was the only one there. */
export function endError(reason: EndReason, wasAlone = false): AppError {
  const hint = reason === "memory" ? "Try a smaller input." : "Try again.";
  return new AppError("unavailable", ENDINGS[reason], { hint, data: { reason, wasAlone } });
}

/** A call that failed because its process ended, which need not have been its own doing. */
export function isProcessLost(error: unknown): boolean {
  if (!isAppError(error) || error.code !== "unavailable") return false;
  const { reason } = error.data;
  return typeof reason === "string" && reason in ENDINGS && reason !== "closed";
}

/** Endings that a call may have caused itself: then there is no retry beside others. */
const ATTRIBUTABLE: ReadonlySet<unknown> = new Set(["crash", "memory", "protocol"] satisfies EndReason[]);

/** Crash attribution: how likely it is that a call which failed with its process was what ended it. */
export function crashAttribution(error: unknown): "none" | "possible" | "certain" {
  if (!isAppError(error) || !isProcessLost(error) || !ATTRIBUTABLE.has(error.data.reason)) return "none";
  return error.data.wasAlone === true ? "certain" : "possible";
}

export function queueError(): AppError {
  return new AppError("unavailable", "Too many calls are waiting for the same process.", {
    hint: "Try again later.",
  });
}

export function timeoutError(timeoutMs: number): AppError {
  return new AppError("timeout", `This took longer than ${timeoutMs / 1_000} s.`);
}

export function paramsError(limitBytes: number): AppError {
  return new AppError("too_large", `The input is larger than ${limitBytes.toLocaleString("en")} bytes.`);
}

/** An error of the method itself. Expected ones come through as they were; anything else is a bug in there. */
export function workerError(method: string, { code, message, hint, data }: WorkerError): Error {
  if (!isErrorCode(code)) return new Error(`${method} failed in the sandbox: ${String(message)}`);
  const isData = typeof data === "object" && data !== null;
  return new AppError(code, String(message), {
    ...(typeof hint === "string" ? { hint } : {}),
    ...(isData ? { data } : {}),
  });
}

function isErrorCode(code: unknown): code is ErrorCode {
  return (ERROR_CODES as readonly unknown[]).includes(code);
}

const ID_BYTES = 8;
/** A stack trace, and a few values. */
const DETAIL_CHARACTERS = 8_000;

/** DuckDB's errors about itself, after which it refuses everything. */
const OWN_ERROR = /^(?:Failed to [a-z ]+: )?(?:INTERNAL|FATAL) Error: /;

/** Internal error of the engine, and not about what it was asked. */
export function isEngineBug(error: unknown): boolean {
  return OWN_ERROR.test(messageOf(error));
}

/**
 * A bug of the engine that a sandboxed process runs. Its words may quote anybody's data and tell of the machine, so
 * the caller gets an id, and the log has the words under it.
 */
export function incidentError(
  code: ErrorCode,
  message: string,
  { hint = "", cause }: Pick<AppErrorOptions, "hint" | "cause">,
): AppError {
  const incident = randomText(ID_BYTES);
  return new AppError(code, message, {
    hint: `${hint} The operator finds the reason in the log under ${incident}.`.trimStart(),
    data: { incident },
    cause,
  });
}

/** What the log has to say about such an error; undefined for every other one. */
export function detailOf({ data, cause }: AppError): string | undefined {
  if (data.incident === undefined) return undefined;
  return messageOf(cause).slice(0, DETAIL_CHARACTERS).toWellFormed();
}
