import { and, eq, gt } from "drizzle-orm";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import type { Role } from "../../../kernel/permissions.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog, CatalogDb, CatalogTx } from "../../../platform/catalog/index.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import { accounts, federatedIdentities, invitations, members } from "../identity.tables.ts";
import type { FederatedPerson, Federation, JoinRule, Origin } from "../identity.ts";
import { changeMember, enterGroups, findMember, lockWorkspace } from "./membership.store.ts";
import { isEmail, normaliseEmail, requireEmail, requireName } from "./names.ts";
import { generatePassword, hashPassword } from "./passwords.ts";
import { recordSession } from "./users.store.ts";
import { requireWorkspace } from "./workspaces.store.ts";

type Account = typeof accounts.$inferSelect;
type Standing = { workspaceId: number; role: Role; action: "member.joined" | "member.role_changed" };
type Outcome = { account: Account; standings: Standing[] };

interface FederationOptions {
  catalog: Catalog;
  clock: Clock;
  tell: TellChange;
  audit: AuditSink;
}

export function createFederation(options: FederationOptions): Federation {
  return {
    signIn: (person, from) => signIn(options, person, from),
    accountOf: async (issuer, subject) =>
      (await knownSubject(options.catalog.db, issuer, subject))?.id ?? null,
    async unlink(email) {
      const { db } = options.catalog;
      const [account] = await db
        .select()
        .from(accounts)
        .where(eq(accounts.email, requireEmail(email)));
      if (account === undefined)
        throw new AppError("not_found", `There is no account ${email}.`, { hint: "See: kenning user list" });
      const links = eq(federatedIdentities.accountId, account.id);
      const gone = await db.delete(federatedIdentities).where(links).returning();
      return gone.length;
    },
  };
}

async function signIn(
  options: FederationOptions,
  person: FederatedPerson,
  from: Origin,
): Promise<{ userId: number; email: string }> {
  const { catalog, tell, audit } = options;
  const metadata = { provider: person.provider };
  // Made outside of the transaction, since it takes long enough to hold up others; nobody knows the password.
  const passwordHash = await hashPassword(generatePassword());
  let outcome: Outcome;
  try {
    outcome = await catalog.transaction((tx) => admit(options, tx, person, passwordHash));
  } catch (error) {
    recordSession(options, "auth.sign_in", null, false, from, metadata);
    throw error;
  }
  const { account, standings } = outcome;
  const { id: userId, email } = account;
  tell({ what: "account", id: userId });
  for (const { action, workspaceId, role } of standings) {
    const what = { workspaceId, resourceType: "member", resourceId: email, metadata: { role, ...metadata } };
    audit.record(changeEvent(action, { userId }, what));
  }
  recordSession(options, "auth.sign_in", userId, true, from, metadata);
  return { userId, email };
}

async function admit(
  options: FederationOptions,
  tx: CatalogTx,
  person: FederatedPerson,
  passwordHash: string,
): Promise<Outcome> {
  const email = normaliseEmail(person.email ?? "");
  if (!isEmail(email))
    throw new AppError(
      "forbidden",
      "Your company's sign-in vouches for no e-mail address that is welcome here.",
      {
        hint: "Ask whoever runs this server which addresses are.",
      },
    );
  const invited = await openInvitations(options, tx, email);
  const account =
    (await knownSubject(tx, person.issuer, person.subject)) ??
    (await newSubject(options, tx, { ...person, email }, { passwordHash, isInvited: invited.length > 0 }));
  if (account.disabledAt !== null)
    throw new AppError("forbidden", "This account is switched off.", { hint: "Ask an admin." });
  const standings = email === account.email ? await accept(options, tx, account, invited) : [];
  if (person.join !== undefined) standings.push(...(await keepMembership(options, tx, account, person.join)));
  return { account, standings };
}

function openInvitations({ clock }: FederationOptions, tx: CatalogTx, email: string): Promise<Invited[]> {
  return tx
    .select()
    .from(invitations)
    .where(and(eq(invitations.email, email), gt(invitations.expiresAt, clock.now())));
}

type Invited = typeof invitations.$inferSelect;

async function knownSubject(
  db: CatalogDb | CatalogTx,
  issuer: string,
  subject: string,
): Promise<Account | undefined> {
  const [row] = await db
    .select({ account: accounts })
    .from(federatedIdentities)
    .innerJoin(accounts, eq(accounts.id, federatedIdentities.accountId))
    .where(and(eq(federatedIdentities.issuer, issuer), eq(federatedIdentities.subject, subject)));
  return row?.account;
}

/** The first time: their account is found by the e-mail, or made where they are expected. */
async function newSubject(
  { clock }: FederationOptions,
  tx: CatalogTx,
  { issuer, subject, email, name, join }: FederatedPerson & { email: string },
  { passwordHash, isInvited }: { passwordHash: string; isInvited: boolean },
): Promise<Account> {
  const createdAt = clock.now();
  if (isInvited || join !== undefined) {
    const shown = requireName(name?.trim().slice(0, 100) || (email.split("@")[0] ?? email), "user");
    await tx.insert(accounts).values({ email, name: shown, passwordHash, createdAt }).onConflictDoNothing();
  }
  const [account] = await tx.select().from(accounts).where(eq(accounts.email, email));
  if (account === undefined)
    throw new AppError("forbidden", `${email} has no account here and is not invited.`, {
      hint: "Ask an admin of your workspace for an invitation.",
    });
  const [other] = await tx
    .select()
    .from(federatedIdentities)
    .where(and(eq(federatedIdentities.issuer, issuer), eq(federatedIdentities.accountId, account.id)));
  if (other !== undefined && other.subject !== subject)
    throw new AppError(
      "forbidden",
      `${email} belongs to an account that somebody else of your company uses.`,
      {
        hint: "If that is you, whoever runs this server can let you in: kenning user unlink",
      },
    );
  await tx
    .insert(federatedIdentities)
    .values({ issuer, subject, accountId: account.id, createdAt })
    .onConflictDoNothing();
  return account;
}

/** The provider has shown whose address it is, which is what opening the link would. */
async function accept(
  { clock }: FederationOptions,
  tx: CatalogTx,
  { id: accountId }: Account,
  invited: readonly Invited[],
): Promise<Standing[]> {
  const standings: Standing[] = [];
  for (const { id, workspaceId, role, attributes, groupIds } of invited) {
    await tx.delete(invitations).where(eq(invitations.id, id));
    const membership = { workspaceId, accountId, role, attributes, createdAt: clock.now() };
    const entered = await tx.insert(members).values(membership).onConflictDoNothing().returning();
    if (entered.length === 0) continue;
    await enterGroups(tx, workspaceId, accountId, groupIds);
    standings.push({ workspaceId, role, action: "member.joined" });
  }
  return standings;
}

/** Makes a member of whoever is none, and keeps what the provider is asked about as it says today. */
async function keepMembership(
  { clock }: FederationOptions,
  tx: CatalogTx,
  { id: accountId, email }: Account,
  { workspace, role, mappedRole, groups, attributes }: JoinRule,
): Promise<Standing[]> {
  const { id: workspaceId } = await requireWorkspace(tx, workspace);
  await lockWorkspace(tx, workspaceId);
  const membership = {
    workspaceId,
    accountId,
    role: mappedRole ?? role,
    attributes: {},
    createdAt: clock.now(),
  };
  const entered = await tx.insert(members).values(membership).onConflictDoNothing().returning();
  const before = await requireListed(tx, workspaceId, email);
  const wish = { workspaceId, email, attributes, by: { userId: 0 }, ...(groups !== undefined && { groups }) };
  const roleWish = mappedRole === undefined ? wish : { ...wish, role: mappedRole };
  try {
    await tx.transaction((inner) => changeMember(inner, before, roleWish));
  } catch (error) {
    // The last admin stays one, whatever the provider says, and can still sign in.
    if (!isAppError(error) || error.code !== "conflict") throw error;
    await changeMember(tx, before, wish);
  }
  const after = await requireListed(tx, workspaceId, email);
  if (entered.length > 0) return [{ workspaceId, role: after.role, action: "member.joined" }];
  return after.role === before.role ? [] : [{ workspaceId, role: after.role, action: "member.role_changed" }];
}

async function requireListed(tx: CatalogTx, workspaceId: number, email: string) {
  const member = await findMember(tx, workspaceId, email);
  if (member === undefined) throw new TypeError("a member is missing right after it was written");
  return member;
}
