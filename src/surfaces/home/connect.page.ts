import { html, raw } from "hono/html";
import type { Html } from "../oauth/pages/page.ts";
import type { Words } from "../oauth/pages/words.ts";
import { type ClientGuide, clientGuides } from "./client-guides.ts";

/** The address, and for each client what to do with it. One stands open; opening another closes it. */
export function connectSection(t: Words, address: string): Html {
  return html`<section aria-labelledby="connect">
<h2 id="connect">${t`Connect a client`}</h2>
<p>${t`Give it this address. It opens your browser, you sign in and say what it may do.`}</p>
${copyable(t, "address", address, t`the address`, "address")}
<div class="guides">
${clientGuides(address).map((guide, i) => guideOf(t, guide, i === 0))}
</div>
</section>`;
}

function guideOf(t: Words, guide: ClientGuide, isOpen: boolean): Html {
  const { id, client, steps, snippet, after, install, warning } = guide;
  return html`<details name="client"${isOpen ? raw(" open") : ""}>
<summary>${client}</summary>
<div class="guide">
${warning === undefined ? "" : html`<p class="warning">${t.said(warning)}</p>`}
<p>${t.said(steps)}</p>
${copyable(t, `snippet-${id}`, snippet, t`the snippet for ${client}`)}
${install === undefined ? "" : html`<p><a class="button" href="${install.href}">${t.said(install.label)}</a></p>`}
${after === undefined ? "" : html`<p>${t.said(after)}</p>`}
</div>
</details>`;
}

/** Text to take along: by the button where scripts run, by selecting it where not. */
export function copyable(t: Words, id: string, text: string, what: Html, kind = "snippet"): Html {
  return html`<div class="copyable ${kind}"><pre id="${id}">${text}</pre><button type="button" hidden data-copies="${id}" data-copied="${t`Copied`}" data-by-hand="${t`Press Ctrl+C`}" aria-live="polite">${t`Copy`}<span class="unseen"> ${what}</span></button></div>`;
}
