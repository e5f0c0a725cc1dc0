import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { SignedIn } from "../../domains/identity/index.ts";
import type { Vault } from "../../platform/vault/index.ts";
import type { HttpEnv } from "../http/app.ts";
import { cookieName } from "../oauth/browser-session.ts";

/** What is said once, on the page after the form. */
export interface FlashMessage {
  notice?: string;
  /** A token that was just made: it is kept nowhere else in clear. */
  made?: { name: string; token: string; ends?: string };
}

const SECONDS = 60;

/**
 * Carries a message over the redirect that follows a form. It travels in a cookie, sealed for one account, so that
 * a new token is stored neither here nor readable in the browser's files.
 */
export class Flash {
  readonly #vault: Vault;
  readonly #isSecure: boolean;
  readonly #cookie: string;

  constructor(vault: Vault, appUrl: string) {
    this.#vault = vault;
    this.#isSecure = appUrl.startsWith("https:");
    this.#cookie = cookieName("kenning_flash", this.#isSecure);
  }

  put(c: Context<HttpEnv>, person: SignedIn, message: FlashMessage): void {
    const sealed = this.#vault.seal(JSON.stringify(message), contextOf(person));
    const secure = this.#isSecure;
    setCookie(c, this.#cookie, sealed, {
      httpOnly: true,
      sameSite: "Strict",
      secure,
      path: "/",
      maxAge: SECONDS,
    });
  }

  take(c: Context<HttpEnv>, person: SignedIn): FlashMessage {
    const sealed = getCookie(c, this.#cookie);
    if (sealed === undefined) return {};
    deleteCookie(c, this.#cookie, { path: "/", secure: this.#isSecure });
    try {
      return JSON.parse(this.#vault.open(sealed, contextOf(person)).reveal()) as FlashMessage;
    } catch {
      // Somebody else's, or not ours at all.
      return {};
    }
  }
}

function contextOf({ accountId }: SignedIn): string {
  return `flash:${accountId}`;
}
