import { AppError, isAppError } from "../../../kernel/errors.ts";
import { LIMITS } from "../limits.ts";

/** Workspaces whose statements have just ended a process: for a while they have processes of their own. */
export class Confined {
  readonly #until = new Map<string, number>();

  add(scope: string): void {
    const now = performance.now();
    for (const [one, until] of this.#until) if (until <= now) this.#until.delete(one);
    this.#until.set(scope, now + LIMITS.analytics.confinedMs);
  }

  has(scope: string): boolean {
    return (this.#until.get(scope) ?? 0) > performance.now();
  }
}

/** For a statement that ended its process: nothing is gained by sending it again. */
export function deadly(error: unknown): AppError {
  const { reason } = isAppError(error) ? error.data : {};
  const options = { data: { reason }, cause: error };
  if (reason === "memory") {
    return new AppError("too_large", "This needs more memory than a query may take, and was stopped.", {
      ...options,
      hint: "Filter or aggregate more, make shorter texts and lists, or select fewer columns.",
    });
  }
  return new AppError(
    "unavailable",
    "The process that ran this ended, most likely because of it. It was not run again.",
    {
      ...options,
      hint: "Change it before you send it again: less nesting, shorter texts and lists.",
    },
  );
}
