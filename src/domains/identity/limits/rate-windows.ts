import { MS } from "../../../kernel/time.ts";
import type { RateLimit, RateRule } from "../../../platform/state/index.ts";
import { SURFACES, type SurfaceName } from "../../../registry/caller.ts";
import type { OperationKind } from "../../../registry/ports.ts";
import { LIMITS } from "../limits.ts";

/** What an operator may change. */
export interface RateLimitSettings {
  /** Switches off everything but the limits on failures. */
  enabled: boolean;
  /** Calls of `ask_question` by one person on the agent endpoint. */
  questions: RateRule;
  /** Resources read by one person on the agent endpoint. */
  resources: RateRule;
  /** Requests with one token to the memory endpoint. */
  memoryRequests: RateRule;
  /** The same for a workspace on the plan `private`. */
  memoryRequestsOnPrivatePlan: RateRule;
  /** Requests with one token to any other endpoint. */
  tokenRequests: RateRule;
  /** Requests from one address. */
  addressRequests: RateRule;
  /** Requests to the authorization and the registration endpoint from one address. */
  authorizations: RateRule;
  /** Requests for tokens, and to revoke them, from one address. */
  tokenExchanges: RateRule;
  /** Wrong tokens, passwords and client secrets from one address. */
  failedAttempts: RateRule;
  /** Wrong passwords for one account from one address. */
  failedPasswords: RateRule;
  /** Sign-ins of one login client from one address. */
  clientLogins: RateRule;
}

export const DEFAULT_RATE_LIMITS: RateLimitSettings = {
  enabled: true,
  questions: { points: 5, windowMs: MS.minute },
  resources: { points: 30, windowMs: MS.minute },
  memoryRequests: { points: 600, windowMs: MS.minute },
  memoryRequestsOnPrivatePlan: { points: 60, windowMs: MS.minute },
  tokenRequests: { points: 60_000, windowMs: MS.minute },
  addressRequests: { points: 300_000, windowMs: MS.minute },
  authorizations: { points: 10, windowMs: MS.minute },
  tokenExchanges: { points: 300, windowMs: MS.minute },
  failedAttempts: { points: 60, windowMs: MS.minute },
  failedPasswords: { points: 10, windowMs: 15 * MS.minute },
  clientLogins: { points: 120, windowMs: MS.minute },
};

/** An account with more wrong passwords from an address that guesses a lot is what is guessed at. */
const SUSPECT_PASSWORDS = 2;

/** The plan whose workspaces are small. */
const PRIVATE_PLAN = "private";

export interface RateWindow extends RateLimit {
  /** What it counts: requests as they come in, operations of one kind, or attempts to get in. */
  counts: "request" | OperationKind | "attempt";
  surfaces: readonly SurfaceName[];
  /** Only this operation. */
  operation?: string;
  /** Only workspaces on one plan, or on any but one. */
  plan?: { is: string } | { isNot: string };
}

export type RateWindowName =
  | "agent_questions"
  | "agent_resources"
  | "memory_requests"
  | "memory_requests_private"
  | "token_requests"
  | "member_memory_requests"
  | "member_memory_requests_private"
  | "member_requests"
  | "address_requests"
  | "authorizations"
  | "token_exchanges"
  | "failed_attempts"
  | "failed_passwords"
  | "suspect_passwords"
  | "client_logins";

/**
 * Every window of identity. What is counted per account is counted per address as well: a stranger who
 * guesses at an account must not be able to lock its owner out.
 */
export function rateWindows(rules: RateLimitSettings): Record<RateWindowName, RateWindow> {
  const agent = { surfaces: ["agent"], per: ["user"] } as const;
  const memory = { counts: "request", surfaces: ["memory"], per: ["tokenHash"] } as const;
  const elsewhere = SURFACES.filter((surface) => surface !== "memory");
  const together = { counts: "request", per: ["user"] } as const;
  const attempt = { counts: "attempt", surfaces: [] } as const;
  return {
    agent_questions: { ...agent, counts: "tool", operation: "ask_question", ...rules.questions },
    agent_resources: { ...agent, counts: "resource", ...rules.resources },
    memory_requests: { ...memory, plan: { isNot: PRIVATE_PLAN }, ...rules.memoryRequests },
    memory_requests_private: { ...memory, plan: { is: PRIVATE_PLAN }, ...rules.memoryRequestsOnPrivatePlan },
    token_requests: { counts: "request", surfaces: elsewhere, per: ["tokenHash"], ...rules.tokenRequests },
    // A person may have many tokens, and must not be allowed as many times more by that.
    member_memory_requests: {
      ...together,
      surfaces: ["memory"],
      plan: { isNot: PRIVATE_PLAN },
      ...ofMember(rules.memoryRequests),
    },
    member_memory_requests_private: {
      ...together,
      surfaces: ["memory"],
      plan: { is: PRIVATE_PLAN },
      ...ofMember(rules.memoryRequestsOnPrivatePlan),
    },
    member_requests: { ...together, surfaces: elsewhere, ...ofMember(rules.tokenRequests) },
    address_requests: { counts: "request", surfaces: SURFACES, per: ["address"], ...rules.addressRequests },
    authorizations: { ...attempt, per: ["address"], ...rules.authorizations },
    token_exchanges: { ...attempt, per: ["address"], ...rules.tokenExchanges },
    failed_attempts: { ...attempt, per: ["address"], ...rules.failedAttempts },
    failed_passwords: { ...attempt, per: ["resource", "address"], ...rules.failedPasswords },
    suspect_passwords: {
      ...attempt,
      per: ["resource", "address"],
      points: SUSPECT_PASSWORDS,
      windowMs: rules.failedPasswords.windowMs,
    },
    client_logins: { ...attempt, per: ["resource", "address"], ...rules.clientLogins },
  };
}

function ofMember({ points, windowMs }: RateRule): RateRule {
  return { points: points * LIMITS.identity.tokensWorthPerMember, windowMs };
}
