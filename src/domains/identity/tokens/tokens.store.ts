import { and, desc, eq, gt, isNull, or, sql } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Clock } from "../../../kernel/time.ts";
import type { Catalog, CatalogTx } from "../../../platform/catalog/index.ts";
import type { TokenKind } from "../../../registry/caller.ts";
import type { AuditEvent, AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import type { TellChange } from "../authentication/change-listener.ts";
import { accounts, tokens, workspaces } from "../identity.tables.ts";
import type { Actor, TokenInfo, Tokens } from "../identity.ts";
import { LIMITS } from "../limits.ts";
import { requireMember } from "../members/members.store.ts";
import { requireEmail, requireName } from "../members/names.ts";
import { requireWorkspace } from "../members/workspaces.store.ts";
import { expiryFor, limitsFor, newTokenText, scopesFor } from "./tokens.ts";

export interface TokensOptions {
  catalog: Catalog;
  clock: Clock;
  tell: TellChange;
  audit: AuditSink;
}

const infoColumns = {
  id: tokens.id,
  kind: tokens.kind,
  name: tokens.name,
  hintText: tokens.hintText,
  email: accounts.email,
  workspace: workspaces.slug,
  scopes: tokens.scopes,
  limits: tokens.limits,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  revokedAt: tokens.revokedAt,
  lastUsedAt: tokens.lastUsedAt,
  lastUsedClient: tokens.lastUsedClient,
};

const MADE_KINDS: readonly TokenKind[] = ["api", "mcp", "memory", "knowledge"];

export function createTokens(options: TokensOptions): Tokens {
  const { catalog, clock } = options;
  return {
    create: (input) => createToken(options, input),

    async list({ workspace, email, includeEnded = false } = {}) {
      const { db } = catalog;
      const live = and(
        isNull(tokens.revokedAt),
        or(isNull(tokens.expiresAt), gt(tokens.expiresAt, clock.now())),
      );
      const conditions = [
        workspace === undefined
          ? undefined
          : eq(tokens.workspaceId, (await requireWorkspace(db, workspace)).id),
        email === undefined ? undefined : eq(accounts.email, requireEmail(email)),
        includeEnded ? undefined : live,
      ];
      return db
        .select(infoColumns)
        .from(tokens)
        .innerJoin(accounts, eq(accounts.id, tokens.accountId))
        .innerJoin(workspaces, eq(workspaces.id, tokens.workspaceId))
        .where(and(...conditions))
        .orderBy(desc(tokens.id));
    },

    revoke: (id, by) => revokeToken(options, id, by),

    async revokeOwn(ownerId, id) {
      const theirs = and(eq(tokens.id, id), eq(tokens.accountId, ownerId));
      const isTheirs = isTokenId(id) && (await catalog.db.$count(tokens, theirs)) > 0;
      if (!isTheirs) throw new AppError("not_found", "You have no such token.");
      await revokeToken(options, id, { userId: ownerId });
    },
  };
}

async function createToken({ catalog, clock, audit }: TokensOptions, input: Parameters<Tokens["create"]>[0]) {
  const { kind } = input;
  if (!MADE_KINDS.includes(kind)) {
    throw new AppError(
      "bad_request",
      `"${String(kind).slice(0, 40)}" is not a kind of token that can be made.`,
      {
        hint: `Kinds are: ${MADE_KINDS.join(", ")}.`,
      },
    );
  }
  const now = clock.now();
  const wanted = {
    kind,
    name: requireName(input.name ?? `${kind} token`, "token"),
    scopes: scopesFor(kind, input.scopes),
    limits: limitsFor(input.limits),
    createdAt: now,
    expiresAt: expiryFor(kind, now, input.expiresInMs),
  };
  const { token, ...stored } = newTokenText(kind);
  const { info, owner } = await catalog.transaction(async (tx) => {
    const owner = await requireMember(tx, input.email, input.workspace);
    if (owner.disabled) {
      throw new AppError("conflict", `The account ${owner.email} is disabled.`, {
        hint: "See: kenning user enable",
      });
    }
    await requireRoom(tx, owner, now);
    const { accountId, workspaceId, email, workspace } = owner;
    const [row] = await tx
      .insert(tokens)
      .values({ ...wanted, ...stored, accountId, workspaceId })
      .returning();
    const {
      hash: _hash,
      accountId: _account,
      workspaceId: _workspace,
      ...rest
    } = row as typeof tokens.$inferSelect;
    const info: TokenInfo = { ...rest, email, workspace };
    return { info, owner };
  });
  const facts = { kind, name: info.name, scopes: info.scopes };
  audit.record(tokenEvent("token.created", input.by, owner, info.id, facts));
  return { token, info };
}

/** The member is locked, so that tokens made at once are counted one after the other. */
async function requireRoom(
  tx: CatalogTx,
  owner: { accountId: number; workspaceId: number },
  now: Date,
): Promise<void> {
  const [row] = await tx
    .select({ count: sql<number>`count(*)::int` })
    .from(tokens)
    .where(
      and(
        eq(tokens.accountId, owner.accountId),
        eq(tokens.workspaceId, owner.workspaceId),
        isNull(tokens.revokedAt),
        gt(tokens.expiresAt, now),
        sql`${tokens.kind} <> 'bearer'`,
      ),
    );
  if ((row?.count ?? 0) < LIMITS.identity.tokensPerMember) return;
  throw new AppError("conflict", `A member can have ${LIMITS.identity.tokensPerMember} tokens at a time.`, {
    hint: "Revoke some that are no longer needed.",
  });
}

/** Revoking twice is no error, and keeps the first time. */
async function revokeToken(
  { catalog, clock, tell, audit }: TokensOptions,
  id: number,
  by: Actor | undefined,
): Promise<void> {
  const [row] = isTokenId(id) ? await catalog.db.select().from(tokens).where(eq(tokens.id, id)) : [];
  if (row === undefined)
    throw new AppError("not_found", `There is no token ${id}.`, { hint: "See: kenning token list" });
  const revoked = await catalog.db
    .update(tokens)
    .set({ revokedAt: clock.now() })
    .where(and(eq(tokens.id, id), isNull(tokens.revokedAt)))
    .returning({ id: tokens.id });
  tell({ what: "token", id });
  const { kind, name } = row;
  if (revoked.length > 0) audit.record(tokenEvent("token.revoked", by, row, id, { kind, name }));
}

function isTokenId(id: number): boolean {
  return Number.isSafeInteger(id) && id > 0;
}

function tokenEvent(
  action: string,
  by: Actor = "operator",
  { workspaceId, accountId: ownerId }: { workspaceId: number; accountId: number },
  id: number,
  facts: Record<string, unknown>,
): AuditEvent {
  const what = { workspaceId, resourceType: "token", resourceId: String(id) };
  return changeEvent(action, by, { ...what, metadata: { ...facts, ownerId } });
}
