import type { Context } from "hono";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HttpEnv } from "../../http/app.ts";
import { FORM_FIELD } from "../form-guard.ts";
import { type Words, wordsOf } from "./words.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

export const BASE_STYLESHEET_PATH = "/assets/base.css";
export const STYLESHEET_PATH = "/assets/pages.css";
export const ICON_PATH = "/assets/icon.svg";

/** Browsers name HTML among what they accept; programs do not. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.includes("text/html") === true;
}

/** Sends a page of ours. They work without scripts, load nothing from elsewhere and cannot be framed. */
export async function sendPage(
  c: Context<HttpEnv>,
  page: {
    title: Html;
    body: Html;
    status?: ContentfulStatusCode;
    formTargets?: readonly string[];
  },
): Promise<Response> {
  const formAction = ["'self'", ...(page.formTargets ?? [])].join(" ");
  c.header(
    "content-security-policy",
    `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
  // Without it browsers send `Origin: null` with our own forms.
  c.header("referrer-policy", "same-origin");
  c.header("cache-control", "no-store");
  c.header("vary", "accept, accept-language, cookie");
  return c.html(renderPage(wordsOf(c), page), page.status ?? 200);
}

export function renderPage(t: Words, { title, body }: { title: Html; body: Html }): Html {
  return html`<!doctype html>
<html lang="${t.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Kenning</title>
<link rel="icon" href="${ICON_PATH}">
<link rel="stylesheet" href="${BASE_STYLESHEET_PATH}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<main>
<p class="brand">${BRAND}</p>
${body}
</main>
</body>
</html>`;
}

const BRAND = html`<span class="mark" aria-hidden="true"></span>Kenning`;

/** The bar at the top of every page but the small ones. */
export function topBar(t: Words, nav: Html): Html {
  return html`<header class="top">
<a class="brand" href="/">${BRAND}</a>
<nav aria-label="${t`Account`}">${nav}</nav>
</header>`;
}

export function signedInNav(t: Words, email: string, formToken: string): Html {
  return html`<span class="who">${email}</span>
<form method="post" action="/sign-out">${guardField(formToken)}<button type="submit">${t`Sign out`}</button></form>`;
}

export function guardField(formToken: string): Html {
  return html`<input type="hidden" name="${FORM_FIELD}" value="${formToken}">`;
}
