import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import type { SignedIn, WebSessions } from "../../domains/identity/index.ts";
import type { HttpEnv } from "../http/app.ts";

/** With https, the prefix makes browsers refuse such a cookie from any other host of the domain. */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** Who is signed in with this browser. The cookie is for our own pages and APIs; MCP endpoints never look at it. */
export class BrowserSession {
  readonly #sessions: WebSessions;
  readonly #isSecure: boolean;
  readonly #cookie: string;

  readonly #passwordSignIn: boolean;

  /** Sessions that a password has begun end where nobody signs in by one any more. */
  constructor(sessions: WebSessions, isSecure: boolean, passwordSignIn: boolean) {
    this.#passwordSignIn = passwordSignIn;
    this.#sessions = sessions;
    this.#isSecure = isSecure;
    this.#cookie = cookieName("kenning_session", isSecure);
  }

  async of(c: Context<HttpEnv>): Promise<SignedIn | null> {
    return this.#find(getCookie(c, this.#cookie));
  }

  /** For code that has only the header. */
  async ofHeader(cookieHeader: string | undefined): Promise<SignedIn | null> {
    return this.#find(parse(cookieHeader ?? "", this.#cookie)[this.#cookie]);
  }

  async #find(secret: string | undefined): Promise<SignedIn | null> {
    const found = secret === undefined ? null : await this.#sessions.find(secret);
    return found?.provider === null && !this.#passwordSignIn ? null : found;
  }

  /** A new secret at each sign-in: one that was planted, or seen, before is worth nothing after it. */
  async start(c: Context<HttpEnv>, accountId: number, provider: string | null = null): Promise<void> {
    await this.#endCurrent(c);
    const secret = await this.#sessions.start(accountId, provider);
    const secure = this.#isSecure;
    setCookie(c, this.#cookie, secret, { httpOnly: true, sameSite: "Lax", secure, path: "/" });
  }

  async end(c: Context<HttpEnv>): Promise<void> {
    await this.#endCurrent(c);
    deleteCookie(c, this.#cookie, { path: "/", secure: this.#isSecure });
  }

  endAllOf(accountId: number): Promise<void> {
    return this.#sessions.endAllOf(accountId);
  }

  async #endCurrent(c: Context<HttpEnv>): Promise<void> {
    const secret = getCookie(c, this.#cookie);
    if (secret !== undefined) await this.#sessions.end(secret);
  }
}
