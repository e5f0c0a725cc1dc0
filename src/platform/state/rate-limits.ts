import { createHash } from "node:crypto";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { addressBlock } from "../../kernel/net-address.ts";
import type { RateLimiter, RateRule, SharedState } from "./shared-state.ts";

/** Whom a limit counts. A token is known by its hash only. */
export interface RateSubject {
  user?: string;
  tokenHash?: string;
  address?: string;
  tool?: string;
  /** Anything else that a limit is kept for, such as a document. */
  resource?: string;
}

export interface RateLimit extends RateRule {
  /** Each combination of these is counted by itself. */
  per: readonly (keyof RateSubject)[];
}

export interface RateLimits<Name extends string> {
  /**
   * Takes one point (or `cost`) from each of the named limits, in this order, and throws `rate_limited` with
   * `data.retryAfterMs` at the first that is used up. When the state cannot be reached it throws
   * `unavailable`: a limit that cannot be counted is not a limit that is open.
   */
  take(names: readonly Name[], subject: RateSubject, cost?: number): Promise<void>;
}

/** All limits of the server by name, counted in shared state. */
export function createRateLimits<Name extends string>(
  state: SharedState,
  limits: Readonly<Record<Name, RateLimit>>,
): RateLimits<Name> {
  const limiters = new Map<Name, RateLimiter>();
  const limiterOf = (name: Name): RateLimiter => {
    const limiter = limiters.get(name) ?? state.limiter(name, limits[name]);
    limiters.set(name, limiter);
    return limiter;
  };

  return {
    async take(names, subject, cost = 1) {
      for (const name of names) {
        const key = keyOf(limits[name].per, subject);
        const verdict = await limiterOf(name).consume(key, cost).catch(unreachable);
        if (!verdict.allowed) throw refusal(name, limits[name], verdict.retryAfterMs);
      }
    },
  };
}

/** A digest: bounded in length, and neither an address nor a name can be read from the state. */
function keyOf(per: readonly (keyof RateSubject)[], subject: RateSubject): string {
  const hash = createHash("sha256");
  for (const dimension of per) {
    const value = subject[dimension];
    if (value === undefined) throw new TypeError(`a rate limit per ${dimension} was asked about nobody`);
    const counted = dimension === "address" ? addressBlock(value) : value;
    hash.update(`${dimension}=${counted.length}:${counted};`);
  }
  return hash.digest("base64url").slice(0, 27);
}

function refusal(name: string, limit: RateLimit, retryAfterMs: number): AppError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new AppError(
    "rate_limited",
    `Too many requests: ${limit.points} are allowed in ${limit.windowMs / 1_000} s.`,
    { hint: `Try again in ${seconds} s.`, data: { limit: name, retryAfterMs, retryAfterSeconds: seconds } },
  );
}

function unreachable(cause: unknown): never {
  if (isAppError(cause)) throw cause;
  throw new AppError("unavailable", "The rate limit cannot be counted at the moment.", {
    hint: "Try again in a moment.",
    data: { reason: "rate_limit" },
    cause,
  });
}
