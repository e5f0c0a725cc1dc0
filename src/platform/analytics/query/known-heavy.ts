import { createHash } from "node:crypto";
import type { QueryRequest } from "../analytics-options.ts";
import { LIMITS } from "../limits.ts";

const MOST = 1_000;
const COMMENTS = /--[^\n]*|\/\*[\s\S]*?\*\//g;
const VALUES = /'[^']*'|\d+/g;

/**
 * Statements that took long or ended their process, by their texts without values: most heavy statements come many
 * times with other values. It only says in which line one waits, so it may be wrong.
 */
export class KnownHeavy {
  readonly #until = new Map<string, number>();

  add(request: QueryRequest): void {
    const key = keyOf(request);
    this.#until.delete(key);
    this.#until.set(key, performance.now() + LIMITS.analytics.heavyMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > MOST && oldest !== undefined) this.#until.delete(oldest);
  }

  /** One has ended well: it may have been slow only because of others. */
  acquit(request: QueryRequest): void {
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
