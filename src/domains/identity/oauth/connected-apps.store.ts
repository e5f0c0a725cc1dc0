import { and, desc, eq, isNull, lt, notExists } from "drizzle-orm";
import { AppError } from "../../../kernel/errors.ts";
import type { Permission } from "../../../kernel/permissions.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import { type Catalog, type CatalogTx, Store } from "../../../platform/catalog/index.ts";
import type { AuditSink } from "../../../registry/ports.ts";
import { changeEvent } from "../audit/audited.ts";
import { accounts, members, workspaces } from "../identity.tables.ts";
import { connectedApps, oauthRecords } from "./oauth.tables.ts";

export interface ConnectedApp {
  grantId: string;
  clientId: string;
  clientName: string;
  workspace: string;
  scopes: readonly string[];
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** What a person answered to an app that asked for permissions. */
export interface Consent {
  accountId: number;
  /** The slug of the workspace that they chose. */
  workspace: string;
  clientId: string;
  clientName: string;
  asked: readonly Permission[];
  allowed: readonly string[];
}

export interface GrantedScopes {
  granted: readonly Permission[];
  declined: readonly Permission[];
}

export interface AppOwner {
  accountId: number;
  workspaceId: number;
  workspaceSlug: string;
  clientId: string;
  clientName: string;
}

/** Its client gave its tokens back, a code or refresh token was used again, or a code came without its proof. */
export type EndedBy = "client" | "reused" | "refused";

interface OwnedApp {
  accountId: number;
  workspaceId: number;
  clientId: string;
}

const whose = {
  accountId: connectedApps.accountId,
  workspaceId: connectedApps.workspaceId,
  clientId: connectedApps.clientId,
};

/** The apps that people have connected by OAuth. */
export class ConnectedApps extends Store {
  readonly #audit: AuditSink;

  constructor(catalog: Catalog, clock: Clock, audit: AuditSink) {
    super(catalog, clock);
    this.#audit = audit;
  }

  /**
   * Connects an app with what a person allowed of what it asked for, in a workspace of theirs. The authorization
   * server saves the grant in its own form and gives it its id; without an app of ours it is worth nothing.
   */
  async connect(
    consent: Consent,
    saveGrant: (scopes: GrantedScopes) => Promise<string>,
  ): Promise<{ grantId: string }> {
    const { accountId, clientId, clientName } = consent;
    const workspaceId = await this.#workspaceOf(accountId, consent.workspace);
    const asked = [...new Set(consent.asked)];
    const granted = asked.filter((scope) => consent.allowed.includes(scope));
    if (granted.length === 0) throw new AppError("bad_request", "Allow at least one thing, or deny.");
    const declined = asked.filter((scope) => !granted.includes(scope));
    const grantId = await saveGrant({ granted, declined });
    const app = { grantId, accountId, workspaceId, clientId, clientName, scopes: granted };
    await this.catalog.transaction(async (tx) => {
      await tx.insert(connectedApps).values({ ...app, createdAt: this.clock.now() });
      // A client that somebody has connected is not forgotten by itself any more.
      await tx
        .update(oauthRecords)
        .set({ expiresAt: null })
        .where(and(eq(oauthRecords.model, "Client"), eq(oauthRecords.id, clientId)));
    });
    this.#record("oauth.app_connected", app, { scopes: granted, grantId });
    return { grantId };
  }

  /** For whom, and in which workspace, a grant was given; null when it was revoked, by whichever server. */
  async ownerOf(grantId: string): Promise<AppOwner | null> {
    const [row] = await this.catalog.db
      .select({
        accountId: connectedApps.accountId,
        workspaceId: workspaces.id,
        workspaceSlug: workspaces.slug,
        clientId: connectedApps.clientId,
        clientName: connectedApps.clientName,
      })
      .from(connectedApps)
      .innerJoin(workspaces, eq(workspaces.id, connectedApps.workspaceId))
      .where(and(eq(connectedApps.grantId, grantId), isNull(connectedApps.revokedAt)));
    return row ?? null;
  }

  /** For the audit log: the authorization server has ended an app, because its client asked or a code was misused. */
  async noteEnd(grantId: string, why: EndedBy): Promise<void> {
    const [app] = await this.catalog.db
      .select(whose)
      .from(connectedApps)
      .where(eq(connectedApps.grantId, grantId));
    if (app !== undefined) this.#record("oauth.app_ended", app, { why, grantId });
  }

  /** True if this person may still get tokens at all. */
  async isActive(accountId: number): Promise<boolean> {
    const isEnabled = and(eq(accounts.id, accountId), isNull(accounts.disabledAt));
    return (await this.catalog.db.$count(accounts, isEnabled)) > 0;
  }

  async list(accountId: number): Promise<ConnectedApp[]> {
    return this.catalog.db
      .select({
        grantId: connectedApps.grantId,
        clientId: connectedApps.clientId,
        clientName: connectedApps.clientName,
        workspace: workspaces.slug,
        scopes: connectedApps.scopes,
        createdAt: connectedApps.createdAt,
        lastUsedAt: connectedApps.lastUsedAt,
      })
      .from(connectedApps)
      .innerJoin(workspaces, eq(workspaces.id, connectedApps.workspaceId))
      .where(and(eq(connectedApps.accountId, accountId), isNull(connectedApps.revokedAt)))
      .orderBy(desc(connectedApps.createdAt));
  }

  async used(grantId: string): Promise<void> {
    await this.catalog.db
      .update(connectedApps)
      .set({ lastUsedAt: this.clock.now() })
      .where(eq(connectedApps.grantId, grantId));
  }

  /** Ends an app of this person's: its tokens stop working. */
  async revoke(accountId: number, grantId: string): Promise<void> {
    const noSuchApp = new AppError("not_found", "There is no such connected app.");
    // The database would not even look for it.
    if (grantId.includes("\0")) throw noSuchApp;
    const app = await this.catalog.transaction(async (tx) => {
      const [ended] = await tx
        .update(connectedApps)
        .set({ revokedAt: this.clock.now() })
        .where(
          and(
            eq(connectedApps.grantId, grantId),
            eq(connectedApps.accountId, accountId),
            isNull(connectedApps.revokedAt),
          ),
        )
        .returning(whose);
      if (ended === undefined) throw noSuchApp;
      await removeGrant(tx, grantId);
      return ended;
    });
    this.#record("oauth.app_ended", app, { why: "person", grantId });
  }

  /** What a revocation by the authorization server itself (a reused code or refresh token) means here. */
  async revokeGrant(grantId: string): Promise<void> {
    await this.catalog.transaction(async (tx) => {
      await tx
        .update(connectedApps)
        .set({ revokedAt: this.clock.now() })
        .where(and(eq(connectedApps.grantId, grantId), isNull(connectedApps.revokedAt)));
      await removeGrant(tx, grantId);
    });
  }

  /** Forgets apps that have nothing left to ask with: their last token has expired. */
  async sweep(): Promise<void> {
    const { db } = this.catalog;
    const itsTokens = db
      .select({ id: oauthRecords.id })
      .from(oauthRecords)
      .where(eq(oauthRecords.grantId, connectedApps.grantId));
    const yesterday = new Date(this.clock.now().getTime() - MS.day);
    const isOver = and(
      isNull(connectedApps.revokedAt),
      lt(connectedApps.createdAt, yesterday),
      notExists(itsTokens),
    );
    await db.update(connectedApps).set({ revokedAt: this.clock.now() }).where(isOver);
  }

  async #workspaceOf(accountId: number, slug: string): Promise<number> {
    const theirs = await this.catalog.db
      .select({ id: workspaces.id, slug: workspaces.slug })
      .from(members)
      .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
      .where(eq(members.accountId, accountId));
    const chosen = theirs.find((workspace) => workspace.slug === slug);
    if (chosen === undefined) throw new AppError("bad_request", "Choose one of your workspaces.");
    return chosen.id;
  }

  #record(action: string, app: OwnedApp, metadata: Record<string, unknown>): void {
    const { accountId: userId, workspaceId, clientId } = app;
    const what = { workspaceId, resourceType: "oauth_client", resourceId: clientId.slice(0, 200) };
    this.#audit.record(changeEvent(action, { userId }, { ...what, metadata }));
  }
}

/** Nothing that came of a grant outlives it. */
async function removeGrant(tx: CatalogTx, grantId: string): Promise<void> {
  await tx.delete(oauthRecords).where(eq(oauthRecords.grantId, grantId));
  await tx.delete(oauthRecords).where(and(eq(oauthRecords.model, "Grant"), eq(oauthRecords.id, grantId)));
}
