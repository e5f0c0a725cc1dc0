import type { Context } from "hono";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HttpEnv } from "../../http/app.ts";

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

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
    title: string;
    body: Html;
    status?: ContentfulStatusCode;
    formTargets?: readonly string[];
  },
): Promise<Response> {
  const formAction = ["'self'", ...(page.formTargets ?? [])].join(" ");
  c.header(
    "content-security-policy",
    `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${formAction}; frame-ancestors 'none'; base-uri 'none'`,
  );
  // Without it browsers send `Origin: null` with our own forms.
  c.header("referrer-policy", "same-origin");
  c.header("cache-control", "no-store");
  return c.html(renderPage(page.title, page.body), page.status ?? 200);
}

export function renderPage(title: string, body: Html): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} – Kenning</title>
<link rel="icon" href="${ICON_PATH}">
<link rel="stylesheet" href="${STYLESHEET_PATH}">
</head>
<body>
<main>
<p class="brand"><span class="mark" aria-hidden="true"></span>Kenning</p>
${body}
</main>
</body>
</html>`;
}
