import { html, raw } from "hono/html";
import type { Html } from "../oauth/pages/page.ts";
import { type ClientGuide, clientGuides } from "./client-guides.ts";

/** The address, and for each client what to do with it. One stands open; opening another closes it. */
export function connectSection(address: string): Html {
  return html`<section aria-labelledby="connect">
<h2 id="connect">Connect a client</h2>
<p>Give it this address. It opens your browser, you sign in and say what it may do.</p>
${copyable("address", address, "the address", "address")}
<div class="guides">
${clientGuides(address).map(guide)}
</div>
</section>`;
}

function guide(guide: ClientGuide, index: number): Html {
  const { id, client, steps, snippet, after, install, warning } = guide;
  return html`<details name="client"${index === 0 ? raw(" open") : ""}>
<summary>${client}</summary>
<div class="guide">
${warning === undefined ? "" : html`<p class="warning">${warning}</p>`}
<p>${steps}</p>
${copyable(`snippet-${id}`, snippet, `the snippet for ${client}`)}
${install === undefined ? "" : html`<p><a class="button" href="${install.href}">${install.label}</a></p>`}
${after === undefined ? "" : html`<p>${after}</p>`}
</div>
</details>`;
}

/** Text to take along: by the button where scripts run, by selecting it where not. */
export function copyable(id: string, text: string, what: string, kind = "snippet"): Html {
  return html`<div class="copyable ${kind}"><pre id="${id}">${text}</pre><button type="button" hidden data-copies="${id}" aria-live="polite">Copy<span class="unseen"> ${what}</span></button></div>`;
}
