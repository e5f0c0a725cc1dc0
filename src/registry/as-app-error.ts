import type { Logger } from "pino";
import { AppError, isAppError, messageOf } from "../kernel/errors.ts";
import { LogThrottle } from "../kernel/logging.ts";
import { newUuid } from "../kernel/text.ts";
import { isDiskFull, isOutage, isReadOnly, pgCodeOf } from "../platform/catalog/index.ts";

/** What the machine or an engine refuses to everybody for the same reason, however it is asked. */
const STORAGE_FAILURES: Readonly<Record<string, string>> = {
  EROFS: "The server's storage can only be read right now.",
  EACCES: "The server may not use its own storage right now.",
  EPERM: "The server may not use its own storage right now.",
  EIO: "The server's storage fails right now.",
  EMFILE: "The server has as many files open as it may.",
  ENFILE: "The server has as many files open as it may.",
};

/** One throttle for each log. */
const throttles = new WeakMap<Logger, LogThrottle>();

/** As long as it lasts every call fails for the same reason. */
function logThrottled(failure: string, thrown: unknown, log: Logger, facts: Record<string, unknown>): void {
  const throttle = throttles.get(log) ?? new LogThrottle();
  throttles.set(log, throttle);
  throttle.log(failure, (since) =>
    log.error({ reason: messageOf(rootOf(thrown)), ...facts, ...since }, failure),
  );
}

/** Libraries wrap what went wrong in what they wanted to do. */
function rootOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? rootOf(thrown.cause) : thrown;
}

/**
 * What can be shown of anything that was thrown. What is wrong with an engine or the machine is told as such, without
 * its address; what nobody expected is a bug: logged with an id, shown without its insides.
 */
export function asAppError(thrown: unknown, log: Logger, facts: Record<string, unknown>): AppError {
  if (isAppError(thrown) && thrown.data.engine === undefined) return thrown;
  if (isOutage(thrown)) {
    logThrottled("an engine is away", thrown, log, facts);
    const hint = "Try again in a moment. If it changes something, look first whether that has happened.";
    const message = "The database cannot be reached right now.";
    return new AppError("unavailable", message, { hint, data: { part: "database" }, cause: thrown });
  }
  const failure = storageFailureOf(thrown);
  if (failure !== undefined) {
    logThrottled(failure, thrown, log, facts);
    const hint = "Nothing was changed. Tell whoever runs this server; kenning doctor says what to do.";
    return new AppError("unavailable", failure, { hint, cause: thrown });
  }
  const errorId = newUuid();
  log.error({ err: thrown, errorId, ...facts }, "unexpected error");
  return new AppError("internal", `Something went wrong on our side (error ${errorId}).`, {
    hint: "Try again; if it stays, give the error id to whoever runs this server.",
    data: { errorId },
    cause: thrown,
  });
}

function storageFailureOf(thrown: unknown): string | undefined {
  if (isReadOnly(thrown)) return "The server's database can only be read right now.";
  if (isDiskFull(thrown)) return "The server's disk is full.";
  return STORAGE_FAILURES[pgCodeOf(thrown) ?? ""];
}
