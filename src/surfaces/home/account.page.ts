import { html, raw } from "hono/html";
import type { DemoView } from "../../domains/demo/index.ts";
import type { ConnectedApp, MadeTokenKind, SignedIn, TokenInfo } from "../../domains/identity/index.ts";
import { LIMITS } from "../../domains/identity/limits.ts";
import { PERMISSIONS, type Role } from "../../kernel/permissions.ts";
import { FORM_FIELD } from "../oauth/form-guard.ts";
import type { Html } from "../oauth/pages/page.ts";
import { PERMISSION_WORDS } from "../oauth/pages/permission-words.ts";
import { connectSection, copyable } from "./connect.page.ts";
import { demoSection } from "./demo.page.ts";
import type { FlashMessage } from "./flash.ts";
import { calendarDay, timeAgo } from "./when.ts";

export const TOKENS_PATH = "/account/tokens";
export const APPS_PATH = "/account/apps";

/** The form as it was sent, to be shown again when something is wrong with it. */
export interface TokenDraft {
  name: string;
  kind: string;
  workspace: string;
  expires_in: string;
  read_only: boolean;
  scopes: readonly string[];
}

export interface AccountView {
  person: SignedIn;
  address: string;
  formToken: string;
  workspaces: readonly { slug: string; name: string; role: Role }[];
  tokens: readonly TokenInfo[];
  apps: readonly ConnectedApp[];
  /** For members of the demo workspace. */
  demo: DemoView | null;
  now: Date;
  flash: FlashMessage;
  /** What was sent and why it was refused. */
  refused?: { draft: TokenDraft; problem: string };
}

export function accountPage(view: AccountView): Html {
  const { person, workspaces, flash, address } = view;
  return html`<section class="hero">
<h1>Hello, ${person.name}</h1>
${flash.notice === undefined ? "" : html`<p class="notice" role="status">${flash.notice}</p>`}
${flash.made === undefined ? "" : madeToken(flash.made)}
${
  workspaces.length === 0
    ? html`<p class="warning">You are not a member of any workspace yet. Whoever runs this server can make you one.</p>`
    : html`<ul class="workspaces" aria-label="Your workspaces">
${workspaces.map(({ slug, name, role }) => html`<li><strong>${name}</strong>${slug === name.toLowerCase() ? "" : html` <code>${slug}</code>`} <span class="badge">${role}</span></li>`)}
</ul>`
}
</section>
${view.demo === null ? "" : demoSection(view.demo)}
${connectSection(address)}
${tokensSection(view)}
${appsSection(view)}`;
}

export function signedInNav(email: string, formToken: string): Html {
  return html`<span class="who">${email}</span>
<form method="post" action="/sign-out">${guardField(formToken)}<button type="submit">Sign out</button></form>`;
}

function madeToken({ name, token, ends }: NonNullable<FlashMessage["made"]>): Html {
  return html`<div class="made" role="status">
<p><strong>The token “${name}” is made.</strong> Copy it now: it is shown only this once.${ends === undefined ? "" : ` It is good until ${ends}.`}</p>
${copyable("made-token", token, "the token")}
</div>`;
}

function tokensSection(view: AccountView): Html {
  const { tokens, workspaces, refused } = view;
  return html`<section aria-labelledby="tokens">
<h2 id="tokens">Your tokens</h2>
<p>For scripts, and for clients that cannot open a browser to sign in.</p>
${
  tokens.length === 0
    ? html`<p class="empty">You have no tokens.</p>`
    : html`<ul class="items">${tokens.map((token) => tokenItem(token, view))}</ul>`
}
${
  workspaces.length === 0
    ? ""
    : html`<details class="make"${refused === undefined ? "" : raw(" open")}>
<summary class="button">Make a token</summary>
${tokenForm(view)}
</details>`
}
</section>`;
}

function tokenItem(token: TokenInfo, { now, formToken }: AccountView): Html {
  const { id, name, kind, hintText, workspace, expiresAt, lastUsedAt, lastUsedClient } = token;
  const used = lastUsedAt === null ? "not used yet" : `used ${timeAgo(lastUsedAt, now)}`;
  const by = lastUsedAt === null || lastUsedClient === null ? "" : ` by ${lastUsedClient}`;
  return html`<li>
<div>
<h3>${name} <span class="badge">${kind}</span></h3>
<p><code>${hintText}</code> in ${workspace} · ${powerOf(token)}</p>
<p>${used}${by}${expiresAt === null ? "" : html` · ends ${calendarDay(expiresAt)}`}</p>
</div>
${revokeForm(`${TOKENS_PATH}/${id}/revoke`, `the token ${name}`, formToken)}
</li>`;
}

function powerOf({ scopes, limits }: TokenInfo): string {
  const named: [string, readonly unknown[] | null][] = [
    ["toolsets", limits.toolsets],
    ["models", limits.models],
    ["knowledge bases", limits.knowledgeBases],
  ];
  return [
    scopes === null ? "all that your role allows" : scopes.join(", "),
    ...(limits.readOnly ? ["read only"] : []),
    ...named.flatMap(([what, list]) => (list === null ? [] : [`only ${what} ${list.join(", ")}`])),
  ].join(" · ");
}

function appsSection({ apps, now, formToken }: AccountView): Html {
  return html`<section aria-labelledby="apps">
<h2 id="apps">Connected applications</h2>
<p>Clients that you have signed in with. They go on working after you sign out here.</p>
${
  apps.length === 0
    ? html`<p class="empty">No application is connected.</p>`
    : html`<ul class="items">${apps.map(
        (app) => html`<li>
<div>
<h3>${app.clientName}</h3>
<p>in ${app.workspace} · ${app.scopes.join(", ")}</p>
<p>connected ${calendarDay(app.createdAt)} · ${app.lastUsedAt === null ? "not used yet" : `used ${timeAgo(app.lastUsedAt, now)}`}</p>
</div>
${revokeForm(`${APPS_PATH}/${encodeURIComponent(app.grantId)}/revoke`, app.clientName, formToken)}
</li>`,
      )}</ul>`
}
</section>`;
}

/** Two steps, also without scripts: what is revoked does not come back. */
function revokeForm(action: string, what: string, formToken: string): Html {
  return html`<details class="revoke">
<summary aria-label="Revoke ${what}…">Revoke…</summary>
<form method="post" action="${action}">${guardField(formToken)}<button type="submit" class="danger" aria-label="Revoke ${what} now">Revoke now</button></form>
</details>`;
}

const KIND_WORDS: Record<MadeTokenKind, string> = {
  mcp: "mcp: all tools, for an AI client",
  api: "api: all tools, for scripts",
  memory: "memory: memory tools only",
  knowledge: "knowledge: knowledge tools only",
};

const LIFETIMES = {
  "": "The usual time of its kind",
  "30d": "30 days",
  "90d": "90 days",
  "180d": "180 days",
  "1y": "1 year",
};

function tokenForm({ workspaces, formToken, refused }: AccountView): Html {
  const draft = refused?.draft;
  return html`<form method="post" action="${TOKENS_PATH}">
${guardField(formToken)}
${refused === undefined ? "" : html`<p class="problem" role="alert">${refused.problem}</p>`}
<div class="fields">
<div><label for="token-name">Name</label>
<input id="token-name" name="name" type="text" required maxlength="${LIMITS.identity.nameCharacters}" autocomplete="off" placeholder="Where it will be used" value="${draft?.name ?? ""}"${refused === undefined ? "" : raw(" autofocus")}></div>
<div><label for="token-kind">Kind</label>
${select("token-kind", "kind", KIND_WORDS, draft?.kind)}</div>
<div><label for="token-workspace">Workspace</label>
${select("token-workspace", "workspace", Object.fromEntries(workspaces.map(({ slug, name, role }) => [slug, `${name} (${role})`])), draft?.workspace)}</div>
<div><label for="token-expiry">Ends after</label>
${select("token-expiry", "expires_in", LIFETIMES, draft?.expires_in)}</div>
</div>
<fieldset>
<label class="choice"><input type="checkbox" name="read_only" value="yes"${checked(draft?.read_only === true)}><span>Read only: it changes nothing, whatever else it may do</span></label>
</fieldset>
<details class="scopes"${draft !== undefined && draft.scopes.length > 0 ? raw(" open") : ""}>
<summary>Only some permissions</summary>
<fieldset>
<legend class="hint">With none ticked it may do all that its kind and your role allow.</legend>
${PERMISSIONS.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${checked(draft?.scopes.includes(scope) === true)}><span>${PERMISSION_WORDS[scope]} <code>${scope}</code></span></label>`,
)}
</fieldset>
</details>
<button type="submit" class="primary">Make the token</button>
</form>`;
}

function select(id: string, name: string, options: Record<string, string>, chosen: string | undefined): Html {
  return html`<select id="${id}" name="${name}">
${Object.entries(options).map(([value, words]) => html`<option value="${value}"${value === chosen ? raw(" selected") : ""}>${words}</option>`)}
</select>`;
}

function checked(is: boolean): Html | string {
  return is ? raw(" checked") : "";
}

function guardField(formToken: string): Html {
  return html`<input type="hidden" name="${FORM_FIELD}" value="${formToken}">`;
}
