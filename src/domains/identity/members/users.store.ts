import { and, asc, eq, isNotNull, isNull } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { ROLES, type Role } from "../../../kernel/permissions.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../../platform/catalog/index.ts";
import type { AuditEvent, AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import { accounts, members, workspaces } from "../identity.tables.ts";
import type { Actor, Member, Origin, Users } from "../identity.ts";
import type { IdentityLimiter } from "../limits/limiter.ts";
import { LIMITS } from "../limits.ts";
import { memberColumns, memberFrom, requireMember } from "./members.store.ts";
import { isEmail, normaliseEmail, requireEmail, requireName } from "./names.ts";
import {
  DECOY_HASH,
  generatePassword,
  hashPassword,
  isOutdated,
  passwordFits,
  requireGoodPassword,
} from "./passwords.ts";
import { requireWorkspace } from "./workspaces.store.ts";

export interface UsersOptions {
  catalog: Catalog;
  clock: Clock;
  limiter: IdentityLimiter;
  tell: TellChange;
  audit: AuditSink;
  passwordSignIn: boolean;
}

export function createUsers(options: UsersOptions): Users {
  const { db } = options.catalog;
  return {
    create: (input) => createUser(options, input),

    async list({ workspace } = {}) {
      const rows = await db
        .select(memberColumns)
        .from(members)
        .innerJoin(accounts, eq(accounts.id, members.accountId))
        .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
        .where(
          workspace === undefined ? undefined : eq(workspaces.id, (await requireWorkspace(db, workspace)).id),
        )
        .orderBy(asc(workspaces.slug), asc(accounts.email));
      return rows.map(memberFrom);
    },

    workspacesOf: (userId) =>
      db
        .select({ id: workspaces.id, slug: workspaces.slug, name: workspaces.name, role: members.role })
        .from(members)
        .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
        .where(eq(members.accountId, userId))
        .orderBy(asc(workspaces.slug)),

    disable: (email, by) => setDisabled(options, email, true, by),
    enable: (email, by) => setDisabled(options, email, false, by),

    async setRole({ email, workspace, role, by }) {
      requireRole(role);
      return changeMember(options, "member.role_changed", { email, workspace, by }, () => ({ role }));
    },

    async setAttribute({ email, workspace, name, value, by }) {
      const key = requireName(name, "attribute");
      return changeMember(
        options,
        "member.attribute_changed",
        { email, workspace, by },
        ({ attributes }) => ({
          attributes: withAttribute(attributes, key, value),
        }),
      );
    },

    setPassword: (email, password, by) => setPassword(options, email, password, by),

    async changePassword({ userId, email, current, password, address }) {
      const { person } = await verifyPassword(options, email, current, address);
      if (person === null) throw new AppError("forbidden", "The current password does not fit.");
      await setPassword(options, email, password, { userId });
    },

    async signIn(email, password, from) {
      const { tried, person } = await verifyPassword(options, email, password, from.address);
      recordSession(options, "auth.sign_in", tried, person !== null, from);
      return person;
    },

    signedOut: (userId, from) => recordSession(options, "auth.sign_out", userId, true, from),
  };
}

async function createUser(
  { catalog, clock, tell, audit }: UsersOptions,
  input: Parameters<Users["create"]>[0],
) {
  const email = requireEmail(input.email);
  requireRole(input.role);
  const name = requireName(input.name ?? email.split("@")[0] ?? email, "user");
  if (input.password !== undefined) requireGoodPassword(input.password, email);
  const workspace = await requireWorkspace(catalog.db, input.workspace);
  const password = input.password ?? generatePassword();
  // Outside of the transaction: it takes long enough to hold up others.
  const passwordHash = await hashPassword(password);
  const { member, isNew } = await catalog.transaction(async (tx) => {
    const account = { email, name, passwordHash, createdAt: clock.now() };
    const [made] = await tx
      .insert(accounts)
      .values(account)
      .onConflictDoNothing()
      .returning({ id: accounts.id });
    if (made === undefined && input.password !== undefined) {
      throw new AppError("conflict", `${email} already has an account, with a password of its own.`, {
        hint: "Leave the password out to make it a member; change it with: kenning user set-password",
      });
    }
    const accountId = made?.id ?? (await existingAccountId(tx, email));
    const membership = { workspaceId: workspace.id, accountId, role: input.role, createdAt: clock.now() };
    const joined = await tx.insert(members).values(membership).onConflictDoNothing().returning();
    if (joined.length === 0) {
      throw new AppError("conflict", `${email} is already a member of "${workspace.slug}".`, {
        hint: "Change the role with: kenning user set-role",
      });
    }
    return {
      member: await memberOf(tx, { workspaceId: workspace.id, accountId }),
      isNew: made !== undefined,
    };
  });
  tell({ what: "account", id: member.userId });
  audit.record(memberEvent("member.added", input.by, workspace.id, member));
  return { member, generatedPassword: isNew && input.password === undefined ? password : null };
}

async function existingAccountId(tx: CatalogTx, email: string): Promise<number> {
  const [row] = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.email, email));
  if (row === undefined) throw noAccount(email);
  return row.id;
}

async function memberOf(tx: CatalogTx, ids: { workspaceId: number; accountId: number }): Promise<Member> {
  const [row] = await tx
    .select(memberColumns)
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.workspaceId, ids.workspaceId), eq(members.accountId, ids.accountId)));
  if (row === undefined) throw new TypeError("a member is missing right after it was written");
  return memberFrom(row);
}

/** Doing it twice is no error, and keeps the first time. */
async function setDisabled(
  options: UsersOptions,
  email: string,
  disabled: boolean,
  by: Actor | undefined,
): Promise<void> {
  const { catalog, clock, tell } = options;
  const normal = requireEmail(email);
  const [row] = await catalog.db.select({ id: accounts.id }).from(accounts).where(eq(accounts.email, normal));
  if (row === undefined) throw noAccount(normal);
  const changed = await catalog.db
    .update(accounts)
    .set({ disabledAt: disabled ? clock.now() : null })
    .where(
      and(eq(accounts.id, row.id), disabled ? isNull(accounts.disabledAt) : isNotNull(accounts.disabledAt)),
    )
    .returning({ id: accounts.id });
  tell({ what: "account", id: row.id });
  if (changed.length === 0) return;
  const action = disabled ? "account.disabled" : "account.enabled";
  await recordAccount(options, action, by, { ...row, email: normal });
}

async function setPassword(
  options: UsersOptions,
  email: string,
  password: string,
  by: Actor | undefined,
): Promise<void> {
  const normal = requireEmail(email);
  requireGoodPassword(password, normal);
  const passwordHash = await hashPassword(password);
  const [account] = await options.catalog.db
    .update(accounts)
    .set({ passwordHash })
    .where(eq(accounts.email, normal))
    .returning({ id: accounts.id });
  if (account === undefined) throw noAccount(normal);
  await recordAccount(options, "account.password_changed", by, { ...account, email: normal });
}

/** Who signs in is of no workspace yet. */
export function recordSession(
  { audit }: Pick<UsersOptions, "audit">,
  action: string,
  userId: number | null,
  success: boolean,
  { address, requestId }: Origin,
  more: Record<string, string> = {},
): void {
  const outcome = success ? "ok" : "unauthorized";
  const what = { workspaceId: null, resourceType: "account", resourceId: null };
  audit.record({
    action,
    userId,
    ...what,
    success,
    outcome,
    durationMs: 0,
    address,
    metadata: { requestId, ...more },
  });
}

/** An account may be at home in several workspaces, and each has its own audit log. */
async function recordAccount(
  { catalog, audit }: UsersOptions,
  action: string,
  by: Actor = "operator",
  { id, email }: { id: number; email: string },
): Promise<void> {
  const homes: { workspaceId: number | null }[] = await catalog.db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .where(eq(members.accountId, id));
  if (homes.length === 0) homes.push({ workspaceId: null });
  for (const { workspaceId } of homes)
    audit.record(changeEvent(action, by, { workspaceId, resourceType: "account", resourceId: email }));
}

/** Every way to fail costs one argon2 run, so that time does not tell whether an account exists. */
async function verifyPassword(
  { catalog: { db }, limiter, passwordSignIn }: UsersOptions,
  email: string,
  password: string,
  address: string,
) {
  if (!passwordSignIn)
    throw new AppError("forbidden", "Nobody signs in with a password here.", {
      hint: "Sign in with your company's account.",
    });
  const normal = normaliseEmail(email);
  await limiter.admitPassword(normal, address);
  const [account] = await db
    .select()
    .from(accounts)
    .where(eq(accounts.email, isEmail(normal) ? normal : ""));
  const bounded = password.slice(0, LIMITS.identity.passwordMaxCharacters);
  const fits = await passwordFits(bounded, account?.passwordHash ?? DECOY_HASH);
  if (account === undefined || !fits || bounded !== password || account.disabledAt !== null) {
    await limiter.failedPassword(normal, address);
    return { tried: account?.id ?? null, person: null };
  }
  if (isOutdated(account.passwordHash)) {
    const unchanged = and(eq(accounts.id, account.id), eq(accounts.passwordHash, account.passwordHash));
    await db
      .update(accounts)
      .set({ passwordHash: await hashPassword(password) })
      .where(unchanged);
  }
  return { tried: account.id, person: { userId: account.id, email: account.email } };
}

/** Changes a member, locked until it is done, and tells everybody who remembers what it may do. */
async function changeMember(
  { catalog, tell, audit }: UsersOptions,
  action: string,
  { email, workspace, by }: { email: string; workspace: string; by: Actor | undefined },
  change: (member: Member) => Partial<Pick<Member, "role" | "attributes">>,
): Promise<Member> {
  const { member, workspaceId } = await catalog.transaction(async (tx) => {
    const found = await requireMember(tx, email, workspace);
    const theirs = and(eq(members.workspaceId, found.workspaceId), eq(members.accountId, found.accountId));
    await tx
      .update(members)
      .set(change(await memberOf(tx, found)))
      .where(theirs);
    return { member: await memberOf(tx, found), workspaceId: found.workspaceId };
  });
  tell({ what: "account", id: member.userId });
  audit.record(memberEvent(action, by, workspaceId, member));
  return member;
}

export function withAttribute(
  attributes: Member["attributes"],
  name: string,
  value: string | null,
): Record<string, string> {
  const { attributesPerMember, attributeCharacters } = LIMITS.identity;
  const entries = Object.entries(attributes).filter(([each]) => each !== name);
  if (value === null) return Object.fromEntries(entries);
  if (value.length > attributeCharacters || value.includes("\u0000")) {
    throw new AppError("bad_request", `An attribute is a text of at most ${attributeCharacters} characters.`);
  }
  if (entries.length >= attributesPerMember) {
    throw new AppError("plan_limit", `A member has at most ${attributesPerMember} attributes.`, {
      hint: "Take away one that is not needed any more.",
    });
  }
  return Object.fromEntries([...entries, [name, value]]);
}

export function memberEvent(
  action: string,
  by: Actor = "operator",
  workspaceId: number,
  { email, role }: Member,
): AuditEvent {
  const what = { workspaceId, resourceType: "member", resourceId: email };
  return changeEvent(action, by, { ...what, metadata: { role } });
}

function requireRole(role: Role): void {
  if (ROLES.includes(role)) return;
  throw new AppError("bad_request", `"${String(role).slice(0, 40)}" is not a role.`, {
    hint: `Roles are: ${ROLES.join(", ")}.`,
  });
}

function noAccount(email: string): AppError {
  return new AppError("not_found", `There is no account ${email}.`, { hint: "See: kenning user list" });
}
