import { createHash } from "node:crypto";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { EngineLimits, QueryRequest, TableView } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";

/** Quarantine: a workspace whose statement has just ended a process gets, for a while, processes of its own. */
export class Quarantine {
  readonly #until = new Map<string, number>();

  add(scope: string): void {
    const now = performance.now();
    for (const [one, until] of this.#until) if (until <= now) this.#until.delete(one);
    this.#until.set(scope, now + LIMITS.analytics.quarantineMs);
  }

  has(scope: string): boolean {
    return (this.#until.get(scope) ?? 0) > performance.now();
  }
}

/** For a statement that ended its process: nothing is gained by sending it again. */
export function crashError(error: unknown): AppError {
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

const MOST = 1_000;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const VALUES = /'[^']*'|\d+/g;

/**
 * Statements that took long or ended their process, by their texts without values: most heavy statements come many
 * times with other values. It only says in which line one waits, so it may be wrong.
 */
export class HeavyStatements {
  readonly #until = new Map<string, number>();

  add(request: QueryRequest): void {
    const key = keyOf(request);
    this.#until.delete(key);
    this.#until.set(key, performance.now() + LIMITS.analytics.heavyMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST && oldest !== undefined) this.#until.delete(oldest);
  }

  /** One has ended well: it may have been slow only because of others. */
  remove(request: QueryRequest): void {
    this.#until.delete(keyOf(request));
  }

  has(request: QueryRequest): boolean {
    return this.#until.size > 0 && (this.#until.get(keyOf(request)) ?? 0) > performance.now();
  }
}

function keyOf({ scope, sql }: QueryRequest): string {
  const shape = sql.replaceAll(COMMENTS, " ").replaceAll(VALUES, "0").replaceAll(/\s+/g, " ").trim();
  return createHash("sha256").update(scope).update("\u0000").update(shape).digest("base64url");
}

/** Equal exactly when everything is equal: a version alone would trust its caller with other people's rows. */
export function engineKey(
  scope: string,
  tableViews: readonly TableView[],
  { threads, memoryMb, spillMb, copyMb }: EngineLimits,
): string {
  const all = tableViews.map(
    ({ name, version, parts, columns, select, isHidden = false, isRestricted = false }) => [
      name,
      version,
      select,
      isHidden,
      isRestricted,
      columns,
      parts,
    ],
  );
  return createHash("sha256")
    .update(JSON.stringify([scope, all, threads, memoryMb, spillMb, copyMb]))
    .digest("base64url");
}
