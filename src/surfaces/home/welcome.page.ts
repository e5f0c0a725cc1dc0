import { html } from "hono/html";
import type { Html } from "../oauth/pages/page.ts";
import { connectSection } from "./connect.page.ts";

const SIGN_IN = "/sign-in?return_to=%2F";

/** What a newcomer sees. */
export function welcomePage(address: string): Html {
  return html`<section class="hero">
<h1>Your organisation’s data, documents and memory, for any AI client</h1>
<p>Kenning is a server that Claude, ChatGPT, Cursor, VS Code, Codex and others connect to by the Model Context Protocol. Everyone signs in as themselves, and a client can do what its person may do, and no more.</p>
<p><a class="button primary" href="${SIGN_IN}">Sign in</a></p>
<p class="hint">The first account and its password are shown where the server was started.</p>
</section>
${connectSection(address)}`;
}

export function signedOutNav(): Html {
  return html`<a class="button" href="${SIGN_IN}">Sign in</a>`;
}
