import { AppError, isAppError } from "./errors.ts";

/** Aborts after a time, and says how long that was. */
export function timeLimit(ms: number, what = "This"): AbortSignal {
  const controller = new AbortController();
  const late = () =>
    controller.abort(
      new AppError("timeout", `${what} took longer than ${Math.round(ms / 100) / 10} s.`, {
        hint: "Ask for less, or try again when there is less to do.",
        data: { timeoutMs: ms },
      }),
    );
  setTimeout(late, ms).unref();
  return controller.signal;
}

/** Why something was told to end: whoever set a time limit says so itself; anything else is a cancellation. */
export function abortError(signal: AbortSignal | undefined, what = "The call"): AppError {
  const reason: unknown = signal?.reason;
  if (isAppError(reason)) return reason;
  if (reason instanceof DOMException && reason.name === "TimeoutError")
    return new AppError("timeout", `${what} took too long.`);
  return new AppError("cancelled", `${what} was cancelled.`);
}
