import type { Context } from "hono";
import type { InteractionResults, default as OidcProvider } from "oidc-provider";
import type { ConnectedApps, Identity, SignedIn } from "../../domains/identity/index.ts";
import { AppError, isAppError } from "../../kernel/errors.ts";
import { isPermission, type Permission } from "../../kernel/permissions.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "./browser-session.ts";
import { isSelfRegistered, isUnverified, shownName } from "./clients.ts";
import { type FormGuard, smallBody } from "./form-guard.ts";
import { consentPage } from "./pages/consent.page.ts";
import { errorsAsPages } from "./pages/error.page.ts";
import { sendPage } from "./pages/page.ts";
import { wordsOf } from "./pages/words.ts";
import { INTERACTION_BASE, ROUTES } from "./provider.ts";
import { PROTOCOL_SCOPES } from "./resources.ts";

interface ConsentParts {
  provider: () => OidcProvider;
  identity: Identity;
  apps: ConnectedApps;
  browser: BrowserSession;
  forms: FormGuard;
  hasContent: HasContent;
}

/** Whether there is anything in a workspace. */
export type HasContent = (workspaceId: number) => Promise<boolean>;

type Interaction = Awaited<ReturnType<OidcProvider["interactionDetails"]>>;

/** The two stops on the way from a client to its code: who are you, and may it? */
export function mountConsent(app: HttpApp, parts: ConsentParts): void {
  const path = `${INTERACTION_BASE}:uid`;

  app.get(path, errorsAsPages, async (c) => {
    const interaction = await detailsOf(parts, c);
    const person = await parts.browser.of(c);
    if (person === null) return toSignIn(c);
    if (interaction.prompt.name === "login") {
      return finish(parts, c, { login: { accountId: String(person.accountId) } });
    }
    if (!isTheirs(interaction, person)) return startAgain(c, interaction);
    return showConsent(parts, c, interaction, person);
  });

  app.post(path, errorsAsPages, smallBody, async (c) => {
    const form = await c.req.parseBody({ all: true });
    parts.forms.check(c, form);
    const interaction = await detailsOf(parts, c);
    const person = await parts.browser.of(c);
    if (person === null) return toSignIn(c);
    if (!isTheirs(interaction, person)) return startAgain(c, interaction);
    return decide(parts, c, interaction, person, form);
  });
}

async function decide(
  parts: ConsentParts,
  c: Context<HttpEnv>,
  interaction: Interaction,
  person: SignedIn,
  form: Record<string, unknown>,
): Promise<Response> {
  if (form.decision !== "allow") {
    return finish(parts, c, { error: "access_denied", error_description: "The person did not allow it." });
  }
  try {
    return finish(parts, c, { consent: await connect(parts, interaction, person, form) });
  } catch (error) {
    if (!isAppError(error) || error.code !== "bad_request") throw error;
    return showConsent(parts, c, interaction, person, error.message);
  }
}

function toSignIn(c: Context<HttpEnv>): Response {
  return c.redirect(`/sign-in?return_to=${encodeURIComponent(c.req.path)}`, 303);
}

function isTheirs(interaction: Interaction, person: SignedIn): boolean {
  return interaction.session?.accountId === String(person.accountId);
}

/** Somebody else has signed in since the request began: it is put to them from the start. */
function startAgain(c: Context<HttpEnv>, { params }: Interaction): Response {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value].flat()) query.append(name, String(one));
  }
  return c.redirect(`${ROUTES.authorization}?${query}`, 303);
}

async function showConsent(
  parts: ConsentParts,
  c: Context<HttpEnv>,
  interaction: Interaction,
  person: SignedIn,
  problem?: string,
): Promise<Response> {
  const client = await parts.provider().Client.find(String(interaction.params.client_id));
  const workspaces = await parts.identity.users.workspacesOf(person.accountId);
  if (client === undefined) throw new AppError("bad_request", "This client is not known any more.");
  if (workspaces.length === 0) throw new AppError("forbidden", "You are not a member of any workspace.");
  const redirect = new URL(String(interaction.params.redirect_uri));
  const isWeb = redirect.origin !== "null";
  const resources = resourcesOf(interaction);
  const named = workspaces.find(({ slug }) => resources.some((each) => each.includes(`/mcp/${slug}/`)));
  const preselected = named ?? (await firstWithContent(workspaces, parts.hasContent));
  const t = wordsOf(c);
  const body = consentPage(t, {
    action: c.req.path,
    formToken: parts.forms.tokenFor(c),
    clientName: shownName(client),
    isUnverified: isUnverified(client),
    isSelfRegistered: isSelfRegistered(client),
    // Behind a scheme of its own, an app may put any host it likes.
    redirectHost: isWeb
      ? redirect.host
      : `${redirect.protocol}${redirect.host === "" ? "" : `//${redirect.host}`}`,
    email: person.email,
    scopes: requestedScopes(interaction),
    workspaces,
    preselected: preselected?.slug ?? "",
    ...(problem !== undefined && { problem }),
  });
  // A browser also holds the redirect after a form to this list.
  const target = isWeb ? redirect.origin : redirect.protocol;
  const status = problem === undefined ? 200 : 400;
  return sendPage(c, { title: t`Connect`, body, status, formTargets: [target] });
}

/** A newcomer who takes what is chosen for them should not land in an empty workspace. */
export async function firstWithContent<W extends { id: number }>(
  workspaces: readonly W[],
  hasContent: HasContent,
): Promise<W | undefined> {
  for (const workspace of workspaces) if (await hasContent(workspace.id)) return workspace;
  return workspaces[0];
}

/** Puts the person's answer to the domain, and what it decides into the provider's own words. */
async function connect(
  { provider, apps }: ConsentParts,
  interaction: Interaction,
  { accountId }: SignedIn,
  form: Record<string, unknown>,
): Promise<{ grantId: string }> {
  const { Grant, Client } = provider();
  const clientId = String(interaction.params.client_id);
  const client = await Client.find(clientId);
  const consent = {
    accountId,
    workspace: String(form.workspace ?? ""),
    clientId,
    clientName: client === undefined ? clientId : shownName(client),
    asked: requestedScopes(interaction),
    allowed: [form.scope ?? []].flat().map(String),
  };
  return apps.connect(consent, ({ granted, declined }) => {
    const given = new Grant({ accountId: String(accountId), clientId });
    for (const resource of resourcesOf(interaction)) {
      given.addResourceScope(resource, granted.join(" "));
      if (declined.length > 0) given.rejectResourceScope(resource, declined.join(" "));
    }
    // The provider counts our permissions among its own scopes as well, so that clients may register with them.
    const protocol = askedScopes(interaction).filter((scope) => PROTOCOL_SCOPES.includes(scope));
    given.addOIDCScope([...granted, ...protocol].join(" "));
    if (declined.length > 0) given.rejectOIDCScope(declined.join(" "));
    return given.save();
  });
}

async function finish(
  { provider }: ConsentParts,
  c: Context<HttpEnv>,
  result: InteractionResults,
): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const next = await provider().interactionResult(incoming, outgoing, result, {
    mergeWithLastSubmission: true,
  });
  return c.redirect(next, 303);
}

async function detailsOf({ provider }: ConsentParts, c: Context<HttpEnv>): Promise<Interaction> {
  try {
    const details = await provider().interactionDetails(c.env.incoming, c.env.outgoing);
    if (details.uid === c.req.param("uid")) return details;
  } catch (cause) {
    throw expired(cause);
  }
  throw expired(undefined);
}

function expired(cause: unknown): AppError {
  return new AppError("gone", "This request to connect has ended.", {
    hint: "Start again from your client.",
    cause,
  });
}

function askedScopes(interaction: Interaction): string[] {
  return String(interaction.params.scope ?? "").split(" ");
}

function requestedScopes(interaction: Interaction): Permission[] {
  return askedScopes(interaction).filter(isPermission);
}

function resourcesOf(interaction: Interaction): string[] {
  return [interaction.params.resource ?? []].flat().map(String);
}
