import { and, asc, eq, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import { type Catalog, type CatalogTx, isUniqueViolation } from "../../../platform/catalog/index.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import { groupMembers, groups } from "../identity.tables.ts";
import type { Groups } from "../identity.ts";
import { requireMember } from "./members.store.ts";
import { requireName } from "./names.ts";
import { requireWorkspace } from "./workspaces.store.ts";

export function createGroups({
  catalog,
  clock,
  tell,
}: {
  catalog: Catalog;
  clock: Clock;
  tell: TellChange;
}): Groups {
  const { db } = catalog;
  return {
    async create({ workspace, name, displayName }) {
      const { id: workspaceId } = await requireWorkspace(db, workspace);
      const groupName = requireName(name, "group");
      const values = {
        workspaceId,
        name: groupName,
        displayName: requireName(displayName ?? name, "group"),
        createdAt: clock.now(),
      };
      try {
        const [row] = await db.insert(groups).values(values).returning({ id: groups.id, name: groups.name });
        return row as { id: number; name: string };
      } catch (error) {
        if (!isUniqueViolation(error)) throw error;
        throw new AppError("conflict", `"${workspace}" already has a group "${groupName}".`, {
          hint: "Choose another name.",
        });
      }
    },

    async list(workspace) {
      const { id } = await requireWorkspace(db, workspace);
      return db
        .select({
          id: groups.id,
          name: groups.name,
          displayName: groups.displayName,
          // Drizzle leaves table names out of a query on one table, so these columns name theirs.
          members: sql<string[]>`array(
            select accounts.email from group_members join accounts on accounts.id = group_members.account_id
            where group_members.group_id = groups.id order by 1)`,
        })
        .from(groups)
        .where(eq(groups.workspaceId, id))
        .orderBy(asc(groups.name));
    },

    async addMember({ workspace, group, email }) {
      const accountId = await catalog.transaction(async (tx) => {
        const member = await requireMember(tx, email, workspace);
        const groupId = await requireGroup(tx, member.workspaceId, group);
        const { workspaceId, accountId } = member;
        await tx.insert(groupMembers).values({ workspaceId, groupId, accountId }).onConflictDoNothing();
        return accountId;
      });
      tell({ what: "account", id: accountId });
    },

    async removeMember({ workspace, group, email }) {
      const accountId = await catalog.transaction(async (tx) => {
        const { workspaceId, accountId } = await requireMember(tx, email, workspace);
        const groupId = await requireGroup(tx, workspaceId, group);
        await tx
          .delete(groupMembers)
          .where(and(eq(groupMembers.groupId, groupId), eq(groupMembers.accountId, accountId)));
        return accountId;
      });
      tell({ what: "account", id: accountId });
    },
  };
}

async function requireGroup(tx: CatalogTx, workspaceId: number, name: string): Promise<number> {
  const [row] = await tx
    .select({ id: groups.id })
    .from(groups)
    .where(and(eq(groups.workspaceId, workspaceId), eq(groups.name, requireName(name, "group"))));
  if (row === undefined)
    throw new AppError("not_found", `There is no group "${name}".`, { hint: "List the groups first." });
  return row.id;
}
