import type { Logger } from "pino";
import { AppError, isAppError, messageOf } from "../kernel/errors.ts";
import { newUuid } from "../kernel/ids.ts";
import { ToldOnce } from "../kernel/told-once.ts";
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

/** What each log was told of. */
const told = new WeakMap<Logger, ToldOnce>();

/** Every call fails as long as it lasts, all for the same reason. */
function tellOnce(trouble: string, thrown: unknown, log: Logger, facts: Record<string, unknown>): void {
  const once = told.get(log) ?? new ToldOnce();
  told.set(log, once);
  once.tell(trouble, (since) =>
    log.error({ reason: messageOf(rootOf(thrown)), ...facts, ...since }, trouble),
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
    tellOnce("an engine is away", thrown, log, facts);
    const hint = "Try again in a moment. If it changes something, look first whether that has happened.";
    const message = "The database cannot be reached right now.";
    return new AppError("unavailable", message, { hint, data: { part: "database" }, cause: thrown });
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
