import { html } from "hono/html";
import type { IdentityProviderSettings } from "../identity-provider.ts";
import { guardField, type Html } from "./page.ts";
import { providerLinks } from "./sign-in.page.ts";
import type { Words } from "./words.ts";

interface InvitationView {
  email: string;
  workspace: string;
  /** With the address that was invited. */
  isSignedIn: boolean;
  hasPassword: boolean;
  providers: readonly Pick<IdentityProviderSettings, "id" | "name">[];
  action: string;
  formToken: string;
  name?: string;
  problem?: string;
}

/** One form for those who have an account and those who have none: a link tells nobody which of the two it is. */
export function invitationPage(t: Words, view: InvitationView): Html {
  return html`<h1>${t`Join ${view.workspace}`}</h1>
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${t.said(view.problem)}</p>`}
<p>${t`You are invited as <strong>${view.email}</strong>.`}</p>
${view.isSignedIn ? "" : providerLinks(t, view.providers, "/")}
${view.isSignedIn || view.hasPassword ? joinForm(t, view) : ""}`;
}

function joinForm(t: Words, view: InvitationView): Html {
  const isOneOfTwo = !view.isSignedIn && view.providers.length > 0;
  return html`${isOneOfTwo ? html`<p class="or">${t`or`}</p>` : ""}
<form method="post" action="${view.action}">
${guardField(view.formToken)}
${view.isSignedIn ? "" : newcomerFields(t, view)}
<button type="submit" class="primary">${t`Join`}</button>
</form>`;
}

function newcomerFields(t: Words, { email, name = "" }: InvitationView): Html {
  return html`<input type="hidden" name="email" autocomplete="username" value="${email}">
<label for="name">${t`Your name`}</label>
<input id="name" name="name" type="text" autocomplete="name" maxlength="100" autofocus value="${name}">
<label for="password">${t`Password`}</label>
<input id="password" name="password" type="password" autocomplete="new-password" required aria-describedby="password-hint">
<p class="hint" id="password-hint">${t`At least 12 characters. If you have an account with this address already, enter its password.`}</p>`;
}
