import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { AppError } from "../../kernel/errors.ts";
import { randomText } from "../../kernel/ids.ts";
import type { HttpEnv } from "../http/app.ts";

const COOKIE = "kenning_form";
export const FORM_FIELD = "form_token";

/**
 * Proves that a form was filled in on a page of ours: the field holds a signature of a cookie that no other site
 * can read or set. SameSite alone would not do, since every port of one machine is the same site.
 */
export class FormGuard {
  readonly #key: Uint8Array;
  readonly #isSecure: boolean;

  constructor(key: Uint8Array, isSecure: boolean) {
    this.#key = key;
    this.#isSecure = isSecure;
  }

  /** The value for the hidden field of a form. */
  tokenFor(c: Context<HttpEnv>): string {
    const existing = getCookie(c, COOKIE);
    const secret = existing ?? randomText(24);
    if (existing === undefined) {
      setCookie(c, COOKIE, secret, { httpOnly: true, sameSite: "Lax", secure: this.#isSecure, path: "/" });
    }
    return this.#sign(secret);
  }

  check(c: Context<HttpEnv>, form: Record<string, unknown>): void {
    const secret = getCookie(c, COOKIE);
    const given = Buffer.from(String(form[FORM_FIELD] ?? ""));
    const wanted = Buffer.from(secret === undefined ? "" : this.#sign(secret));
    if (secret !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted)) return;
    throw new AppError("forbidden", "This form did not come from our own page, or it is too old.", {
      hint: "Go back, load the page again and try once more.",
    });
  }

  #sign(secret: string): string {
    return createHmac("sha256", this.#key).update(secret).digest("base64url");
  }
}
