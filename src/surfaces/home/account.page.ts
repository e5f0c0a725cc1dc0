import { html, raw } from "hono/html";
import type { DemoView } from "../../domains/demo/index.ts";
import type { ConnectedApp, MadeTokenKind, SignedIn, TokenInfo } from "../../domains/identity/index.ts";
import { LIMITS } from "../../domains/identity/limits.ts";
import { PERMISSIONS, type Role } from "../../kernel/permissions.ts";
import { guardField, type Html } from "../oauth/pages/page.ts";
import { PERMISSION_WORDS, type Words } from "../oauth/pages/words.ts";
import { askForm } from "./ask.page.ts";
import { connectSection, copyable } from "./connect.page.ts";
import { demoSection } from "./demo.page.ts";
import type { FlashMessage } from "./flash.ts";
import { calendarDay, timeAgo } from "./when.ts";

export const TOKENS_PATH = "/account/tokens";
export const APPS_PATH = "/account/apps";
export const PASSWORD_PATH = "/account/password";

/** The form as it was sent, to be shown again when something is wrong with it. */
export interface TokenDraft {
  name: string;
  kind: string;
  workspace: string;
  expires_in: string;
  read_only: boolean;
  scopes: readonly string[];
}

export interface AccountWorkspace {
  id: number;
  slug: string;
  name: string;
  role: Role;
  /** As many as are listed; `dashboardCount` counts all. */
  dashboards: readonly { id: number; name: string; description: string | null }[];
  dashboardCount: number;
}

export interface AccountView {
  person: SignedIn;
  address: string;
  formToken: string;
  workspaces: readonly AccountWorkspace[];
  /** The workspace that is chosen at first: one in which there is something. */
  preselected: string;
  tokens: readonly TokenInfo[];
  apps: readonly ConnectedApp[];
  /** For members of the demo workspace. */
  demo: DemoView | null;
  now: Date;
  flash: FlashMessage;
  /** What was sent and why it was refused. */
  refused?: { draft: TokenDraft; problem: string };
  /** Why the password was not changed. */
  passwordProblem?: string;
}

export function accountPage(t: Words, view: AccountView): Html {
  const { person, workspaces, preselected, flash, address } = view;
  const ofDemo = workspaces.find(({ id }) => id === view.demo?.workspaceId);
  return html`<section class="hero">
<h1>${t`Hello, ${person.name}`}</h1>
${flash.notice === undefined ? "" : html`<p class="notice" role="status">${t.said(flash.notice)}</p>`}
${flash.made === undefined ? "" : madeToken(t, flash.made)}
${
  workspaces.length === 0
    ? html`<p class="warning">${t`You are not a member of any workspace yet. Whoever runs this server can make you one.`}</p>`
    : html`<ul class="workspaces" aria-label="${t`Your workspaces`}">
${workspaces.map(({ slug, name, role }) => html`<li><strong>${name}</strong>${slug === name.toLowerCase() ? "" : html` <code>${slug}</code>`} <span class="badge">${role}</span></li>`)}
</ul>
${askForm(t, { workspaces, workspace: preselected, isFirst: true })}`
}
</section>
${dashboardsSection(t, workspaces)}
${view.demo === null || ofDemo === undefined ? "" : demoSection(t, view.demo, ofDemo.slug)}
${connectSection(t, address)}
${tokensSection(t, view)}
${appsSection(t, view)}
${passwordSection(t, view)}`;
}

function dashboardsSection(t: Words, workspaces: AccountView["workspaces"]): Html {
  const shown = workspaces.filter(({ dashboards }) => dashboards.length > 0);
  return html`<section aria-labelledby="dashboards">
<h2 id="dashboards">${t`Dashboards`}</h2>
${shown.length === 0 ? html`<p class="empty">${t`There are none yet: ask your client to make one.`}</p>` : ""}
${shown.map(
  ({ name, dashboards, dashboardCount }) => html`${shown.length === 1 ? "" : html`<h3>${name}</h3>`}
<ul class="items">${dashboards.map(({ id, name, description }) => html`<li><div><h3><a href="/d/${id}">${name}</a></h3>${description ? html`<p>${description}</p>` : ""}</div></li>`)}</ul>
${dashboardCount > dashboards.length ? html`<p class="hint">${t`and ${dashboardCount - dashboards.length} more; your client lists them all.`}</p>` : ""}`,
)}
</section>`;
}

function passwordSection(t: Words, { formToken, passwordProblem, person }: AccountView): Html {
  return html`<section aria-labelledby="password-heading">
<h2 id="password-heading">${t`Your password`}</h2>
<details class="make"${passwordProblem === undefined ? "" : raw(" open")}>
<summary class="button">${t`Change it`}</summary>
<form method="post" action="${PASSWORD_PATH}">
${guardField(formToken)}
<input type="hidden" name="username" autocomplete="username" value="${person.email}">
${passwordProblem === undefined ? "" : html`<p class="problem" role="alert">${t.said(passwordProblem)}</p>`}
<div class="fields">
<div><label for="current">${t`Present password`}</label>
<input id="current" name="current" type="password" autocomplete="current-password" required></div>
<div><label for="new">${t`New password`}</label>
<input id="new" name="password" type="password" autocomplete="new-password" required minlength="${LIMITS.identity.passwordMinCharacters}"></div>
<div><label for="again">${t`New password once more`}</label>
<input id="again" name="again" type="password" autocomplete="new-password" required></div>
</div>
<p class="hint">${t`At least ${LIMITS.identity.passwordMinCharacters} characters: a few random words are easy to remember. Other browsers are signed out.`}</p>
<button type="submit" class="primary">${t`Change the password`}</button>
</form>
</details>
</section>`;
}

function madeToken(t: Words, { name, token, ends }: NonNullable<FlashMessage["made"]>): Html {
  return html`<div class="made" role="status">
<p>${t`<strong>The token “${name}” is made.</strong> Copy it now: it is shown only this once.`}${ends === undefined ? "" : html` ${t`It is good until ${ends}.`}`}</p>
${copyable(t, "made-token", token, t`the token`)}
</div>`;
}

function tokensSection(t: Words, view: AccountView): Html {
  const { tokens, workspaces, refused } = view;
  return html`<section aria-labelledby="tokens">
<h2 id="tokens">${t`Your tokens`}</h2>
<p>${t`For scripts, and for clients that cannot open a browser to sign in.`}</p>
${
  tokens.length === 0
    ? html`<p class="empty">${t`You have no tokens.`}</p>`
    : html`<ul class="items">${tokens.map((token) => tokenItem(t, token, view))}</ul>`
}
${
  workspaces.length === 0
    ? ""
    : html`<details class="make"${refused === undefined ? "" : raw(" open")}>
<summary class="button">${t`Make a token`}</summary>
${tokenForm(t, view)}
</details>`
}
</section>`;
}

function tokenItem(t: Words, token: TokenInfo, { now, formToken }: AccountView): Html {
  const { id, name, kind, hintText, workspace, expiresAt, lastUsedAt, lastUsedClient } = token;
  const used = usedOf(t, lastUsedAt, now);
  const by = lastUsedAt === null || lastUsedClient === null ? "" : html` ${t`by ${lastUsedClient}`}`;
  return html`<li>
<div>
<h3>${name} <span class="badge">${kind}</span></h3>
<p><code>${hintText}</code> ${t`in ${workspace}`} · ${powerOf(t, token)}</p>
<p>${used}${by}${expiresAt === null ? "" : html` · ${t`ends ${calendarDay(t, expiresAt)}`}`}</p>
</div>
${revokeForm(t, `${TOKENS_PATH}/${id}/revoke`, t`the token ${name}`, formToken)}
</li>`;
}

function usedOf(t: Words, lastUsedAt: Date | null, now: Date): Html {
  return lastUsedAt === null ? t`not used yet` : t`used ${timeAgo(t, lastUsedAt, now)}`;
}

function powerOf(t: Words, { scopes, limits }: TokenInfo): string {
  const named: [Html, readonly unknown[] | null][] = [
    [t`toolsets`, limits.toolsets],
    [t`models`, limits.models],
    [t`knowledge bases`, limits.knowledgeBases],
  ];
  return [
    scopes === null ? t`all that your role allows` : scopes.join(", "),
    ...(limits.readOnly ? [t`read only`] : []),
    ...named.flatMap(([what, list]) => (list === null ? [] : [t`only ${what} ${list.join(", ")}`])),
  ].join(" · ");
}

function appsSection(t: Words, { apps, now, formToken }: AccountView): Html {
  return html`<section aria-labelledby="apps">
<h2 id="apps">${t`Connected applications`}</h2>
<p>${t`Clients that you have signed in with. They go on working after you sign out here.`}</p>
${
  apps.length === 0
    ? html`<p class="empty">${t`No application is connected.`}</p>`
    : html`<ul class="items">${apps.map(
        (app) => html`<li>
<div>
<h3>${app.clientName}</h3>
<p>${t`in ${app.workspace}`} · ${app.scopes.join(", ")}</p>
<p>${t`connected ${calendarDay(t, app.createdAt)}`} · ${usedOf(t, app.lastUsedAt, now)}</p>
</div>
${revokeForm(t, `${APPS_PATH}/${encodeURIComponent(app.grantId)}/revoke`, html`${app.clientName}`, formToken)}
</li>`,
      )}</ul>`
}
</section>`;
}

/** Two steps, also without scripts: what is revoked does not come back. */
function revokeForm(t: Words, action: string, what: Html, formToken: string): Html {
  return html`<details class="revoke">
<summary aria-label="${t`Revoke ${what}…`}">${t`Revoke…`}</summary>
<form method="post" action="${action}">${guardField(formToken)}<button type="submit" class="danger" aria-label="${t`Revoke ${what} now`}">${t`Revoke now`}</button></form>
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

function tokenForm(t: Words, { workspaces, preselected, formToken, refused }: AccountView): Html {
  const draft = refused?.draft;
  return html`<form method="post" action="${TOKENS_PATH}">
${guardField(formToken)}
${refused === undefined ? "" : html`<p class="problem" role="alert">${t.said(refused.problem)}</p>`}
<div class="fields">
<div><label for="token-name">${t`Name`}</label>
<input id="token-name" name="name" type="text" required maxlength="${LIMITS.identity.nameCharacters}" autocomplete="off" placeholder="${t`Where it will be used`}" value="${draft?.name ?? ""}"${refused === undefined ? "" : raw(" autofocus")}></div>
<div><label for="token-kind">${t`Kind`}</label>
${select(t, "token-kind", "kind", KIND_WORDS, draft?.kind)}</div>
<div><label for="token-workspace">${t`Workspace`}</label>
${select(t, "token-workspace", "workspace", Object.fromEntries(workspaces.map(({ slug, name, role }) => [slug, `${name} (${role})`])), draft?.workspace ?? preselected)}</div>
<div><label for="token-expiry">${t`Ends after`}</label>
${select(t, "token-expiry", "expires_in", LIFETIMES, draft?.expires_in)}</div>
</div>
<fieldset>
<label class="choice"><input type="checkbox" name="read_only" value="yes"${checked(draft?.read_only === true)}><span>${t`Read only: it changes nothing, whatever else it may do`}</span></label>
</fieldset>
<details class="scopes"${draft !== undefined && draft.scopes.length > 0 ? raw(" open") : ""}>
<summary>${t`Only some permissions`}</summary>
<fieldset>
<legend class="hint">${t`With none ticked it may do all that its kind and your role allow.`}</legend>
${PERMISSIONS.map(
  (scope) =>
    html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${checked(draft?.scopes.includes(scope) === true)}><span>${t.said(PERMISSION_WORDS[scope])} <code>${scope}</code></span></label>`,
)}
</fieldset>
</details>
<button type="submit" class="primary">${t`Make the token`}</button>
</form>`;
}

function select(
  t: Words,
  id: string,
  name: string,
  options: Record<string, string>,
  chosen: string | undefined,
): Html {
  return html`<select id="${id}" name="${name}">
${Object.entries(options).map(([value, words]) => html`<option value="${value}"${value === chosen ? raw(" selected") : ""}>${t.said(words)}</option>`)}
</select>`;
}

function checked(is: boolean): Html | string {
  return is ? raw(" checked") : "";
}
