import type { Logger } from "pino";
import { MS } from "../kernel/clock.ts";
import { AppError, isAppError, messageOf } from "../kernel/errors.ts";
import { newUuid } from "../kernel/ids.ts";
import { isDiskFull, isOutage, isReadOnly, pgCodeOf } from "../platform/catalog/index.ts";

/** What the machine or an engine refuses to everybody for the same reason, however it is asked. */
const STORAGE_TROUBLES: Readonly<Record<string, string>> = {
  EROFS: "The server's storage can only be read right now.",
  EACCES: "The server may not use its own storage right now.",
  EPERM: "The server may not use its own storage right now.",
  EIO: "The server's storage fails right now.",
  EMFILE: "The server has as many files open as it may.",
  ENFILE: "The server has as many files open as it may.",
};

/** When the log was last told of a trouble, and of how many calls it was not told since. */
const told = new WeakMap<Logger, Map<string, { atMs: number; calls: number }>>();

/** Every call fails as long as it lasts, all for the same reason. */
function tellOnce(trouble: string, thrown: unknown, log: Logger, facts: Record<string, unknown>): void {
  const known = told.get(log) ?? new Map<string, { atMs: number; calls: number }>();
  told.set(log, known);
  const last = known.get(trouble);
  if (last !== undefined && performance.now() - last.atMs < MS.minute) {
    last.calls += 1;
    return;
  }
  const others = last === undefined || last.calls === 0 ? {} : { callsSince: last.calls };
  log.error({ reason: messageOf(rootOf(thrown)), ...facts, ...others }, trouble);
  known.set(trouble, { atMs: performance.now(), calls: 0 });
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
    tellOnce("an engine is away", thrown, log, facts);
    const hint = "Try again in a moment.";
    return new AppError("unavailable", "The database cannot be reached right now.", { hint, cause: thrown });
  }
  const trouble = troubleOf(thrown);
  if (trouble !== undefined) {
    tellOnce(trouble, thrown, log, facts);
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

function troubleOf(thrown: unknown): string | undefined {
  if (isReadOnly(thrown)) return "The server's database can only be read right now.";
  if (isDiskFull(thrown)) return "The server's disk is full.";
  return STORAGE_TROUBLES[pgCodeOf(thrown) ?? ""];
}
