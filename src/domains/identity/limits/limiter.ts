import { MS } from "../../../kernel/time.ts";
import {
  createRateLimits,
  type RateLimit,
  type RateRule,
  type SharedState,
} from "../../../platform/state/index.ts";
import { SURFACES, type SurfaceName } from "../../../registry/caller.ts";
import type { OperationKind } from "../../../registry/ports.ts";
import type { TransportLimiter } from "../identity.ts";
import { LIMITS } from "../limits.ts";

/** What the slice itself needs beside the public face. */
export interface IdentityLimiter extends TransportLimiter {
  /**
   * Throws `rate_limited` once this address has been wrong about this account too often: sooner where it has been wrong
   * about many accounts, but never because of others alone.
   */
  admitPassword(account: string, address: string): Promise<void>;
  failedPassword(account: string, address: string): Promise<void>;
  /** Counts a sign-in of a login client. */
  admitLogin(clientId: string, address: string): Promise<void>;
}

/** Costs nothing: only asks whether the window is used up. */
const LOOK = 0;

export function createLimiter(state: SharedState, settings: RateLimitSettings): IdentityLimiter {
  const windows = rateWindows(settings);
  const limits = createRateLimits<RateWindowName>(state, windows);
  const rows = Object.entries(windows) as [RateWindowName, RateWindow][];

  const windowsFor = (counts: RateWindow["counts"], surface: SurfaceName, name?: string, plan?: string) =>
    rows
      .filter(([, row]) => row.counts === counts && row.surfaces.includes(surface))
      .filter(([, row]) => row.operation === undefined || row.operation === name)
      .filter(([, row]) => onPlan(row, plan))
      .map(([rowName]) => rowName);
  const requestWindows = remembered((surface: SurfaceName, plan: string) =>
    windowsFor("request", surface, undefined, plan),
  );
  const hasOperationWindows = remembered((surface: SurfaceName, kind: string) =>
    rows.some(([, row]) => row.counts === kind && row.surfaces.includes(surface)),
  );

  return {
    async take({ kind, name }, caller, meta) {
      if (!settings.enabled || caller.token.kind === "operator" || !hasOperationWindows(meta.surface, kind))
        return;
      const names = windowsFor(kind satisfies OperationKind, meta.surface, name);
      const { tokenHash, address } = meta;
      await limits.take(names, { user: String(caller.user.id), tokenHash, address, tool: name });
    },
    async admit({ surface, tokenHash, userId, address, plan = "", cost = 1 }) {
      if (!settings.enabled) return;
      const names = requestWindows(surface, plan);
      const subject = { tokenHash, address };
      if (userId !== undefined) return limits.take(names, { ...subject, user: String(userId) }, cost);
      const ofNobody = names.filter((name) => !windows[name].per.includes("user"));
      await limits.take(ofNobody, subject, cost);
    },
    async admitTokenExchange(address) {
      if (settings.enabled) await limits.take(["token_exchanges"], { address });
    },
    async admitAuthorization(address) {
      if (settings.enabled) await limits.take(["authorizations"], { address });
    },
    admitAttempt: (address) => limits.take(["failed_attempts"], { address }, LOOK),
    failedAttempt: (address) => counted(limits.take(["failed_attempts"], { address })),
    async admitPassword(resource, address) {
      const subject = { resource, address };
      await limits.take(["failed_passwords"], subject, LOOK);
      // Somebody behind this address guesses. Whose account is not guessed at may still come in.
      await limits
        .take(["failed_attempts"], { address }, LOOK)
        .catch(() => limits.take(["suspect_passwords"], subject, LOOK));
    },
    async failedPassword(resource, address) {
      const subject = { resource, address };
      await Promise.all([
        counted(limits.take(["failed_attempts"], { address })),
        counted(limits.take(["failed_passwords"], subject)),
        counted(limits.take(["suspect_passwords"], subject)),
      ]);
    },
    admitLogin: (resource, address) => limits.take(["client_logins"], { resource, address }),
  };
}

/** A failure is only counted here; whether there were too many is asked before the next attempt. */
async function counted(taking: Promise<void>): Promise<void> {
  await taking.catch(() => undefined);
}

function onPlan({ plan }: RateWindow, name: string | undefined): boolean {
  if (plan === undefined) return true;
  return "is" in plan ? plan.is === name : plan.isNot !== name;
}

/** The windows never change, so each combination is worked out once. Plans are few: the operator makes them. */
function remembered<T>(
  work: (surface: SurfaceName, word: string) => T,
): (surface: SurfaceName, word: string) => T {
  const known = new Map<string, T>();
  return (surface, word) => {
    const key = `${surface}:${word}`;
    const value = known.get(key) ?? work(surface, word);
    known.set(key, value);
    return value;
  };
}

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

interface RateWindow extends RateLimit {
  /** What it counts: requests as they come in, operations of one kind, or attempts to get in. */
  counts: "request" | OperationKind | "attempt";
  surfaces: readonly SurfaceName[];
  /** Only this operation. */
  operation?: string;
  /** Only workspaces on one plan, or on any but one. */
  plan?: { is: string } | { isNot: string };
}

type RateWindowName =
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
function rateWindows(rules: RateLimitSettings): Record<RateWindowName, RateWindow> {
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
