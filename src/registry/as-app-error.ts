import type { Logger } from "pino";
import { AppError, isAppError } from "../kernel/errors.ts";
import { newUuid } from "../kernel/ids.ts";
import { isOutage } from "../platform/catalog/index.ts";

/**
 * What can be shown of anything that was thrown. An engine that is away is told as such, without its address;
 * what nobody expected is a bug: logged with an id, shown without its insides.
 */
export function asAppError(thrown: unknown, log: Logger, facts: Record<string, unknown>): AppError {
  if (isAppError(thrown) && thrown.data.engine === undefined) return thrown;
  if (isOutage(thrown)) {
    log.warn({ err: thrown, ...facts }, "an engine is away");
    const hint = "Try again in a moment.";
    return new AppError("unavailable", "The database cannot be reached right now.", { hint, cause: thrown });
  }
  const errorId = newUuid();
  log.error({ err: thrown, errorId, ...facts }, "unexpected error");
  return new AppError("internal", `Something went wrong on our side (error ${errorId}).`, {
    hint: "Try again; if it stays, give the error id to whoever runs this server.",
    data: { errorId },
    cause: thrown,
  });
}
