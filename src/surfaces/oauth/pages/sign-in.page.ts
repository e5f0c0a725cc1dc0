import { html } from "hono/html";
import { FORM_FIELD } from "../form-guard.ts";
import type { Html } from "./page.ts";

export function signInPage(view: {
  returnTo: string;
  formToken: string;
  email?: string;
  problem?: string;
}): Html {
  return html`<h1>Sign in</h1>
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${view.problem}</p>`}
<form method="post" action="/sign-in">
<input type="hidden" name="${FORM_FIELD}" value="${view.formToken}">
<input type="hidden" name="return_to" value="${view.returnTo}">
<label for="email">E-mail</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus value="${view.email ?? ""}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit" class="primary">Sign in</button>
</form>
<p class="hint">Forgotten your password? Whoever runs this server can set a new one.</p>`;
}

export function signedInPage(view: { email: string; formToken: string }): Html {
  return html`<h1>You are signed in</h1>
<p>as <strong>${view.email}</strong>. You can close this page and go back to your client, or see <a href="/">your tokens and connected apps</a>.</p>
<form method="post" action="/sign-out">
<input type="hidden" name="${FORM_FIELD}" value="${view.formToken}">
<button type="submit">Sign out</button>
</form>`;
}

export function signedOutPage(): Html {
  return html`<h1>You are signed out</h1>
<p>Apps that you have connected stay connected until you revoke them.</p>
<p><a href="/sign-in?return_to=%2F">Sign in again</a>, or go to <a href="/">the start page</a>.</p>`;
}
