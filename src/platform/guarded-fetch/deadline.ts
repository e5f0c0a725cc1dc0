import { AppError } from "../../kernel/errors.ts";
import { abortError } from "../../kernel/time.ts";

export interface Deadline {
  /** Aborts with an AppError: `timeout`, or `cancelled` when the caller's own signal did it. */
  signal: AbortSignal;
  clear(): void;
}

/** One limit for everything that belongs to a request: look-ups, redirects, headers, body. */
export function startDeadline(totalMs: number, callers: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const onCancel = (): void => controller.abort(abortError(callers, "The request"));
  const timer = setTimeout(() => {
    controller.abort(new AppError("timeout", `The answer was not complete after ${totalMs / 1_000} s.`));
  }, totalMs);
  if (callers?.aborted) onCancel();
  else callers?.addEventListener("abort", onCancel, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      callers?.removeEventListener("abort", onCancel);
    },
  };
}
