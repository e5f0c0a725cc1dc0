import { createHash } from "node:crypto";
import { and, eq, gt, isNull, lt } from "drizzle-orm";
import { randomText } from "../../../kernel/text.ts";
import { type Clock, MS } from "../../../kernel/time.ts";
import type { Catalog } from "../../../platform/catalog/index.ts";
import { accounts } from "../identity.tables.ts";
import { webSessions } from "./oauth.tables.ts";

/** A browser session ends after this time without use, and after that time in any case. */
const IDLE_MS = 12 * MS.hour;
const LONGEST_MS = 14 * MS.day;
const TOUCH_EVERY_MS = MS.minute;

export interface SignedIn {
  accountId: number;
  email: string;
  name: string;
  /** The identity provider that vouched for them; null after a password. */
  provider: string | null;
}

/** Who is signed in with a browser. */
export class WebSessions {
  readonly #db: Catalog["db"];
  readonly #clock: Clock;

  constructor({ db }: Catalog, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** The value for the cookie; only its hash is kept. */
  async start(accountId: number, provider: string | null = null): Promise<string> {
    const secret = randomText(32);
    const now = this.#clock.now();
    const expiresAt = new Date(now.getTime() + IDLE_MS);
    const id = hash(secret);
    const times = { createdAt: now, lastSeenAt: now, expiresAt };
    await this.#db.insert(webSessions).values({ id, accountId, provider, ...times });
    const [account] = await this.#db.select().from(accounts).where(eq(accounts.id, accountId));
    return `${secret}.${sealOf(secret, account?.passwordHash ?? "")}`;
  }

  async find(cookie: string): Promise<SignedIn | null> {
    const [secret = "", seal = ""] = cookie.split(".");
    const now = this.#clock.now();
    const [row] = await this.#db
      .select({ session: webSessions, account: accounts })
      .from(webSessions)
      .innerJoin(accounts, eq(accounts.id, webSessions.accountId))
      .where(
        and(eq(webSessions.id, hash(secret)), gt(webSessions.expiresAt, now), isNull(accounts.disabledAt)),
      );
    if (row === undefined || seal !== sealOf(secret, row.account.passwordHash)) return null;
    const { session, account } = row;
    if (now.getTime() - session.lastSeenAt.getTime() > TOUCH_EVERY_MS) {
      const latest = Math.min(now.getTime() + IDLE_MS, session.createdAt.getTime() + LONGEST_MS);
      await this.#db
        .update(webSessions)
        .set({ lastSeenAt: now, expiresAt: new Date(latest) })
        .where(eq(webSessions.id, session.id));
    }
    const { accountId, provider } = session;
    return { accountId, email: account.email, name: account.name, provider };
  }

  async end(cookie: string): Promise<void> {
    const [secret = ""] = cookie.split(".");
    await this.#db.delete(webSessions).where(eq(webSessions.id, hash(secret)));
  }

  /** Of people who have signed in by a password as well: whoever is signed out at their company is out everywhere. */
  async endAllOf(accountId: number): Promise<void> {
    await this.#db.delete(webSessions).where(eq(webSessions.accountId, accountId));
  }

  async sweep(): Promise<void> {
    await this.#db.delete(webSessions).where(lt(webSessions.expiresAt, this.#clock.now()));
  }
}

function hash(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}

/** Binds a session to the password it was opened with: whoever changes that, by whatever path, ends the session. */
function sealOf(secret: string, passwordHash: string): string {
  return createHash("sha256").update(`${secret}:${passwordHash}`).digest("base64url");
}
