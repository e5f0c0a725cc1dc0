import type { MiddlewareHandler } from "hono";
import { html } from "hono/html";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { HttpEnv } from "../../http/app.ts";
import { type Html, sendPage, wantsPage } from "./page.ts";
import { type Words, wordsOf } from "./words.ts";

export function errorPage(t: Words, view: { message: string; detail?: Html }): Html {
  return html`<h1>${t`That did not work`}</h1>
<p class="problem" role="alert">${t.said(view.message)}</p>
${view.detail === undefined ? "" : html`<p class="hint">${view.detail}</p>`}
${wayHome(t)}`;
}

export function notFoundPage(t: Words, path: string): Html {
  return html`<h1>${t`There is nothing here`}</h1>
<p>${t`This server has no page at <strong>${path}</strong>.`}</p>
${wayHome(t)}`;
}

function wayHome(t: Words): Html {
  return html`<p class="hint"><a href="/">${t`Go to the start page`}</a></p>`;
}

/** Whoever comes with a browser gets a page where programs get JSON: the same status, the same words. */
export const errorsAsPages: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.error === undefined || !wantsPage(c.req.header("accept"))) return;
  const { message } = (await c.res.clone().json()) as { message: string };
  const t = wordsOf(c);
  c.res = await sendPage(c, {
    title: t`Error`,
    status: c.res.status as ContentfulStatusCode,
    body: errorPage(t, { message }),
  });
};
