import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogLog } from "../../platform/catalog/index.ts";
import type { SharedState } from "../../platform/state/index.ts";
import { createAuditLog } from "./audit/audit-log.store.ts";
import { type AuthenticationPorts, authenticate, callerFor } from "./authentication/authentication.ts";
import { authorizer } from "./authentication/authorizer.ts";
import { ChangeListener, type IdentityChange } from "./authentication/change-listener.ts";
import type { Grant, Owner } from "./authentication/grant.ts";
import { GrantCache } from "./authentication/grant-cache.ts";
import { createGrantStore } from "./authentication/grants.store.ts";
import { LastUsed } from "./authentication/last-used.store.ts";
import type { TokenVerifier } from "./authentication/verifier.ts";
import { createLoginClients } from "./clients/login-clients.store.ts";
import { ensureFirstAdmin } from "./first-admin.ts";
import { createGroups } from "./groups/groups.store.ts";
import type { Identity } from "./identity.ts";
import { createLimiter } from "./limits/limiter.ts";
import { DEFAULT_RATE_LIMITS, type RateLimitSettings } from "./limits/rate-windows.ts";
import { createMembership } from "./members/membership.store.ts";
import { createUsers } from "./members/users.store.ts";
import { RegisteredClients } from "./oauth/registered-clients.store.ts";
import { createUsage } from "./plans/usage.store.ts";
import { createTokens } from "./tokens/tokens.store.ts";
import { createWorkspaces } from "./workspaces/workspaces.store.ts";

export interface IdentityOptions {
  catalog: Catalog;
  state: SharedState;
  clock: Clock;
  log: CatalogLog;
  /** The address of this server: the audience of tokens that are good on all endpoints. */
  appUrl: string;
  rateLimits?: Partial<RateLimitSettings>;
  /** 0 keeps audit events for ever. */
  auditRetentionDays: number;
  /** Told how many audit events will never be written. */
  onAuditLost?: (count: number) => void;
}

export function createIdentity(options: IdentityOptions): Identity {
  const { catalog, state, clock, log, appUrl, auditRetentionDays, onAuditLost } = options;
  const { db } = catalog;
  const limiter = createLimiter(state, { ...DEFAULT_RATE_LIMITS, ...options.rateLimits });
  const audit = createAuditLog({
    catalog,
    clock,
    log,
    retentionDays: auditRetentionDays,
    onLost: onAuditLost,
  });
  const memory = createMemory(catalog, log);
  const lastUsed = new LastUsed(db, log);
  const verifiers: TokenVerifier[] = [];
  const { tokenCache, ownerCache, tell } = memory;
  const grants = createGrantStore(db);
  const ports: AuthenticationPorts = {
    grants,
    tokenCache,
    ownerCache,
    lastUsed,
    verifiers,
    limiter,
    audit,
    clock,
    appUrl,
  };
  const workspaces = createWorkspaces({ catalog, clock, tell });
  const users = createUsers({ catalog, clock, limiter, tell, audit });
  return {
    workspaces,
    users,
    membership: createMembership({ catalog, clock, tell, audit, users }),
    groups: createGroups({ catalog, clock, tell }),
    tokens: createTokens({ catalog, clock, tell, audit }),
    clients: createLoginClients({ catalog, clock, limiter, audit }),
    oauthClients: new RegisteredClients(catalog),
    usage: createUsage(db, clock),
    audit,
    authorizer,
    limiter,
    authenticate(proof) {
      memory.listener.start();
      return authenticate(ports, proof);
    },
    callerFor: (owner) => callerFor(ports, owner),
    ensureFirstAdmin: ({ keep } = {}) => ensureFirstAdmin({ catalog, workspaces, users, keep }),
    addVerifier: (verifier) => void verifiers.push(verifier),
    async close() {
      await memory.listener.close();
      await Promise.all([lastUsed.close(), audit.close()]);
    },
  };
}

/** What this process remembers of tokens and people, kept honest by the database's own messages. */
function createMemory({ pool }: Catalog, log: IdentityOptions["log"]) {
  const tokenCache = new GrantCache<Grant>();
  const ownerCache = new GrantCache<Owner>();
  const tell = ({ what, id }: IdentityChange) => {
    const concernsOwner = ({ account, workspace }: Owner) =>
      (what === "account" ? account.id : workspace.id) === id;
    tokenCache.forget(({ token, owner }) => (what === "token" ? token.id === id : concernsOwner(owner)));
    if (what !== "token") ownerCache.forget(concernsOwner);
  };
  // Started by the first request: commands, which never authenticate anybody, need no listener.
  const listener = new ChangeListener({
    pool,
    log,
    onChange: tell,
    onLive: () => {
      tokenCache.open();
      ownerCache.open();
    },
    onLost: () => {
      tokenCache.shut();
      ownerCache.shut();
    },
  });
  return { tokenCache, ownerCache, tell, listener };
}
