import { html, raw } from "hono/html";
import type { Permission } from "../../../kernel/permissions.ts";
import { FORM_FIELD } from "../form-guard.ts";
import type { Html } from "./page.ts";
import { PERMISSION_WORDS } from "./permission-words.ts";

/** Most clients ask for everything that there is; power over the workspace is only given by a click of its own. */
const ASKED_FOR_TWICE: readonly Permission[] = ["admin"];

export interface ConsentView {
  action: string;
  formToken: string;
  clientName: string;
  isUnverified: boolean;
  isSelfRegistered: boolean;
  redirectHost: string;
  email: string;
  scopes: readonly Permission[];
  workspaces: readonly { slug: string; name: string; role: string }[];
  problem?: string;
}

export function consentPage(view: ConsentView): Html {
  return html`<h1>Connect <span class="client">${view.clientName}</span>?</h1>
<p>It will act as <strong>${view.email}</strong>, and send you back to <strong class="host">${view.redirectHost}</strong>.</p>
${
  view.isUnverified
    ? html`<p class="warning" role="note"><strong>Unverified app.</strong> Nobody has registered it; it only says that it is called “${view.clientName}”. Go on only if you have just started it yourself on this computer.</p>`
    : view.isSelfRegistered
      ? html`<p class="warning" role="note"><strong>Unverified app.</strong> It registered itself, and nobody has checked that it is “${view.clientName}”. Go on only if you have just asked it to connect, and know the address that it sends you back to.</p>`
      : ""
}
${view.problem === undefined ? "" : html`<p class="problem" role="alert">${view.problem}</p>`}
<form method="post" action="${view.action}">
<input type="hidden" name="${FORM_FIELD}" value="${view.formToken}">
${workspaceChoice(view)}
<fieldset>
<legend>It may</legend>
${view.scopes.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${ASKED_FOR_TWICE.includes(scope) ? "" : raw(" checked")}><span>${PERMISSION_WORDS[scope]} <code>${scope}</code></span></label>`,
)}
<p class="hint">Never more than your own role allows. Take away what it should not do.</p>
</fieldset>
<div class="buttons">
<button type="submit" name="decision" value="allow" class="primary">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</div>
</form>`;
}

function workspaceChoice({ workspaces }: ConsentView): Html {
  const [only] = workspaces;
  if (workspaces.length === 1 && only !== undefined) {
    return html`<input type="hidden" name="workspace" value="${only.slug}">
<p>In the workspace <strong>${only.name}</strong>, where you are ${only.role}.</p>`;
  }
  return html`<label for="workspace">In the workspace</label>
<select id="workspace" name="workspace">
${workspaces.map(({ slug, name, role }) => html`<option value="${slug}">${name} (${role})</option>`)}
</select>`;
}
