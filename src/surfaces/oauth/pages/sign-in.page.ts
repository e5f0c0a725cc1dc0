import { html } from "hono/html";
import { guardField, type Html } from "./page.ts";
import type { Words } from "./words.ts";

export function signInPage(
  t: Words,
  view: { returnTo: string; formToken: string; email?: string; problem?: string },
): Html {
  return html`<h1>${t`Sign in`}</h1>
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${t.said(view.problem)}</p>`}
<form method="post" action="/sign-in">
${guardField(view.formToken)}
<input type="hidden" name="return_to" value="${view.returnTo}">
<label for="email">${t`E-mail`}</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus value="${view.email ?? ""}">
<label for="password">${t`Password`}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit" class="primary">${t`Sign in`}</button>
</form>
<p class="hint">${t`Forgotten your password? Whoever runs this server can set a new one.`}</p>`;
}

export function signedInPage(t: Words, view: { email: string; formToken: string }): Html {
  return html`<h1>${t`You are signed in`}</h1>
<p>${t`as <strong>${view.email}</strong>. You can close this page and go back to your client, or see <a href="/">your dashboards, tokens and connected apps</a>.`}</p>
<form method="post" action="/sign-out">
${guardField(view.formToken)}
<button type="submit">${t`Sign out`}</button>
</form>`;
}

export function signedOutPage(t: Words): Html {
  return html`<h1>${t`You are signed out`}</h1>
<p>${t`Apps that you have connected stay connected until you revoke them.`}</p>
<p>${t`<a href="/sign-in?return_to=%2F">Sign in again</a>, or go to <a href="/">the start page</a>.`}</p>`;
}
