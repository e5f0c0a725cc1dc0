import { sql } from "drizzle-orm";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog, CatalogLog } from "../../platform/catalog/index.ts";
import type { SharedState } from "../../platform/state/index.ts";
import { createAuditLog } from "./audit/audit-log.store.ts";
import { type AuthenticationPorts, authenticate, callerFor } from "./authentication/authentication.ts";
import { ChangeListener, type IdentityChange } from "./authentication/change-listener.ts";
import { authorizer, type Grant, type Owner, type TokenVerifier } from "./authentication/grant.ts";
import { createGrantStore, GrantCache } from "./authentication/grants.store.ts";
import { LastUsed } from "./authentication/last-used.store.ts";
import { accounts } from "./identity.tables.ts";
import type { FirstAdmin, Identity, Users, Workspaces } from "./identity.ts";
import { createLimiter, DEFAULT_RATE_LIMITS, type RateLimitSettings } from "./limits/limiter.ts";
import { createUsage } from "./limits/usage.store.ts";
import { createFederation } from "./members/federation.store.ts";
import { createGroups } from "./members/groups.store.ts";
import { createMembership } from "./members/membership.store.ts";
import { generatePassword } from "./members/passwords.ts";
import { createUsers } from "./members/users.store.ts";
import { createWorkspaces } from "./members/workspaces.store.ts";
import { RegisteredClients } from "./oauth/registered-clients.store.ts";
import { createLoginClients } from "./tokens/login-clients.store.ts";
import { createTokens } from "./tokens/tokens.store.ts";

export interface IdentityOptions {
  catalog: Catalog;
  state: SharedState;
  clock: Clock;
  log: CatalogLog;
  /** The address of this server: the audience of tokens that are good on all endpoints. */
  appUrl: string;
  /** Whether people can sign in with a password; yes when left out. */
  passwordSignIn?: boolean;
  rateLimits?: Partial<RateLimitSettings>;
  /** 0 keeps audit events for ever. */
  auditRetentionDays: number;
  /** Told how many audit events will never be written. */
  onAuditLost?: (count: number) => void;
}

export function createIdentity(options: IdentityOptions): Identity {
  const { catalog, state, clock, log, appUrl, auditRetentionDays, onAuditLost } = options;
  const { passwordSignIn = true } = options;
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
  const users = createUsers({ catalog, clock, limiter, tell, audit, passwordSignIn });
  return {
    passwordSignIn,
    workspaces,
    users,
    federation: createFederation({ catalog, clock, tell, audit }),
    membership: createMembership({ catalog, clock, tell, audit, users, passwordSignIn }),
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

const WORKSPACE = "default";
/** A valid address that nobody else can own. */
const EMAIL = "admin@localhost";
/** Any number that nothing else in the database locks. */
const LOCK_KEY = 7_305_819_245;

interface FirstAdminOptions {
  catalog: Catalog;
  workspaces: Workspaces;
  users: Users;
  keep: ((admin: FirstAdmin) => void | Promise<void>) | undefined;
}

async function ensureFirstAdmin(options: FirstAdminOptions): Promise<FirstAdmin | null> {
  const { catalog, workspaces, users, keep } = options;
  if (await hasAccount(catalog)) return null;
  return catalog.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${LOCK_KEY})`);
    if (await hasAccount(catalog)) return null;
    // A start that broke off here may have left the workspace behind.
    const known = await workspaces.list();
    if (!known.some(({ slug }) => slug === WORKSPACE)) {
      await workspaces.create({ slug: WORKSPACE, name: "Default" });
    }
    const admin = { email: EMAIL, workspace: WORKSPACE, password: generatePassword() };
    await keep?.(admin);
    await users.create({ ...admin, name: "Administrator", role: "admin" });
    return admin;
  });
}

async function hasAccount({ db }: Catalog): Promise<boolean> {
  const rows = await db.select({ id: accounts.id }).from(accounts).limit(1);
  return rows.length > 0;
}
