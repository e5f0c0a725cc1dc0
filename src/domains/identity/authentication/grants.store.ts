import { and, eq, type SQL, sql } from "drizzle-orm";
import type { CatalogDb } from "../../../platform/catalog/index.ts";
import { accounts, members, tokens, workspaces } from "../identity.tables.ts";
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
