import { html } from "hono/html";
import type { Html } from "./page.ts";

export function errorPage(view: { message: string; detail?: string }): Html {
  return html`<h1>That did not work</h1>
<p class="problem" role="alert">${view.message}</p>
${view.detail === undefined ? "" : html`<p class="hint">${view.detail}</p>`}`;
}
