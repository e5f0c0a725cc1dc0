import type { Logger } from "pino";
import { MS } from "../kernel/clock.ts";
import { AppError, isAppError, messageOf } from "../kernel/errors.ts";
import { newUuid } from "../kernel/ids.ts";
import { isDiskFull, isOutage, isReadOnly } from "../platform/catalog/index.ts";

const READ_ONLY = "The server's database can only be read right now.";
const DISK_FULL = "The server's disk is full.";

/** When the log was last told of an outage, and of how many calls it was not told since. */
const told = new WeakMap<Logger, { atMs: number; calls: number }>();

/** Every call fails as long as it lasts, all for the same reason. */
function tellOfOutage(thrown: unknown, log: Logger, facts: Record<string, unknown>): void {
  const last = told.get(log);
  if (last !== undefined && performance.now() - last.atMs < MS.minute) {
    last.calls += 1;
    return;
  }
  const others = last === undefined || last.calls === 0 ? {} : { callsSince: last.calls };
  log.warn({ reason: messageOf(thrown), ...facts, ...others }, "an engine is away");
  told.set(log, { atMs: performance.now(), calls: 0 });
}

/**
 * What can be shown of anything that was thrown. An engine that is away is told as such, without its address;
 * what nobody expected is a bug: logged with an id, shown without its insides.
 */
export function asAppError(thrown: unknown, log: Logger, facts: Record<string, unknown>): AppError {
  if (isAppError(thrown) && thrown.data.engine === undefined) return thrown;
  if (isOutage(thrown)) {
    tellOfOutage(thrown, log, facts);
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
