import { html, raw } from "hono/html";
import type { Permission } from "../../../kernel/permissions.ts";
import { guardField, type Html } from "./page.ts";
import { PERMISSION_WORDS, type Words } from "./words.ts";

/** Most clients ask for everything that there is; power over the workspace is only given by a click of its own. */
const ASKED_FOR_TWICE: readonly Permission[] = ["admin"];

interface ConsentView {
  action: string;
  formToken: string;
  clientName: string;
  isUnverified: boolean;
  isSelfRegistered: boolean;
  redirectHost: string;
  email: string;
  scopes: readonly Permission[];
  workspaces: readonly { slug: string; name: string; role: string }[];
  /** The workspace that is chosen at first: one in which there is something. */
  preselected: string;
  problem?: string;
}

export function consentPage(t: Words, view: ConsentView): Html {
  return html`<h1>${t`Connect <span class="client">${view.clientName}</span>?`}</h1>
<p>${t`It will act as <strong>${view.email}</strong>, and send you back to <strong class="host">${view.redirectHost}</strong>.`}</p>
${
  view.isUnverified
    ? html`<p class="warning" role="note">${t`<strong>Unverified app.</strong> Nobody has registered it; it only says that it is called “${view.clientName}”. Go on only if you have just started it yourself on this computer.`}</p>`
    : view.isSelfRegistered
      ? html`<p class="warning" role="note">${t`<strong>Unverified app.</strong> It registered itself, and nobody has checked that it is “${view.clientName}”. Go on only if you have just asked it to connect, and know the address that it sends you back to.`}</p>`
      : ""
}
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${t.said(view.problem)}</p>`}
<form method="post" action="${view.action}">
${guardField(view.formToken)}
${workspaceChoice(t, view)}
<fieldset>
<legend>${t`It may`}</legend>
${view.scopes.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${ASKED_FOR_TWICE.includes(scope) ? "" : raw(" checked")}><span>${t.said(PERMISSION_WORDS[scope])} <code>${scope}</code></span></label>`,
)}
<p class="hint">${t`Never more than your own role allows. Take away what it should not do.`}</p>
</fieldset>
<div class="buttons">
<button type="submit" name="decision" value="allow" class="primary">${t`Allow`}</button>
<button type="submit" name="decision" value="deny">${t`Deny`}</button>
</div>
</form>`;
}

function workspaceChoice(t: Words, { workspaces, preselected }: ConsentView): Html {
  const [only] = workspaces;
  if (workspaces.length === 1 && only !== undefined) {
    return html`<input type="hidden" name="workspace" value="${only.slug}">
<p>${t`In the workspace <strong>${only.name}</strong>, where you are ${only.role}.`}</p>`;
  }
  return html`<label for="workspace">${t`In the workspace`}</label>
<select id="workspace" name="workspace">
${workspaces.map(({ slug, name, role }) => html`<option value="${slug}"${slug === preselected ? raw(" selected") : ""}>${name} (${role})</option>`)}
</select>`;
}
