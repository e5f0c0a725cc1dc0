import { html } from "hono/html";
import type { DemoView } from "../../domains/demo/index.ts";
import type { Html } from "../oauth/pages/page.ts";

/** What to look at first, and what to ask; or how far it is. */
export function demoSection({ done, steps, doing, error, dashboards, questions }: DemoView): Html {
  return html`<section aria-labelledby="demo">
<h2 id="demo">Try the demo</h2>
<p>The workspace “demo” is about Hafenrad, a maker of electric bicycles that does not exist: three years of sales, marketing and support up to today, handbooks in English and German, and what its people remember.</p>
${doing === null ? "" : progress({ done, steps, doing, error })}
${dashboards.length === 0 ? "" : html`<ul class="items">${dashboards.map(({ name, url }) => html`<li><div><h3><a href="${new URL(url).pathname}">${name}</a></h3></div></li>`)}</ul>`}
<p>Questions to ask your client, once it is connected to the workspace “demo”:</p>
<ul>${questions.map((question) => html`<li>${question}</li>`)}</ul>
<p>It also has an alert that fires and a report for every Monday. Their mails are files in the folder <code>outbox</code> of the data folder, for no mail server is set: ask your client what was sent.</p>
<p>Whoever runs this server removes it with “kenning demo remove”.</p>
</section>`;
}

function progress({ done, steps, doing, error }: Pick<DemoView, "done" | "steps" | "doing" | "error">): Html {
  return html`<p role="status" data-reloads><progress value="${done}" max="${steps}"></progress> ${done} of ${steps} steps are done; now: ${doing}.<noscript> Load this page again to see more.</noscript></p>
${error === null ? "" : html`<p class="warning">The last try failed and is made again in some minutes: ${error}</p>`}`;
}
