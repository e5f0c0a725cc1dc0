import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import type { SignedIn, WebSessions } from "../../domains/identity/index.ts";
import type { HttpEnv } from "../http/app.ts";

const COOKIE = "kenning_session";

/** Who is signed in with this browser. The cookie is for our own pages and APIs; MCP endpoints never look at it. */
export class BrowserSession {
  readonly #sessions: WebSessions;
  readonly #isSecure: boolean;

  constructor(sessions: WebSessions, isSecure: boolean) {
    this.#sessions = sessions;
    this.#isSecure = isSecure;
  }

  async of(c: Context<HttpEnv>): Promise<SignedIn | null> {
    const secret = getCookie(c, COOKIE);
    return secret === undefined ? null : this.#sessions.find(secret);
  }

  /** For code that has only the header. */
  async ofHeader(cookieHeader: string | undefined): Promise<SignedIn | null> {
    const secret = parse(cookieHeader ?? "", COOKIE)[COOKIE];
    return secret === undefined ? null : this.#sessions.find(secret);
  }

  async start(c: Context<HttpEnv>, accountId: number): Promise<void> {
    // A new secret at each sign-in: one that was planted before is worth nothing after it.
    const secret = await this.#sessions.start(accountId);
    setCookie(c, COOKIE, secret, { httpOnly: true, sameSite: "Lax", secure: this.#isSecure, path: "/" });
  }

  async end(c: Context<HttpEnv>): Promise<void> {
    const secret = getCookie(c, COOKIE);
    if (secret !== undefined) await this.#sessions.end(secret);
    deleteCookie(c, COOKIE, { path: "/" });
  }

  /** Signs the person out of every other browser. */
  async endOthers(c: Context<HttpEnv>, accountId: number): Promise<void> {
    await this.#sessions.endAll(accountId, getCookie(c, COOKIE));
  }
}
