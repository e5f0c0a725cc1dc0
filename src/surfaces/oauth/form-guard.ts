import { createHmac, timingSafeEqual } from "node:crypto";
import type { Context, MiddlewareHandler } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { AppError } from "../../kernel/errors.ts";
import { LIMITS } from "../../kernel/limits.ts";
import { randomText } from "../../kernel/text.ts";
import type { HttpEnv } from "../http/app.ts";
import { cookieName } from "./browser-session.ts";

export const FORM_FIELD = "form_token";

/** Largest form that anybody has to send us. */
const FORM_BYTES = 64 * 1024;

/**
 * Reads the form. Many clients listen only when they have said everything, so what is too much is read to its end and
 * thrown away, as long as it is not far too much.
 */
export const smallBody: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { body } = c.req.raw;
  if (body === null) return next();
  let chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > LIMITS.request.bodyBytes) break;
    if (bytes > FORM_BYTES) chunks = [];
    else chunks.push(chunk);
  }
  if (bytes > FORM_BYTES) throw new AppError("too_large", `The form is larger than ${FORM_BYTES} bytes.`);
  const { method, headers } = c.req.raw;
  c.req.raw = new Request(c.req.url, { method, headers, body: Buffer.concat(chunks) });
  return next();
};

/**
 * Proves that a form was filled in on a page of ours: it comes from our origin, and its field holds a signature of a
 * cookie that other pages cannot read. SameSite alone would not do, since every port of one machine is the same site,
 * and the cookie alone neither, since a page on another port can set one.
 */
export class FormGuard {
  readonly #key: Uint8Array;
  readonly #origin: string;
  readonly #isSecure: boolean;
  readonly #cookie: string;

  constructor(key: Uint8Array, appUrl: string) {
    const { origin, protocol } = new URL(appUrl);
    this.#key = key;
    this.#origin = origin;
    this.#isSecure = protocol === "https:";
    this.#cookie = cookieName("kenning_form", this.#isSecure);
  }

  /** The value for the hidden field of a form. */
  tokenFor(c: Context<HttpEnv>): string {
    const existing = getCookie(c, this.#cookie);
    const secret = existing ?? randomText(24);
    if (existing === undefined) {
      const secure = this.#isSecure;
      setCookie(c, this.#cookie, secret, { httpOnly: true, sameSite: "Lax", secure, path: "/" });
    }
    return this.#sign(secret);
  }

  check(c: Context<HttpEnv>, form: Record<string, unknown>): void {
    if (isOwnOrigin(c, this.#origin) && this.#isSigned(c, form)) return;
    throw new AppError("forbidden", "This form did not come from our own page, or it is too old.", {
      hint: "Go back, load the page again and try once more.",
    });
  }

  #isSigned(c: Context<HttpEnv>, form: Record<string, unknown>): boolean {
    const secret = getCookie(c, this.#cookie);
    if (secret === undefined) return false;
    const given = Buffer.from(String(form[FORM_FIELD] ?? ""));
    const wanted = Buffer.from(this.#sign(secret));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  }

  #sign(secret: string): string {
    return createHmac("sha256", this.#key).update(secret).digest("base64url");
  }
}

/** Browsers name the origin of whatever changes something; programs, which have no cookies to steal, need not. */
export function isOwnOrigin(c: Context<HttpEnv>, appUrl: string): boolean {
  const origin = c.req.header("origin");
  if (origin === undefined || origin === new URL(appUrl).origin) return true;
  return URL.parse(origin)?.host === c.req.header("host");
}
