import { html } from "hono/html";
import type { IdentityProviderSettings } from "../identity-provider.ts";
import { guardField, type Html } from "./page.ts";
import type { Words } from "./words.ts";

export function signInPage(
  t: Words,
  view: {
    returnTo: string;
    formToken: string;
    hasPassword: boolean;
    providers: readonly Pick<IdentityProviderSettings, "id" | "name">[];
    email?: string;
    problem?: string;
  },
): Html {
  return html`<h1>${t`Sign in`}</h1>
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${t.said(view.problem)}</p>`}
${providerLinks(t, view.providers, view.returnTo)}
${view.hasPassword ? passwordForm(t, view) : ""}`;
}

/** Links and no forms, for a browser also holds the redirect after a form to the page's list. */
export function providerLinks(
  t: Words,
  providers: readonly Pick<IdentityProviderSettings, "id" | "name">[],
  returnTo: string,
): Html {
  if (providers.length === 0) return html``;
  const query = `?return_to=${encodeURIComponent(returnTo)}`;
  return html`<p class="providers">${providers.map(
    ({ id, name }) =>
      html`<a class="provider" href="/api/auth/${id}${query}">${t`Continue with ${name}`}</a>`,
  )}</p>`;
}

function passwordForm(
  t: Words,
  view: { returnTo: string; formToken: string; email?: string; providers: readonly unknown[] },
): Html {
  return html`${view.providers.length === 0 ? "" : html`<p class="or">${t`or`}</p>`}
<form method="post" action="/sign-in">
${guardField(view.formToken)}
<input type="hidden" name="return_to" value="${view.returnTo}">
<label for="email">${t`E-mail`}</label>
<input id="email" name="email" type="text" inputmode="email" autocomplete="username" autocapitalize="none" spellcheck="false" required ${view.providers.length === 0 ? "autofocus" : ""} value="${view.email ?? ""}">
<label for="password">${t`Password`}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit" class="primary">${t`Sign in`}</button>
</form>
<p class="hint">${t`Forgotten your password? Whoever runs this server can set a new one.`}</p>`;
}

export function signedInPage(t: Words, view: { email: string; formToken: string }): Html {
  return html`<h1>${t`You are signed in`}</h1>
<p>${t`as <strong>${view.email}</strong>. You can close this page and go back to your client, or go to <a href="/">the console</a>.`}</p>
<form method="post" action="/sign-out">
${guardField(view.formToken)}
<button type="submit">${t`Sign out`}</button>
</form>`;
}

export function signedOutPage(t: Words, by: Pick<IdentityProviderSettings, "id" | "name"> | undefined): Html {
  return html`<h1>${t`You are signed out`}</h1>
<p>${t`Apps that you have connected stay connected until you revoke them.`}</p>
${by === undefined ? "" : html`<p><a href="/api/auth/${by.id}/sign-out">${t`Sign out of ${by.name} as well`}</a></p>`}
<p>${t`<a href="/sign-in?return_to=%2F">Sign in again</a>`}</p>`;
}
