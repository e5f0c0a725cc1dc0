import { and, desc, eq, isNull, lt, notExists } from "drizzle-orm";
import { type Clock, MS } from "../../../kernel/clock.ts";
import { AppError } from "../../../kernel/errors.ts";
import type { Permission } from "../../../kernel/permissions.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { accounts, workspaces } from "../identity.tables.ts";
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

export interface AppOwner {
  accountId: number;
  workspaceId: number;
  workspaceSlug: string;
}

/** How long a look-up of a grant is remembered: the longest that a revoked app may still be served. */
const REMEMBERED_MS = 2_000;
const REMEMBERED_GRANTS = 10_000;

/** The apps that people have connected by OAuth. */
export class ConnectedApps {
  readonly #catalog: Catalog;
  readonly #clock: Clock;
  readonly #remembered = new Map<string, { owner: AppOwner | null; untilMs: number }>();

  constructor(catalog: Catalog, clock: Clock) {
    this.#catalog = catalog;
    this.#clock = clock;
  }

  async add(app: {
    grantId: string;
    accountId: number;
    workspaceId: number;
    clientId: string;
    clientName: string;
    scopes: readonly Permission[];
  }): Promise<void> {
    await this.#catalog.db
      .insert(connectedApps)
      .values({ ...app, scopes: [...app.scopes], createdAt: this.#clock.now() });
  }

  /** For whom, and in which workspace, a grant was given; null when it was revoked. */
  async ownerOf(grantId: string): Promise<AppOwner | null> {
    const nowMs = performance.now();
    const known = this.#remembered.get(grantId);
    if (known !== undefined && known.untilMs > nowMs) return known.owner;
    const [row] = await this.#catalog.db
      .select({
        accountId: connectedApps.accountId,
        workspaceId: workspaces.id,
        workspaceSlug: workspaces.slug,
      })
      .from(connectedApps)
      .innerJoin(workspaces, eq(workspaces.id, connectedApps.workspaceId))
      .where(and(eq(connectedApps.grantId, grantId), isNull(connectedApps.revokedAt)));
    if (this.#remembered.size >= REMEMBERED_GRANTS) this.#remembered.clear();
    this.#remembered.set(grantId, { owner: row ?? null, untilMs: nowMs + REMEMBERED_MS });
    return row ?? null;
  }

  /** Whose app it is, or was: for the audit log. */
  async whose(
    grantId: string,
  ): Promise<{ accountId: number; workspaceId: number; clientId: string } | undefined> {
    const { accountId, workspaceId, clientId } = connectedApps;
    const columns = { accountId, workspaceId, clientId };
    const [row] = await this.#catalog.db
      .select(columns)
      .from(connectedApps)
      .where(eq(connectedApps.grantId, grantId));
    return row;
  }

  /** Whether this person may still get tokens at all. */
  async isActive(accountId: number): Promise<boolean> {
    const isEnabled = and(eq(accounts.id, accountId), isNull(accounts.disabledAt));
    return (await this.#catalog.db.$count(accounts, isEnabled)) > 0;
  }

  async list(accountId: number): Promise<ConnectedApp[]> {
    return this.#catalog.db
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
    await this.#catalog.db
      .update(connectedApps)
      .set({ lastUsedAt: this.#clock.now() })
      .where(eq(connectedApps.grantId, grantId));
  }

  /** Ends an app of this person's: its tokens stop working. */
  async revoke(accountId: number, grantId: string): Promise<void> {
    const noSuchApp = new AppError("not_found", "There is no such connected app.");
    // The database would not even look for it.
    if (grantId.includes("\0")) throw noSuchApp;
    await this.#catalog.transaction(async (tx) => {
      const ended = await tx
        .update(connectedApps)
        .set({ revokedAt: this.#clock.now() })
        .where(
          and(
            eq(connectedApps.grantId, grantId),
            eq(connectedApps.accountId, accountId),
            isNull(connectedApps.revokedAt),
          ),
        )
        .returning({ grantId: connectedApps.grantId });
      if (ended.length === 0) throw noSuchApp;
      await tx.delete(oauthRecords).where(eq(oauthRecords.grantId, grantId));
      await tx.delete(oauthRecords).where(and(eq(oauthRecords.model, "Grant"), eq(oauthRecords.id, grantId)));
    });
    this.#remembered.delete(grantId);
  }

  /** What a revocation by the authorization server itself (a reused code or refresh token) means here. */
  async revokeGrant(grantId: string): Promise<void> {
    await this.#catalog.db
      .update(connectedApps)
      .set({ revokedAt: this.#clock.now() })
      .where(and(eq(connectedApps.grantId, grantId), isNull(connectedApps.revokedAt)));
    this.#remembered.delete(grantId);
  }

  /** Forgets apps that have nothing left to ask with: their last token has expired. */
  async sweep(): Promise<void> {
    const { db } = this.#catalog;
    const itsTokens = db
      .select({ id: oauthRecords.id })
      .from(oauthRecords)
      .where(eq(oauthRecords.grantId, connectedApps.grantId));
    const yesterday = new Date(this.#clock.now().getTime() - MS.day);
    const isOver = and(
      isNull(connectedApps.revokedAt),
      lt(connectedApps.createdAt, yesterday),
      notExists(itsTokens),
    );
    await db.update(connectedApps).set({ revokedAt: this.#clock.now() }).where(isOver);
  }
}
