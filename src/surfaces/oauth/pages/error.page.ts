import { html } from "hono/html";
import type { Html } from "./page.ts";

const WAY_HOME = html`<p class="hint"><a href="/">Go to the start page</a></p>`;

export function errorPage(view: { message: string; detail?: string }): Html {
  return html`<h1>That did not work</h1>
<p class="problem" role="alert">${view.message}</p>
${view.detail === undefined ? "" : html`<p class="hint">${view.detail}</p>`}
${WAY_HOME}`;
}

export function notFoundPage(path: string): Html {
  return html`<h1>There is nothing here</h1>
<p>This server has no page at <strong>${path}</strong>.</p>
${WAY_HOME}`;
}
