import type { Logger } from "pino";
import { AppError, isAppError } from "../kernel/errors.ts";
import { newUuid } from "../kernel/ids.ts";
import { isDiskFull, isOutage, isReadOnly } from "../platform/catalog/index.ts";

const READ_ONLY = "The server's database can only be read right now.";
const DISK_FULL = "The server's disk is full.";

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
  const trouble = isReadOnly(thrown) ? READ_ONLY : isDiskFull(thrown) ? DISK_FULL : undefined;
  if (trouble !== undefined) {
    log.error({ err: thrown, ...facts }, trouble);
    const hint = "Nothing was changed. Tell whoever runs this server; kenning doctor says what to do.";
    return new AppError("unavailable", trouble, { hint, cause: thrown });
  }
  const errorId = newUuid();
  log.error({ err: thrown, errorId, ...facts }, "unexpected error");
  return new AppError("internal", `Something went wrong on our side (error ${errorId}).`, {
    hint: "Try again; if it stays, give the error id to whoever runs this server.",
    data: { errorId },
    cause: thrown,
  });
}
