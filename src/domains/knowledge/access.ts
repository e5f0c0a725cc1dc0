import { and, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Caller } from "../../registry/caller.ts";
import { knowledgeBases as bases, knowledgeGrants as grants } from "./knowledge.tables.ts";

/**
 * The knowledge bases that a caller may read. Admins have no key to what is personal or a group's: they see what is
 * shared with them, like anybody else. The operator, at the command line, sees all.
 */
export function readableBy(caller: Caller): SQL {
  const { token, user } = caller;
  const named = token.limits.knowledgeBases;
  const own = and(eq(bases.level, "personal"), eq(bases.ownerId, user.id));
  const ofGroup = caller.groups.length === 0 ? undefined : inArray(bases.groupId, [...caller.groups]);
  return and(
    eq(bases.workspaceId, caller.workspace.id),
    isNull(bases.deletedAt),
    named === null ? undefined : inArray(bases.id, [...named]),
    isOperator(caller)
      ? undefined
      : or(eq(bases.level, "organization"), own, ofGroup, isGranted(caller, undefined)),
  ) as SQL;
}

/** Whether a base that the caller may read may be changed by it, as far as the base is concerned. */
export function isEditableBy(caller: Caller): SQL<boolean> {
  const own = and(eq(bases.level, "personal"), eq(bases.ownerId, caller.user.id));
  const ofGroup = caller.groups.length === 0 ? undefined : inArray(bases.groupId, [...caller.groups]);
  if (isOperator(caller)) return sql<boolean>`true`;
  return sql<boolean>`coalesce(${or(eq(bases.level, "organization"), own, ofGroup, isGranted(caller, true))}, false)`;
}

function isGranted({ user, groups }: Caller, mayEdit: true | undefined): SQL {
  const toGroup = groups.length === 0 ? undefined : inArray(grants.groupId, [...groups]);
  const whom = or(eq(grants.accountId, user.id), toGroup);
  const what = mayEdit === undefined ? undefined : eq(grants.mayEdit, true);
  return sql`exists (select 1 from ${grants} where ${and(eq(grants.baseId, bases.id), whom, what)})`;
}

/** Nobody's token: the one that commands work with. */
export function isOperator({ token }: Caller): boolean {
  return token.kind === "operator";
}
