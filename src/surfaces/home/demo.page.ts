import { html } from "hono/html";
import type { DemoView } from "../../domains/demo/index.ts";
import type { Html } from "../oauth/pages/page.ts";
import type { Words } from "../oauth/pages/words.ts";
import { askAddress } from "./ask.page.ts";

/** What to ask first; or how far the demo is. */
export function demoSection(t: Words, demo: DemoView, workspace: string): Html {
  const { done, steps, doing, error, questions } = demo;
  return html`<section aria-labelledby="demo">
<h2 id="demo">${t`Try the demo`}</h2>
<p>${t`The workspace “demo” is about Hafenrad, a maker of electric bicycles that does not exist: three years of sales, marketing and support up to today, handbooks in English and German, and what its people remember.`}</p>
${
  doing === null
    ? ""
    : html`<p role="status" data-reloads><progress value="${done}" max="${steps}"></progress> ${t`${done} of ${steps} steps are done.`}<noscript> ${t`Load this page again to see more.`}</noscript></p>`
}
${error === null ? "" : html`<p class="warning">${t`The last try failed and is made again in some minutes: ${error}`}</p>`}
<p>${t`Questions to begin with, here or in your client once it is connected to the workspace “demo”:`}</p>
<ul class="questions">${questions.map((question) => html`<li><a href="${askAddress(workspace, question)}">${question}</a></li>`)}</ul>
<p>${t`It also has an alert that fires and a report for every Monday. As long as no mail server is set, their mails are files in the folder <code>outbox</code> of the data folder: ask your client what was sent.`}</p>
<p>${t`Whoever runs this server removes it with “kenning demo remove”.`}</p>
</section>`;
}
