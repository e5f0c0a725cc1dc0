import { html } from "hono/html";
import type { Html } from "../oauth/pages/page.ts";
import type { Words } from "../oauth/pages/words.ts";
import { connectSection } from "./connect.page.ts";

const SIGN_IN = "/sign-in?return_to=%2F";

/** What a newcomer sees. */
export function welcomePage(t: Words, address: string): Html {
  return html`<section class="hero">
<h1>${t`Your organisation’s data, documents and memory, for any AI client`}</h1>
<p>${t`Kenning is a server that Claude, ChatGPT, Cursor, VS Code, Codex and others connect to by the Model Context Protocol. Everyone signs in as themselves, and a client can do what its person may do, and no more.`}</p>
<p><a class="button primary" href="${SIGN_IN}">${t`Sign in`}</a></p>
<p class="hint">${t`The first account and its password are shown where the server was started.`}</p>
</section>
${connectSection(t, address)}`;
}

export function signedOutNav(t: Words): Html {
  return html`<a class="button" href="${SIGN_IN}">${t`Sign in`}</a>`;
}
