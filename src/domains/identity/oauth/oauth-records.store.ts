import { createHash } from "node:crypto";
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { type Clock, MS } from "../../../kernel/clock.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { oauthRecords } from "./oauth.tables.ts";

export interface OAuthRecord {
  payload: Record<string, unknown>;
  /** Null as long as it may be used. */
  consumedAt: Date | null;
}

/** A client that registered itself is forgotten after this time if nobody has connected it. */
const UNCONNECTED_MS = 30 * MS.day;

/**
 * Two tabs, or two retries, of an honest client may use the same refresh token at once. Within this time the second
 * gets tokens of its own; after it, a used token is taken for stolen and the whole grant ends.
 */
const REFRESH_GRACE_MS = 30 * MS.second;

/** Whoever holds such an id can act with it, so the database knows only its hash. */
const SECRET_IDS: ReadonlySet<string> = new Set([
  "AccessToken",
  "AuthorizationCode",
  "RefreshToken",
  "RegistrationAccessToken",
  "Session",
  "Interaction",
]);

/** The memory of the authorization server, on our own table. */
export class OAuthRecords {
  readonly #db: Catalog["db"];
  readonly #clock: Clock;

  constructor({ db }: Catalog, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async put(model: string, id: string, payload: Record<string, unknown>, ttlSeconds?: number): Promise<void> {
    const { jti: _, ...kept } = payload;
    const lastsMs = model === "Client" ? UNCONNECTED_MS : ttlSeconds && ttlSeconds * MS.second;
    const row = {
      payload: SECRET_IDS.has(model) ? kept : payload,
      grantId: (payload.grantId as string | undefined) ?? null,
      uid: (payload.uid as string | undefined) ?? null,
      expiresAt: lastsMs === undefined ? null : new Date(this.#clock.now().getTime() + lastsMs),
    };
    await this.#db
      .insert(oauthRecords)
      .values({ model, id: keyOf(model, id), ...row })
      .onConflictDoUpdate({ target: [oauthRecords.model, oauthRecords.id], set: row });
  }

  async find(model: string, id: string): Promise<OAuthRecord | undefined> {
    const record = await this.#one(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
    if (record === undefined || !SECRET_IDS.has(model)) return record;
    return { ...record, payload: { ...record.payload, jti: id } };
  }

  findByUid(model: string, uid: string): Promise<OAuthRecord | undefined> {
    return this.#one(and(eq(oauthRecords.model, model), eq(oauthRecords.uid, uid)));
  }

  /** False when it was consumed before: of two at once, one wins. */
  async consume(model: string, id: string): Promise<boolean> {
    const rows = await this.#db
      .update(oauthRecords)
      .set({ consumedAt: this.#clock.now() })
      .where(
        and(
          eq(oauthRecords.model, model),
          eq(oauthRecords.id, keyOf(model, id)),
          isNull(oauthRecords.consumedAt),
        ),
      )
      .returning({ id: oauthRecords.id });
    return rows.length > 0;
  }

  async remove(model: string, id: string): Promise<void> {
    await this.#db
      .delete(oauthRecords)
      .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
  }

  /** Clears away what has expired. */
  async sweep(): Promise<void> {
    await this.#db.delete(oauthRecords).where(lt(oauthRecords.expiresAt, this.#clock.now()));
  }

  async #one(condition: ReturnType<typeof and>): Promise<OAuthRecord | undefined> {
    const now = this.#clock.now();
    const live = sql`(${oauthRecords.expiresAt} IS NULL OR ${oauthRecords.expiresAt} > ${now})`;
    const [row] = await this.#db.select().from(oauthRecords).where(and(condition, live)).limit(1);
    if (row === undefined) return undefined;
    const { model, payload, consumedAt } = row;
    const isForgiven =
      model === "RefreshToken" &&
      consumedAt !== null &&
      now.getTime() - consumedAt.getTime() < REFRESH_GRACE_MS;
    return { payload, consumedAt: isForgiven ? null : consumedAt };
  }
}

function keyOf(model: string, id: string): string {
  return SECRET_IDS.has(model) ? createHash("sha256").update(id).digest("base64url") : id;
}
