import { createHash } from "node:crypto";
import { and, asc, count, eq, gt, inArray, isNull, lt, ne } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Role } from "../../../kernel/permissions.ts";
import { randomText } from "../../../kernel/text.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog, CatalogDb, CatalogTx } from "../../../platform/catalog/index.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import {
  accounts,
  groupMembers,
  groups,
  invitations,
  loginClients,
  members,
  tokens,
  workspaces,
} from "../identity.tables.ts";
import type { Invitation, Member, Membership, MemberWish, Users } from "../identity.ts";
import { LIMITS } from "../limits.ts";
import { connectedApps } from "../oauth/oauth.tables.ts";
import { memberColumns, memberFrom } from "./members.store.ts";
import { requireEmail, requireName } from "./names.ts";
import { hashPassword, requireGoodPassword } from "./passwords.ts";
import { memberEvent, withAttribute } from "./users.store.ts";

interface MembershipOptions {
  catalog: Catalog;
  clock: Clock;
  tell: TellChange;
  audit: AuditSink;
  users: Pick<Users, "signIn">;
  passwordSignIn: boolean;
}

type Db = CatalogDb | CatalogTx;
type ListedMember = Member & { groups: string[] };

export function createMembership(options: MembershipOptions): Membership {
  const { catalog, clock } = options;
  const { db } = catalog;
  return {
    async list(workspaceId) {
      const [found, waiting, all] = await Promise.all([
        membersOf(db, workspaceId),
        invitationsOf(db, workspaceId, clock.now()),
        groupsOf(db, workspaceId),
      ]);
      return { members: found, invitations: waiting, groups: all.map(({ name }) => name) };
    },
    set: (wish) => setMember(options, wish),
    remove: (wish) => removeMember(options, wish),

    async invitation(secret) {
      const { email, role, workspaceId } = await requireInvitation(db, secret, clock.now());
      const [workspace] = await db.select().from(workspaces).where(eq(workspaces.id, workspaceId));
      return { email, role, workspace: workspace?.name ?? "" };
    },

    async join(secret, person) {
      const { email } = await requireInvitation(db, secret, clock.now());
      if (email !== person.email) throw notForYou(email);
      return catalog
        .transaction((tx) => join(options, tx, secret, person.userId))
        .then((joined) => told(options, joined, person.userId));
    },

    joinWithPassword: (secret, person, from) => joinWithPassword(options, secret, person, from),

    async sweep() {
      await db.delete(invitations).where(lt(invitations.expiresAt, clock.now()));
    },
  };
}

async function setMember(
  options: MembershipOptions,
  wish: MemberWish,
): Promise<{ member: ListedMember } | { invitation: Invitation; secret: string }> {
  const { catalog, tell, audit } = options;
  const { workspaceId, by } = wish;
  const email = requireEmail(wish.email);
  const done = await catalog.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    const member = await findMember(tx, workspaceId, email);
    if (member === undefined) return invite(options, tx, { ...wish, email });
    return { member: await changeMember(tx, member, wish) };
  });
  if ("member" in done) {
    tell({ what: "account", id: done.member.userId });
    audit.record(memberEvent("member.changed", by, workspaceId, done.member));
  } else {
    const { role } = done.invitation;
    const what = { workspaceId, resourceType: "invitation", resourceId: email, metadata: { role } };
    audit.record(changeEvent("member.invited", by, what));
  }
  return done;
}

/** One change of a workspace's members at a time: two that each leave one admin must not leave none. */
export async function lockWorkspace(tx: CatalogTx, workspaceId: number): Promise<void> {
  await tx.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, workspaceId)).for("update");
}

export async function changeMember(
  tx: CatalogTx,
  member: ListedMember,
  { workspaceId, role = member.role, attributes: changes = {}, groups: names, by }: MemberWish,
): Promise<ListedMember> {
  if (role !== member.role && member.userId === by.userId)
    throw new AppError("forbidden", "Nobody changes their own role.", { hint: "Ask another admin." });
  if (role !== "admin") await requireOtherAdmin(tx, workspaceId, member);
  const theirs = and(eq(members.workspaceId, workspaceId), eq(members.accountId, member.userId));
  await tx
    .update(members)
    .set({ role, attributes: attributesWith(member.attributes, changes) })
    .where(theirs);
  if (names !== undefined) {
    const ids = await groupIdsOf(tx, workspaceId, names);
    const { userId: accountId } = member;
    const ofMember = and(eq(groupMembers.workspaceId, workspaceId), eq(groupMembers.accountId, accountId));
    await tx.delete(groupMembers).where(ofMember);
    await enterGroups(tx, workspaceId, accountId, ids);
  }
  return (await findMember(tx, workspaceId, member.email)) as ListedMember;
}

/** A workspace without an admin could be helped by its operator alone. */
async function requireOtherAdmin(
  tx: CatalogTx,
  workspaceId: number,
  { userId, role }: Pick<Member, "userId" | "role">,
): Promise<void> {
  if (role !== "admin") return;
  const [others] = await tx
    .select({ count: count() })
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        eq(members.role, "admin"),
        ne(members.accountId, userId),
        isNull(accounts.disabledAt),
      ),
    );
  if ((others?.count ?? 0) > 0) return;
  throw new AppError("conflict", "This is the last admin of the workspace.", {
    hint: "Make somebody else an admin first.",
  });
}

/** True if there is an account of this address is nobody's business: with one or without, it gets the same link. */
async function invite(
  { clock }: MembershipOptions,
  tx: CatalogTx,
  { workspaceId, email, role = "viewer", groups: names, attributes = {}, by }: MemberWish,
): Promise<{ invitation: Invitation; secret: string }> {
  const { invitationMs, invitationsPerWorkspace } = LIMITS.identity;
  const now = clock.now();
  const [waiting] = await tx
    .select({ count: count() })
    .from(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), ne(invitations.email, email)));
  if ((waiting?.count ?? 0) >= invitationsPerWorkspace)
    throw new AppError("plan_limit", `${invitationsPerWorkspace} invitations wait already.`, {
      hint: "Take back some with {tool:remove_member}.",
    });
  const secret = randomText(32);
  const values = {
    role,
    attributes: attributesWith({}, attributes),
    groupIds: await groupIdsOf(tx, workspaceId, names ?? []),
    hash: hashOf(secret),
    invitedBy: by.userId,
    createdAt: now,
    expiresAt: new Date(now.getTime() + invitationMs),
  };
  const target = [invitations.workspaceId, invitations.email];
  await tx
    .insert(invitations)
    .values({ workspaceId, email, ...values })
    .onConflictDoUpdate({ target, set: values });
  const invitation = (await invitationsOf(tx, workspaceId, now)).find((each) => each.email === email);
  return { invitation: invitation as Invitation, secret };
}

function attributesWith(
  before: Member["attributes"],
  changes: NonNullable<MemberWish["attributes"]>,
): Record<string, string> {
  return Object.entries(changes).reduce<Record<string, string>>(
    (sum, [name, value]) => withAttribute(sum, requireName(name, "attribute"), value),
    { ...before },
  );
}

/** By name; those that there are not yet are made. */
async function groupIdsOf(tx: CatalogTx, workspaceId: number, names: readonly string[]): Promise<number[]> {
  const wanted = [...new Set(names.map((name) => requireName(name, "group")))];
  if (wanted.length === 0) return [];
  const known = await groupsOf(tx, workspaceId);
  const missing = wanted.filter((name) => !known.some((group) => group.name === name));
  const { groupsPerWorkspace } = LIMITS.identity;
  if (known.length + missing.length > groupsPerWorkspace)
    throw new AppError("plan_limit", `A workspace has at most ${groupsPerWorkspace} groups.`);
  const made =
    missing.length === 0
      ? []
      : await tx
          .insert(groups)
          .values(missing.map((name) => ({ workspaceId, name, displayName: name })))
          .returning({ id: groups.id });
  return [...known.filter(({ name }) => wanted.includes(name)), ...made].map(({ id }) => id);
}

export async function enterGroups(
  tx: CatalogTx,
  workspaceId: number,
  accountId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  // A group may have gone since somebody was invited into it.
  const here = await tx
    .select({ groupId: groups.id })
    .from(groups)
    .where(and(eq(groups.workspaceId, workspaceId), inArray(groups.id, [...ids])));
  const rows = here.map(({ groupId }) => ({ workspaceId, groupId, accountId }));
  if (rows.length > 0) await tx.insert(groupMembers).values(rows).onConflictDoNothing();
}

async function removeMember(
  { catalog, clock, tell, audit }: MembershipOptions,
  { workspaceId, email, by }: Parameters<Membership["remove"]>[0],
): Promise<"member" | "invitation"> {
  const normal = requireEmail(email);
  const removed = await catalog.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    const ofAddress = and(eq(invitations.workspaceId, workspaceId), eq(invitations.email, normal));
    const taken = await tx.delete(invitations).where(ofAddress).returning({ id: invitations.id });
    const member = await findMember(tx, workspaceId, normal);
    if (member === undefined) {
      if (taken.length > 0) return undefined;
      throw new AppError("not_found", `${normal} is neither a member nor invited.`, {
        hint: "See {tool:list_members}.",
      });
    }
    if (member.userId === by.userId)
      throw new AppError("forbidden", "Nobody removes themselves.", { hint: "Ask another admin." });
    await requireOtherAdmin(tx, workspaceId, member);
    await tx
      .delete(members)
      .where(and(eq(members.workspaceId, workspaceId), eq(members.accountId, member.userId)));
    await endAccess(tx, workspaceId, member.userId, clock.now());
    return member;
  });
  if (removed !== undefined) {
    tell({ what: "account", id: removed.userId });
    audit.record(memberEvent("member.removed", by, workspaceId, removed));
    return "member";
  }
  const what = { workspaceId, resourceType: "invitation", resourceId: normal };
  audit.record(changeEvent("member.invitation_withdrawn", by, what));
  return "invitation";
}

/** Otherwise all of it would be good again if they were ever invited again. */
async function endAccess(tx: CatalogTx, workspaceId: number, accountId: number, now: Date): Promise<void> {
  const of = <T extends typeof tokens | typeof connectedApps>(table: T) =>
    and(eq(table.workspaceId, workspaceId), eq(table.accountId, accountId), isNull(table.revokedAt));
  await tx.update(tokens).set({ revokedAt: now }).where(of(tokens));
  await tx.update(connectedApps).set({ revokedAt: now }).where(of(connectedApps));
  await tx
    .delete(loginClients)
    .where(and(eq(loginClients.workspaceId, workspaceId), eq(loginClients.accountId, accountId)));
}

async function joinWithPassword(
  options: MembershipOptions,
  secret: string,
  { name, password }: { name: string; password: string },
  from: Parameters<Users["signIn"]>[2],
): Promise<{ userId: number; workspace: string }> {
  const { catalog, clock, users } = options;
  if (!options.passwordSignIn)
    throw new AppError("forbidden", "Nobody signs in with a password here.", {
      hint: "Sign in with your company's account.",
    });
  const { email } = await requireInvitation(catalog.db, secret, clock.now());
  const [known] = await catalog.db
    .select({ id: accounts.id })
    .from(accounts)
    .where(eq(accounts.email, email));
  if (known !== undefined) {
    const person = await users.signIn(email, password, from);
    if (person === null) throw new AppError("forbidden", "E-mail and password do not fit.");
    const joined = await catalog.transaction((tx) => join(options, tx, secret, person.userId));
    return { userId: person.userId, ...told(options, joined, person.userId) };
  }
  requireGoodPassword(password, email);
  const shown = requireName(name.trim() === "" ? (email.split("@")[0] ?? email) : name, "user");
  const passwordHash = await hashPassword(password);
  const { joined, userId } = await catalog.transaction(async (tx) => {
    const account = { email, name: shown, passwordHash, createdAt: clock.now() };
    const [made] = await tx.insert(accounts).values(account).onConflictDoNothing().returning();
    if (made === undefined)
      throw new AppError("conflict", "This address has an account by now.", { hint: "Try again." });
    return { joined: await join(options, tx, secret, made.id), userId: made.id };
  });
  return { userId, ...told(options, joined, userId) };
}

interface Joined {
  workspaceId: number;
  slug: string;
  email: string;
  role: Role;
}

/** Uses the invitation up. Whoever is a member by now stays what they are. */
async function join(
  { clock }: MembershipOptions,
  tx: CatalogTx,
  secret: string,
  accountId: number,
): Promise<Joined> {
  const now = clock.now();
  const { workspaceId, email, role, attributes, groupIds, id } = await requireInvitation(tx, secret, now);
  const used = await tx.delete(invitations).where(eq(invitations.id, id)).returning();
  if (used.length === 0) throw linkIsGone();
  const membership = { workspaceId, accountId, role, attributes, createdAt: now };
  const entered = await tx.insert(members).values(membership).onConflictDoNothing().returning();
  if (entered.length > 0) await enterGroups(tx, workspaceId, accountId, groupIds);
  const [workspace] = await tx.select().from(workspaces).where(eq(workspaces.id, workspaceId));
  return { workspaceId, slug: workspace?.slug ?? "", email, role };
}

/** After the commit. */
function told(
  { tell, audit }: MembershipOptions,
  { workspaceId, slug, email, role }: Joined,
  userId: number,
): { workspace: string } {
  tell({ what: "account", id: userId });
  const what = { workspaceId, resourceType: "member", resourceId: email, metadata: { role } };
  audit.record(changeEvent("member.joined", { userId }, what));
  return { workspace: slug };
}

async function requireInvitation(db: Db, secret: string, now: Date) {
  const [row] = await db
    .select()
    .from(invitations)
    .where(and(eq(invitations.hash, hashOf(secret)), gt(invitations.expiresAt, now)));
  if (row === undefined) throw linkIsGone();
  return row;
}

function linkIsGone(): AppError {
  return new AppError("gone", "This invitation was used, taken back or has expired.", {
    hint: "Ask whoever invited you for a new one.",
  });
}

function notForYou(email: string): AppError {
  return new AppError("forbidden", `This invitation is for ${email}.`, {
    hint: "Sign in with that address.",
  });
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

export async function findMember(
  tx: Db,
  workspaceId: number,
  email: string,
): Promise<ListedMember | undefined> {
  const [member] = await membersOf(tx, workspaceId, email);
  return member;
}

async function membersOf(db: Db, workspaceId: number, email?: string): Promise<ListedMember[]> {
  const here = eq(members.workspaceId, workspaceId);
  const rows = await db
    .select(memberColumns)
    .from(members)
    .innerJoin(accounts, eq(accounts.id, members.accountId))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(email === undefined ? here : and(here, eq(accounts.email, email)))
    .orderBy(asc(accounts.email));
  const inGroups = await db
    .select({ accountId: groupMembers.accountId, name: groups.name })
    .from(groupMembers)
    .innerJoin(groups, eq(groups.id, groupMembers.groupId))
    .where(eq(groupMembers.workspaceId, workspaceId))
    .orderBy(asc(groups.name));
  const byAccount = Map.groupBy(inGroups, ({ accountId }) => accountId);
  return rows.map((row) => ({
    ...memberFrom(row),
    groups: (byAccount.get(row.userId) ?? []).map(({ name }) => name),
  }));
}

async function invitationsOf(db: Db, workspaceId: number, now: Date): Promise<Invitation[]> {
  const rows = await db
    .select()
    .from(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), gt(invitations.expiresAt, now)))
    .orderBy(asc(invitations.email));
  const names = new Map((await groupsOf(db, workspaceId)).map(({ id, name }) => [id, name]));
  return rows.map(({ email, role, attributes, groupIds, createdAt, expiresAt }) => ({
    ...{ email, role, attributes, createdAt, expiresAt },
    groups: groupIds.flatMap((id) => names.get(id) ?? []),
  }));
}

function groupsOf(db: Db, workspaceId: number): Promise<{ id: number; name: string }[]> {
  return db
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(eq(groups.workspaceId, workspaceId))
    .orderBy(asc(groups.name));
}
