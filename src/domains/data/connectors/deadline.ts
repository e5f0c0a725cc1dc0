import { AppError } from "../../../kernel/errors.ts";
import { abortError } from "../../../kernel/time.ts";

export interface Deadline {
  /** Its reason is an AppError: `timeout`, or `cancelled` when the caller's own signal did it. */
  signal: AbortSignal;
  /** What is left, at least a millisecond. */
  leftMs(): number;
  clear(): void;
}

/** One limit for all that belongs to a call: look-up, connection, query, rows. */
export function startDeadline(timeoutMs: number, callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  const onCancel = (): void => controller.abort(abortError(callers, "The query"));
  const timer = setTimeout(() => {
    controller.abort(
      new AppError("timeout", `The datasource needed more than ${timeoutMs / 1_000} s.`, {
        hint: "Ask for less, or raise the time limit.",
      }),
    );
  }, timeoutMs);
  if (callers?.aborted) onCancel();
  else callers?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => Math.max(1, Math.floor(endsAt - performance.now())),
    clear() {
      clearTimeout(timer);
      callers?.removeEventListener("abort", onCancel);
    },
  };
}

/** Waits for `work`, but not longer than the signal lets it; what comes of the work later is of no interest. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  if (signal.aborted) throw signal.reason;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
