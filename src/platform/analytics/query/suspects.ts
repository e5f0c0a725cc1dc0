import { createHash } from "node:crypto";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { QueryRequest } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";

const MOST = 1_000;

/** Statements that were running when their process ended: for a while each of them runs alone, until it has ended well. */
export class Suspects {
  readonly #until = new Map<string, number>();

  add(request: QueryRequest): void {
    this.#until.set(keyOf(request), performance.now() + LIMITS.analytics.suspectMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST && oldest !== undefined) this.#until.delete(oldest);
  }

  acquit(request: QueryRequest): void {
    if (this.#until.size > 0) this.#until.delete(keyOf(request));
  }

  has(request: QueryRequest): boolean {
    if (this.#until.size === 0) return false;
    return (this.#until.get(keyOf(request)) ?? 0) > performance.now();
  }
}

function keyOf({ scope, sql }: QueryRequest): string {
  return createHash("sha256").update(scope).update("\u0000").update(sql).digest("base64url");
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
