import { timingSafeEqual } from "node:crypto";
import { and, eq, lt } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import { randomText } from "../../../kernel/text.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import { accounts, loginClients, members, tokens } from "../identity.tables.ts";
import type { LoginClients } from "../identity.ts";
import type { IdentityLimiter } from "../limits/limiter.ts";
import { requireMember } from "../members/members.store.ts";
import { expiryFor, hashOf, NO_LIMITS, newTokenText, TOKEN_RULES } from "./tokens.ts";

const CLIENT_ID = /^kci_[A-Za-z0-9_-]{22}$/;
/** Bearers that ended longer ago are removed when their owner signs in again. */
const KEEP_ENDED_MS = MS.day;

export interface LoginClientsOptions {
  catalog: Catalog;
  clock: Clock;
  limiter: IdentityLimiter;
  audit: AuditSink;
}

interface Found {
  secretHash: string;
  accountId: number;
  workspaceId: number;
  disabledAt: Date | null;
  role: string | null;
}

export function createLoginClients(options: LoginClientsOptions): LoginClients {
  const { catalog, clock, limiter, audit } = options;
  return {
    async create({ email, workspace, by = "operator" }) {
      const { accountId, workspaceId } = await requireMember(catalog.db, email, workspace);
      const clientId = `kci_${randomText(16)}`;
      const clientSecret = `kcs_${randomText(32)}`;
      const secretHash = hashOf(clientSecret);
      await catalog.db
        .insert(loginClients)
        .values({ clientId, secretHash, accountId, workspaceId, createdAt: clock.now() });
      const what = { workspaceId, resourceType: "login_client", resourceId: clientId };
      audit.record(changeEvent("login_client.created", by, { ...what, metadata: { ownerId: accountId } }));
      return { clientId, clientSecret };
    },

    async login({ clientId, clientSecret, address }) {
      await limiter.admitLogin(clientId, address);
      const found = CLIENT_ID.test(clientId) ? await find(catalog, clientId) : undefined;
      // Compared in any case, and hashes only: neither the time nor the answer tells which part was wrong.
      const fits = timingSafeEqual(
        Buffer.from(hashOf(clientSecret)),
        Buffer.from(found?.secretHash ?? hashOf("")),
      );
      const usable = found !== undefined && found.disabledAt === null && found.role !== null;
      if (!fits || !usable) {
        // A secret is too long to be guessed, so a good one is never refused for what others behind the address do.
        await limiter.admitAttempt(address);
        await limiter.failedAttempt(address);
        record(options, found, clientId, address, false);
        throw new AppError("unauthorized", "The client id or the client secret is wrong.", {
          hint: "Make new ones with: kenning client create",
          data: { reason: "login_failed" },
        });
      }
      const token = await newBearer(options, found, clientId);
      record(options, found, clientId, address, true);
      return { token, expiresInSeconds: TOKEN_RULES.bearer.lifetime.defaultMs / MS.second };
    },
  };
}

async function find(catalog: Catalog, clientId: string): Promise<Found | undefined> {
  const { secretHash, accountId, workspaceId } = loginClients;
  const [row] = await catalog.db
    .select({ secretHash, accountId, workspaceId, disabledAt: accounts.disabledAt, role: members.role })
    .from(loginClients)
    .innerJoin(accounts, eq(accounts.id, accountId))
    .leftJoin(members, and(eq(members.workspaceId, workspaceId), eq(members.accountId, accountId)))
    .where(eq(loginClients.clientId, clientId));
  return row;
}

async function newBearer(
  { catalog, clock }: LoginClientsOptions,
  owner: Found,
  clientId: string,
): Promise<string> {
  const now = clock.now();
  const { accountId, workspaceId } = owner;
  const { token, hash, hintText } = newTokenText("bearer");
  await catalog.transaction(async (tx) => {
    const ended = lt(tokens.expiresAt, new Date(now.getTime() - KEEP_ENDED_MS));
    await tx.delete(tokens).where(and(eq(tokens.kind, "bearer"), eq(tokens.accountId, accountId), ended));
    const facts = { kind: "bearer", name: `login of ${clientId}`, scopes: null, limits: NO_LIMITS } as const;
    await tx.insert(tokens).values({
      ...facts,
      hash,
      hintText,
      accountId,
      workspaceId,
      createdAt: now,
      expiresAt: expiryFor("bearer", now),
    });
  });
  return token;
}

function record(
  { audit }: LoginClientsOptions,
  found: Found | undefined,
  clientId: string,
  address: string,
  success: boolean,
): void {
  audit.record({
    action: "auth.login",
    workspaceId: found?.workspaceId ?? null,
    userId: found?.accountId ?? null,
    resourceType: "login_client",
    resourceId: clientId,
    success,
    outcome: success ? "ok" : "unauthorized",
    durationMs: 0,
    address,
    metadata: {},
  });
}
