import { createHash } from "node:crypto";
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import type { Clock } from "../../../kernel/clock.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { oauthRecords } from "./oauth.tables.ts";

export interface OAuthRecord {
  payload: Record<string, unknown>;
  consumedAt: Date | null;
}

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
    const row = {
      payload: SECRET_IDS.has(model) ? kept : payload,
      grantId: (payload.grantId as string | undefined) ?? null,
      uid: (payload.uid as string | undefined) ?? null,
      expiresAt: ttlSeconds === undefined ? null : new Date(this.#clock.now().getTime() + ttlSeconds * 1_000),
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

  /** Makes a record last that would have ended by itself. */
  async keep(model: string, id: string): Promise<void> {
    await this.#db
      .update(oauthRecords)
      .set({ expiresAt: null })
      .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
  }

  async remove(model: string, id: string): Promise<void> {
    await this.#db
      .delete(oauthRecords)
      .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
  }

  async removeByGrant(grantId: string): Promise<void> {
    await this.#db.delete(oauthRecords).where(eq(oauthRecords.grantId, grantId));
  }

  /** Clears away what has expired. */
  async sweep(): Promise<void> {
    await this.#db.delete(oauthRecords).where(lt(oauthRecords.expiresAt, this.#clock.now()));
  }

  async #one(condition: ReturnType<typeof and>): Promise<OAuthRecord | undefined> {
    const now = this.#clock.now();
    const live = sql`(${oauthRecords.expiresAt} IS NULL OR ${oauthRecords.expiresAt} > ${now})`;
    const [row] = await this.#db.select().from(oauthRecords).where(and(condition, live)).limit(1);
    return row && { payload: row.payload, consumedAt: row.consumedAt };
  }
}

function keyOf(model: string, id: string): string {
  return SECRET_IDS.has(model) ? createHash("sha256").update(id).digest("base64url") : id;
}
