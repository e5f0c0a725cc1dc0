import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CatalogDb } from "../../../platform/catalog/index.ts";
import { accounts, members, tokens, workspaces } from "../identity.tables.ts";
import { LIMITS } from "../limits.ts";
import type { Grant, Owner } from "./grant.ts";

const account = {
  id: accounts.id,
  email: accounts.email,
  name: accounts.name,
  disabledAt: accounts.disabledAt,
};
const workspace = { id: workspaces.id, slug: workspaces.slug, plan: workspaces.plan };
const membership = { role: members.role, attributes: members.attributes };
/** PostgreSQL's bigints arrive as texts inside an array. */
const groups = sql<string[]>`array(
  select group_members.group_id from group_members
  where group_members.workspace_id = workspaces.id and group_members.account_id = accounts.id
  order by 1)`;
const token = {
  id: tokens.id,
  kind: tokens.kind,
  scopes: tokens.scopes,
  limits: tokens.limits,
  expiresAt: tokens.expiresAt,
  revokedAt: tokens.revokedAt,
};
const memberOf = and(eq(members.workspaceId, workspaces.id), eq(members.accountId, accounts.id));

/** Reads a token and its owner in one round trip. */
export interface GrantStore {
  byHash(hash: string): Promise<Grant | null>;
  byId(id: number): Promise<Grant | null>;
  /** A person in a workspace, whether a member or not; null when one of the two does not exist. */
  owner(workspaceId: number, accountId: number): Promise<Owner | null>;
}

export function createGrantStore(db: CatalogDb): GrantStore {
  const grantWhere = async (condition: SQL): Promise<Grant | null> => {
    const [row] = await db
      .select({ token, account, workspace, membership, groups })
      .from(tokens)
      .innerJoin(accounts, eq(accounts.id, tokens.accountId))
      .innerJoin(workspaces, eq(workspaces.id, tokens.workspaceId))
      .leftJoin(members, memberOf)
      .where(condition);
    return row === undefined ? null : { token: { ...row.token, audience: null }, owner: ownerFrom(row) };
  };
  return {
    byHash: (hash) => grantWhere(eq(tokens.hash, hash)),
    byId: (id) => grantWhere(eq(tokens.id, id)),
    async owner(workspaceId, accountId) {
      const [row] = await db
        .select({ account, workspace, membership, groups })
        .from(accounts)
        .innerJoin(workspaces, eq(workspaces.id, workspaceId))
        .leftJoin(members, memberOf)
        .where(eq(accounts.id, accountId));
      return row === undefined ? null : ownerFrom(row);
    },
  };
}

type OwnerRow = Pick<Owner, "account" | "workspace"> & {
  membership: Pick<NonNullable<Owner["membership"]>, "role" | "attributes"> | null;
  groups: string[];
};

function ownerFrom({ account, workspace, membership, groups }: OwnerRow): Owner {
  return { account, workspace, membership: membership && { ...membership, groups: groups.map(Number) } };
}

interface Entry<T> {
  value: T;
  freshUntilMs: number;
}

interface CacheOptions {
  entries?: number;
  ttlMs?: number;
  /** Milliseconds that only go forward, whatever happens to the wall clock. */
  nowMs?: () => number;
}

/**
 * Remembers for a short time what the catalog said, and joins equal questions that are asked at once.
 *
 * What was read before a change must not be kept after it: each change starts a new era, and an answer
 * is only kept when it was asked for in the era that is still running.
 */
export class GrantCache<T> {
  readonly #entries = new Map<string, Entry<T>>();
  readonly #asked = new Map<string, Promise<T | null>>();
  readonly #limit: number;
  readonly #ttlMs: number;
  readonly #nowMs: () => number;
  #era = 0;
  #open = false;

  constructor({
    entries = LIMITS.identity.cachedTokens,
    ttlMs = LIMITS.identity.cachedTokenMs,
    nowMs = () => performance.now(),
  }: CacheOptions = {}) {
    this.#limit = entries;
    this.#ttlMs = ttlMs;
    this.#nowMs = nowMs;
  }

  /** What is remembered, without asking anybody. */
  peek(key: string): T | undefined {
    const entry = this.#open ? this.#entries.get(key) : undefined;
    return entry !== undefined && this.#nowMs() < entry.freshUntilMs ? entry.value : undefined;
  }

  async get(key: string, load: () => Promise<T | null>): Promise<T | null> {
    const known = this.peek(key);
    if (known !== undefined) return known;
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const era = this.#era;
    const asking = load();
    this.#asked.set(key, asking);
    try {
      const value = await asking;
      if (value !== null && era === this.#era && this.#open) this.#keep(key, value);
      return value;
    } finally {
      if (this.#asked.get(key) === asking) this.#asked.delete(key);
    }
  }

  /** Drops what the test recognises. */
  forget(concerns: (value: T) => boolean): void {
    this.#newEra();
    for (const [key, { value }] of this.#entries) if (concerns(value)) this.#entries.delete(key);
  }

  /** From now on changes are heard of, so what is read may be kept. */
  open(): void {
    this.#newEra();
    this.#open = true;
  }

  /** Changes are no longer heard of: nothing is remembered until `open`. */
  shut(): void {
    this.#newEra();
    this.#open = false;
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }

  #newEra(): void {
    this.#era++;
    this.#asked.clear();
  }

  #keep(key: string, value: T): void {
    if (this.#entries.size >= this.#limit) {
      const [oldest] = this.#entries.keys();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    // Taken out first, so that a renewed entry goes to the end of the queue.
    this.#entries.delete(key);
    this.#entries.set(key, { value, freshUntilMs: this.#nowMs() + this.#ttlMs });
  }
}
