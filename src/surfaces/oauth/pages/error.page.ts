import { html } from "hono/html";
import type { Html } from "./page.ts";
import type { Words } from "./words.ts";

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
