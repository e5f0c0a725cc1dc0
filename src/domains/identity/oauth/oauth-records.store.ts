import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { and, eq, isNull, lt, sql } from "drizzle-orm";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { LIMITS } from "../limits.ts";
import { oauthRecords } from "./oauth.tables.ts";

/** What a refresh gave, and to which request. */
export interface Rotation {
  grantId: string;
  request: string;
  answer: Record<string, unknown>;
}

export interface OAuthRecord {
  payload: Record<string, unknown>;
  /** Null as long as it may be used. */
  consumedAt: Date | null;
}

/** A client that registered itself is forgotten after this time if nobody has connected it. */
const UNCONNECTED_MS = 30 * MS.day;

/** What a refresh token gave, kept for a few seconds for those who sent it at the same time. */
const ROTATION = "Rotation";
const ROTATION_LOOK_MS = 25;

/** Whoever holds such an id can act with it, so the database knows only its hash. */
const SECRET_IDS: ReadonlySet<string> = new Set([
  "AccessToken",
  "AuthorizationCode",
  "RefreshToken",
  "RegistrationAccessToken",
  "Session",
  "Interaction",
  ROTATION,
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

  /** As if it had not been consumed. */
  async giveBack(model: string, id: string): Promise<void> {
    await this.#db
      .update(oauthRecords)
      .set({ consumedAt: null })
      .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
  }

  /** Remembers what a refresh token gave; only whoever has that token can read it. */
  async keepRotation(token: string, { grantId, request, answer }: Rotation): Promise<void> {
    const payload = { grantId, sealed: seal(token, JSON.stringify({ request, answer })) };
    await this.put(ROTATION, token, payload, LIMITS.identity.refreshGraceMs / MS.second);
  }

  /**
   * Two tabs, or two retries, of an honest client may use the same refresh token at once: within a few seconds each is
   * given the same, so that a replay gives nobody tokens that the client does not have. "reused" where what it gave was
   * used already: whoever comes then is somebody else. Undefined where nothing is given.
   */
  async rotationOf(token: string, request: string): Promise<Record<string, unknown> | "reused" | undefined> {
    const until = performance.now() + LIMITS.identity.refreshWaitMs;
    while (await this.#isJustUsed(token)) {
      const kept = await this.find(ROTATION, token);
      if (kept !== undefined) {
        const rotation = JSON.parse(open(token, String(kept.payload.sealed))) as Omit<Rotation, "grantId">;
        const next = await this.#row("RefreshToken", String(rotation.answer.refresh_token));
        if (next === undefined || next.consumedAt !== null) return "reused";
        return rotation.request === request ? rotation.answer : undefined;
      }
      // The first one has used it and is not done yet, here or in another server.
      if (performance.now() > until) return undefined;
      await setTimeout(ROTATION_LOOK_MS);
    }
    return undefined;
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
    // Consuming it again tells the two apart.
    const isForgiven = model === "RefreshToken" && consumedAt !== null && this.#isRecent(consumedAt);
    return { payload, consumedAt: isForgiven ? null : consumedAt };
  }

  async #isJustUsed(token: string): Promise<boolean> {
    const consumedAt = (await this.#row("RefreshToken", token))?.consumedAt ?? null;
    return consumedAt !== null && this.#isRecent(consumedAt);
  }

  #isRecent(consumedAt: Date): boolean {
    return this.#clock.now().getTime() - consumedAt.getTime() < LIMITS.identity.refreshGraceMs;
  }

  async #row(model: string, id: string): Promise<{ consumedAt: Date | null } | undefined> {
    const [row] = await this.#db
      .select({ consumedAt: oauthRecords.consumedAt })
      .from(oauthRecords)
      .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, keyOf(model, id))));
    return row;
  }
}

/** By a key that is made of the token, which the database has only as a hash. */
function seal(token: string, text: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyFrom(token), iv);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

function open(token: string, sealed: string): string {
  const bytes = Buffer.from(sealed, "base64url");
  const decipher = createDecipheriv("aes-256-gcm", keyFrom(token), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
}

function keyFrom(token: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, "", "kenning refresh rotation", 32));
}

function keyOf(model: string, id: string): string {
  return SECRET_IDS.has(model) ? createHash("sha256").update(id).digest("base64url") : id;
}
