import {
  and,
  count,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { AppError } from "../../kernel/errors.ts";
import { likeText } from "../../kernel/sql-text.ts";
import { isUniqueViolation, Store } from "../../platform/catalog/index.ts";
import type { Caller } from "../../registry/caller.ts";
import {
  accounts,
  knowledgeBases as bases,
  knowledgeDocuments as documents,
  knowledgeGrants as grants,
  groups,
  type Level,
  members,
  workspaces,
} from "./knowledge.tables.ts";

export interface KnowledgeBase {
  id: number;
  workspaceId: number;
  name: string;
  description: string | null;
  level: Level;
  groupId: number | null;
  ownerId: number | null;
  createdBy: number | null;
  createdAt: Date;
  updatedAt: Date;
  groupName: string | null;
  groupDisplayName: string | null;
  workspaceName: string;
  workspaceSlug: string;
  creatorName: string | null;
  mayEdit: boolean;
}

interface BaseFilter {
  level?: Level | undefined;
  groupName?: string | undefined;
  query?: string | undefined;
  ownerIds?: readonly number[] | undefined;
  limit: number;
  offset: number;
}

interface Share {
  email?: string | undefined;
  group?: string | undefined;
  access: "reader" | "editor" | "none";
}

/** Knowledge bases and whom they are shared with. Whatever it returns, the caller may read. */
export class BasesStore extends Store {
  async list(caller: Caller, filter: BaseFilter): Promise<{ total: number; items: KnowledgeBase[] }> {
    const where = and(readableBy(caller), ...conditions(filter));
    const [counted] = await this.catalog.db
      .select({ total: count() })
      .from(bases)
      .leftJoin(groups, eq(groups.id, bases.groupId))
      .where(where);
    const items = await this.#select(caller, where)
      .orderBy(desc(bases.createdAt), desc(bases.id))
      .limit(filter.limit)
      .offset(filter.offset);
    return { total: counted?.total ?? 0, items };
  }

  /** Filters these bases to those that the caller may read. */
  async readable(caller: Caller, ids: readonly number[]): Promise<KnowledgeBase[]> {
    const keys = ids.filter((id) => Number.isSafeInteger(id) && id > 0);
    if (keys.length === 0) return [];
    return this.#select(caller, and(readableBy(caller), inArray(bases.id, keys)));
  }

  async allReadable(caller: Caller): Promise<KnowledgeBase[]> {
    return this.#select(caller, readableBy(caller)).orderBy(desc(bases.createdAt), desc(bases.id));
  }

  async named(caller: Caller, name: string): Promise<KnowledgeBase[]> {
    return this.#select(caller, and(readableBy(caller), sql`lower(${bases.name}) = lower(${name})`));
  }

  /** How many documents each of these has, those that are not searched among them. */
  async documentCounts(ids: readonly number[]): Promise<Map<number, number>> {
    if (ids.length === 0) return new Map();
    const rows = await this.catalog.db
      .select({ baseId: documents.baseId, count: count() })
      .from(documents)
      .where(and(inArray(documents.baseId, [...ids]), isNull(documents.deletedAt)))
      .groupBy(documents.baseId);
    return new Map(rows.map((row) => [row.baseId, row.count]));
  }

  async create(
    caller: Caller,
    wish: { name: string; description?: string | undefined; level: Level; groupId?: number; ownerId: number },
  ): Promise<number> {
    const now = this.clock.now();
    const { name, description = null, level, groupId = null, ownerId } = wish;
    const values = {
      workspaceId: caller.workspace.id,
      name,
      description,
      level,
      groupId,
      ownerId,
      createdBy: caller.user.id,
      createdAt: now,
      updatedAt: now,
    };
    try {
      const [row] = await this.catalog.db.insert(bases).values(values).returning({ id: bases.id });
      return (row as { id: number }).id;
    } catch (error) {
      throw nameTaken(error, name);
    }
  }

  async change(id: number, change: { name?: string; description?: string }): Promise<void> {
    try {
      await this.catalog.db
        .update(bases)
        .set({ ...change, updatedAt: this.clock.now() })
        .where(eq(bases.id, id));
    } catch (error) {
      throw nameTaken(error, change.name ?? "that name");
    }
  }

  async remove(id: number): Promise<boolean> {
    const gone = await this.catalog.db
      .update(bases)
      .set({ deletedAt: this.clock.now() })
      .where(and(eq(bases.id, id), isNull(bases.deletedAt)))
      .returning({ id: bases.id });
    return gone.length > 0;
  }

  /** A deleted base comes back for those who could delete it: its owner or maker, and admins where it is everybody's. */
  async restore(caller: Caller, id: number): Promise<boolean> {
    const { user, workspace, permissions } = caller;
    const isEverybodys = permissions.includes("admin") ? eq(bases.level, "organization") : undefined;
    try {
      const back = await this.catalog.db
        .update(bases)
        .set({ deletedAt: null })
        .where(
          and(
            eq(bases.id, id),
            eq(bases.workspaceId, workspace.id),
            isNotNull(bases.deletedAt),
            or(eq(bases.ownerId, user.id), isEverybodys),
          ),
        )
        .returning({ id: bases.id });
      return back.length > 0;
    } catch (error) {
      throw nameTaken(error, "that name");
    }
  }

  async groupByName(caller: Caller, name: string): Promise<number> {
    const [row] = await this.catalog.db
      .select({ id: groups.id })
      .from(groups)
      .where(and(eq(groups.workspaceId, caller.workspace.id), eq(groups.name, name)));
    if (row === undefined) throw new AppError("not_found", `There is no group ${JSON.stringify(name)}.`);
    return row.id;
  }

  async memberByEmail(caller: Caller, email: string): Promise<number> {
    const [row] = await this.catalog.db
      .select({ id: accounts.id })
      .from(members)
      .innerJoin(accounts, eq(accounts.id, members.accountId))
      .where(
        and(eq(members.workspaceId, caller.workspace.id), eq(accounts.email, email.trim().toLowerCase())),
      );
    if (row === undefined) throw new AppError("not_found", `${email} is no member of this workspace.`);
    return row.id;
  }

  async share(caller: Caller, baseId: number, { email, group, access }: Share): Promise<void> {
    const accountId = email === undefined ? null : await this.memberByEmail(caller, email);
    const groupId = group === undefined ? null : await this.groupByName(caller, group);
    const whom = accountId === null ? eq(grants.groupId, groupId as number) : eq(grants.accountId, accountId);
    await this.catalog.transaction(async (tx) => {
      await tx.delete(grants).where(and(eq(grants.baseId, baseId), whom));
      if (access === "none") return;
      await tx.insert(grants).values({ baseId, accountId, groupId, mayEdit: access === "editor" });
    });
  }

  async shares(baseId: number): Promise<{ email: string | null; group: string | null; access: string }[]> {
    const rows = await this.catalog.db
      .select({ email: accounts.email, group: groups.name, mayEdit: grants.mayEdit })
      .from(grants)
      .leftJoin(accounts, eq(accounts.id, grants.accountId))
      .leftJoin(groups, eq(groups.id, grants.groupId))
      .where(eq(grants.baseId, baseId))
      .orderBy(grants.id);
    return rows.map(({ email, group, mayEdit }) => ({ email, group, access: mayEdit ? "editor" : "reader" }));
  }

  #select(caller: Caller, where: SQL | undefined) {
    const { deletedAt: _, ...columns } = getTableColumns(bases);
    return this.catalog.db
      .select({
        ...columns,
        groupName: groups.name,
        groupDisplayName: groups.displayName,
        workspaceName: workspaces.name,
        workspaceSlug: workspaces.slug,
        creatorName: accounts.name,
        mayEdit: isEditableBy(caller),
      })
      .from(bases)
      .innerJoin(workspaces, eq(workspaces.id, bases.workspaceId))
      .leftJoin(groups, eq(groups.id, bases.groupId))
      .leftJoin(accounts, eq(accounts.id, bases.createdBy))
      .where(where)
      .$dynamic();
  }
}

function conditions({ level, groupName, query, ownerIds }: BaseFilter): (SQL | undefined)[] {
  const pattern = query === undefined ? "" : `%${likeText(query)}%`;
  return [
    level === undefined ? undefined : eq(bases.level, level),
    groupName === undefined ? undefined : eq(groups.name, groupName),
    query === undefined
      ? undefined
      : sql`(${bases.name} ilike ${pattern} or ${bases.description} ilike ${pattern})`,
    ownerIds === undefined ? undefined : inArray(bases.ownerId, [...ownerIds]),
  ];
}

function nameTaken(error: unknown, name: string): unknown {
  if (!isUniqueViolation(error)) return error;
  return new AppError("conflict", `There is already a knowledge base called ${name} there.`, {
    hint: "Choose another name.",
  });
}

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

/** True if a base that the caller may read may be changed by it, as far as the base is concerned. */
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
