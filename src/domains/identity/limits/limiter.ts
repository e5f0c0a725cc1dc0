import { createRateLimits, type SharedState } from "../../../platform/state/index.ts";
import type { SurfaceName } from "../../../registry/caller.ts";
import type { OperationKind } from "../../../registry/ports.ts";
import type { TransportLimiter } from "../identity.ts";
import { type RateLimitSettings, type RateWindow, type RateWindowName, rateWindows } from "./rate-windows.ts";

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
