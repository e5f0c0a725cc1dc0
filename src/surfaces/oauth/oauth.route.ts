import { readFileSync } from "node:fs";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import type { default as OidcProvider } from "oidc-provider";
import type { TransportLimiter } from "../../domains/identity/index.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import type { BrowserSession } from "./browser-session.ts";
import { errorPage } from "./pages/error.page.ts";
import { STYLESHEET_PATH, sendPage } from "./pages/page.ts";
import { OAUTH_BASE, ROUTES } from "./provider.ts";
import { findProblem, type RequestProblem } from "./request-checks.ts";
import { DEFAULT_SCOPES, type Resources } from "./resources.ts";

export interface OAuthParts {
  appUrl: string;
  provider: () => OidcProvider;
  resources: Resources;
  browser: BrowserSession;
  limiter: TransportLimiter;
}

const PROTECTED = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";
const AGENT_PATH = "/api/data-agent/mcp";

/** The authorization server at seed 001's paths. */
export function mountOAuth(app: HttpApp, parts: OAuthParts): void {
  const stylesheet = readFileSync(new URL("./pages/pages.css", import.meta.url), "utf8");
  app.get(STYLESHEET_PATH, (c) =>
    c.body(stylesheet, 200, {
      "content-type": "text/css; charset=utf-8",
      "cache-control": "public, max-age=300",
    }),
  );

  mountMetadata(app, parts);
  app.get(ROUTES.authorization, (c) => authorize(parts, c));
  app.get(`${ROUTES.authorization}/:uid`, (c) => hand(parts, c));
  for (const route of [ROUTES.token, ROUTES.registration, ROUTES.revocation]) {
    app.on(["POST", "OPTIONS"], route, (c) => hand(parts, c));
  }
  app.on(["GET", "OPTIONS"], ROUTES.jwks, (c) => hand(parts, c));
}

/** Discovery, at the root and below `/api/oauth`, in both spellings that the seed uses. */
function mountMetadata(app: HttpApp, parts: OAuthParts): void {
  const protectedResource = (path: string) => (c: Context<HttpEnv>) => {
    const metadata = parts.resources.metadata(path);
    if (metadata === undefined)
      return c.json({ error: "not_found", message: `There is no resource at ${path}.` }, 404);
    return c.json(metadata, 200, { "access-control-allow-origin": "*" });
  };
  for (const base of ["", OAUTH_BASE]) {
    for (const spelling of [PROTECTED, "/.well-known/protected-resource"]) {
      app.get(`${base}${spelling}`, protectedResource(AGENT_PATH));
      app.get(`${base}${spelling}/*`, (c) =>
        protectedResource(c.req.path.slice(`${base}${spelling}`.length))(c),
      );
    }
    for (const spelling of [SERVER, "/.well-known/authorization-server"]) {
      app.get(`${base}${spelling}`, (c) => hand(parts, c, SERVER));
    }
    app.get(`${base}${OPENID}`, (c) => hand(parts, c, OPENID));
  }
}

async function authorize(parts: OAuthParts, c: Context<HttpEnv>): Promise<Response> {
  await parts.limiter.admitAuthorization(c.get("address"));
  const url = new URL(c.req.url);
  const problem = findProblem(url.searchParams);
  const wantsJson = !(c.req.header("accept") ?? "").includes("text/html");
  if (problem !== undefined) return refuse(c, problem, wantsJson);
  if (wantsJson && (await parts.browser.of(c)) === null) {
    const returnTo = `${url.pathname}${url.search}`;
    return c.json(
      {
        error: "login_required",
        login_url: `${parts.appUrl}/sign-in?return_to=${encodeURIComponent(returnTo)}`,
        message: "User must login before authorizing application",
      },
      401,
    );
  }
  return hand(parts, c, `${url.pathname}?${completed(parts, url.searchParams)}`);
}

/** Fills in what clients may leave out, and takes the trailing slash from a resource. */
function completed({ appUrl, resources }: OAuthParts, params: URLSearchParams): URLSearchParams {
  const full = new URLSearchParams(params);
  if ((full.get("scope") ?? "") === "") full.set("scope", DEFAULT_SCOPES.join(" "));
  const asked = full.getAll("resource").map((resource) => resources.normalise(resource));
  full.delete("resource");
  for (const resource of asked.length === 0 ? [appUrl] : asked) full.append("resource", resource);
  return full;
}

function refuse(
  c: Context<HttpEnv>,
  problem: RequestProblem,
  wantsJson: boolean,
): Response | Promise<Response> {
  if (wantsJson) return c.json(problem, 400, { "cache-control": "no-store" });
  const detail = "The app that sent you here made a mistake; tell its makers.";
  return sendPage(c, {
    title: "Error",
    status: 400,
    body: errorPage({ message: problem.error_description, detail }),
  });
}

/** Hands the raw request to oidc-provider, as seen from outside at APP_URL. */
async function hand(
  { appUrl, provider }: OAuthParts,
  c: Context<HttpEnv>,
  target?: string,
): Promise<Response> {
  const { incoming, outgoing } = c.env;
  const { protocol, host } = new URL(appUrl);
  if (target !== undefined) incoming.url = target;
  incoming.headers.host = host;
  incoming.headers["x-forwarded-host"] = host;
  incoming.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  outgoing.setHeader("x-content-type-options", "nosniff");
  outgoing.setHeader("x-frame-options", "DENY");
  outgoing.setHeader(
    "content-security-policy",
    "default-src 'none'; style-src 'self'; frame-ancestors 'none'",
  );
  outgoing.setHeader("x-request-id", c.get("requestId"));
  await provider().callback()(incoming, outgoing);
  return RESPONSE_ALREADY_SENT;
}
