import { readFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import { basename } from "node:path";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import type { default as OidcProvider } from "oidc-provider";
import type { TransportLimiter } from "../../domains/identity/index.ts";
import type { HttpApp, HttpEnv } from "../http/app.ts";
import { smallBody } from "./form-guard.ts";
import { errorPage, errorsAsPages } from "./pages/error.page.ts";
import { BASE_STYLESHEET_PATH, ICON_PATH, STYLESHEET_PATH, sendPage, wantsPage } from "./pages/page.ts";
import { wordsOf } from "./pages/words.ts";
import { OAUTH_BASE, ROUTES } from "./provider.ts";
import type { Resources } from "./resources.ts";

interface OAuthParts {
  appUrl: string;
  provider: () => OidcProvider;
  resources: Resources;
  limiter: TransportLimiter;
}

const PROTECTED = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";
const AGENT_PATH = "/api/data-agent/mcp";

/** What other answers get on their way out; these go out by themselves. */
const HANDED_HEADERS = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "same-origin",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'",
};

/** The authorization server at seed 001's paths. */
export function mountOAuth(app: HttpApp, parts: OAuthParts): void {
  mountAssets(app);
  mountMetadata(app, parts);
  app.get(ROUTES.authorization, errorsAsPages, (c) => authorize(parts, c));
  app.get(`${ROUTES.authorization}/:uid`, errorsAsPages, (c) => hand(parts, c));
  const { limiter } = parts;
  const countExchange = counted((address) => limiter.admitTokenExchange(address));
  const countRegistration = counted((address) => limiter.admitAuthorization(address));
  app.on(["POST", "OPTIONS"], ROUTES.token, countExchange, smallBody, (c) => token(parts, c));
  app.on(["POST", "OPTIONS"], ROUTES.registration, countRegistration, (c) => hand(parts, c));
  app.on(["POST", "OPTIONS"], ROUTES.revocation, countExchange, (c) => hand(parts, c));
  app.on(["GET", "OPTIONS"], ROUTES.jwks, (c) => hand(parts, c));
}

/** Counts a request against its address before anything is done for it; browsers' preflights are free. */
function counted(admit: (address: string) => Promise<void>): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    if (c.req.method === "POST") await admit(c.get("address"));
    await next();
  };
}

/** The files that our pages load. */
function mountAssets(app: HttpApp): void {
  const assets = {
    [BASE_STYLESHEET_PATH]: "text/css; charset=utf-8",
    [STYLESHEET_PATH]: "text/css; charset=utf-8",
    [ICON_PATH]: "image/svg+xml",
  };
  for (const [path, type] of Object.entries(assets)) {
    const content = readFileSync(new URL(`./pages/${basename(path)}`, import.meta.url), "utf8");
    const headers = { "content-type": type, "cache-control": "public, max-age=300" };
    app.get(path, (c) => c.body(content, 200, headers));
  }
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
      app.get(`${base}${spelling}`, (c) => hand(parts, c, { target: SERVER }));
    }
    app.get(`${base}${OPENID}`, (c) => hand(parts, c, { target: OPENID }));
  }
}

async function authorize(parts: OAuthParts, c: Context<HttpEnv>): Promise<Response> {
  await parts.limiter.admitAuthorization(c.get("address"));
  const url = new URL(c.req.url);
  const problem = findProblem(url.searchParams);
  if (problem !== undefined) return refuse(c, problem);
  return hand(parts, c, { target: `${url.pathname}?${completed(parts, url.searchParams)}` });
}

/** Fills in what clients may leave out, and takes the trailing slash from a resource. */
function completed({ appUrl, resources }: OAuthParts, params: URLSearchParams): URLSearchParams {
  const full = new URLSearchParams(params);
  const named = resources.normalise(full.getAll("resource"));
  const asked = named.length === 0 ? [appUrl] : named;
  full.set("scope", resources.scopesFor((full.get("scope") ?? "").split(" "), asked).join(" "));
  full.delete("resource");
  for (const resource of asked) full.append("resource", resource);
  return full;
}

/** A client that names its resource with a trailing slash does so when it gets its tokens, too. */
async function token(parts: OAuthParts, c: Context<HttpEnv>): Promise<Response> {
  const body = await c.req.text();
  const isForm = (c.req.header("content-type") ?? "").startsWith("application/x-www-form-urlencoded");
  if (!isForm) return hand(parts, c, { body });
  const params = new URLSearchParams(body);
  const resources = parts.resources.normalise(params.getAll("resource"));
  params.delete("resource");
  for (const resource of resources) params.append("resource", resource);
  return hand(parts, c, { body: String(params) });
}

function refuse(c: Context<HttpEnv>, problem: RequestProblem): Response | Promise<Response> {
  if (!wantsPage(c.req.header("accept"))) return c.json(problem, 400, { "cache-control": "no-store" });
  const t = wordsOf(c);
  const detail = t`The app that sent you here made a mistake; tell its makers.`;
  return sendPage(c, {
    title: t`Error`,
    status: 400,
    body: errorPage(t, { message: problem.error_description, detail }),
  });
}

/** Hands the raw request to oidc-provider, as seen from outside at APP_URL. */
async function hand(
  { appUrl, provider }: OAuthParts,
  c: Context<HttpEnv>,
  change: { target?: string; body?: string } = {},
): Promise<Response> {
  const { outgoing } = c.env;
  const { protocol, host } = new URL(appUrl);
  const incoming = change.body === undefined ? c.env.incoming : withBody(c.env.incoming, change.body);
  if (change.target !== undefined) incoming.url = change.target;
  incoming.headers.host = host;
  incoming.headers["x-forwarded-host"] = host;
  incoming.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  for (const [name, value] of Object.entries(HANDED_HEADERS)) outgoing.setHeader(name, value);
  if (protocol === "https:") outgoing.setHeader("strict-transport-security", "max-age=31536000");
  outgoing.setHeader("x-request-id", c.get("requestId"));
  await provider().callback()(incoming, outgoing);
  // One of its own for each request: others add headers to what is returned here.
  return new Response(null, { status: outgoing.statusCode, headers: RESPONSE_ALREADY_SENT.headers });
}

/** The same request with another body, for a library that reads the stream itself. */
function withBody(original: IncomingMessage, body: string): IncomingMessage {
  const copy = new IncomingMessage(original.socket);
  const { "transfer-encoding": _, ...headers } = original.headers;
  copy.method = original.method;
  copy.url = original.url;
  copy.headers = { ...headers, "content-length": String(Buffer.byteLength(body)) };
  copy.push(body);
  copy.push(null);
  copy.complete = true;
  return copy;
}

/** What an authorization request must bring, each as a small check of its own. */

interface RequestProblem {
  error: "invalid_request" | "unsupported_response_type";
  error_description: string;
}

type Check = (params: URLSearchParams) => RequestProblem | undefined;

/** Without state: official clients may leave it out, and PKCE protects what it was for. */
const REQUIRED = ["response_type", "client_id", "redirect_uri", "code_challenge", "code_challenge_method"];

const requiredParameters: Check = (params) => {
  const missing = REQUIRED.find((name) => (params.get(name) ?? "") === "");
  return missing === undefined ? undefined : invalid(`Missing required parameter: ${missing}`);
};

const noDuplicates: Check = (params) => {
  const twice = [...params.keys()].find((name) => name !== "resource" && params.getAll(name).length > 1);
  return twice === undefined ? undefined : invalid(`Parameter given twice: ${twice}`);
};

/** RFC 6749 allows none in any parameter, and some would not survive the way to the client. */
const noControlCharacters: Check = (params) => {
  const bad = [...params].find(([name, value]) => /\p{Cc}/u.test(name + value));
  return bad === undefined ? undefined : invalid("Parameters must not contain control characters");
};

const codeOnly: Check = (params) =>
  params.get("response_type") === "code"
    ? undefined
    : { error: "unsupported_response_type", error_description: "response_type must be code" };

const s256Only: Check = (params) =>
  params.get("code_challenge_method") === "S256" ? undefined : invalid("code_challenge_method must be S256");

const challengeForm: Check = (params) =>
  /^[A-Za-z0-9_-]{43}$/.test(params.get("code_challenge") ?? "")
    ? undefined
    : invalid("code_challenge must be a SHA-256 in base64url: 43 characters");

/** Other ways back to the client need a script on a page of ours, or leave the code where scripts can read it. */
const queryOnly: Check = (params) =>
  ["", "query"].includes(params.get("response_mode") ?? "")
    ? undefined
    : invalid("response_mode must be query");

const CHECKS: readonly Check[] = [
  noControlCharacters,
  noDuplicates,
  requiredParameters,
  codeOnly,
  s256Only,
  challengeForm,
  queryOnly,
];

/** The first thing that is wrong with an authorization request, before anybody looks at client or redirect. */
function findProblem(params: URLSearchParams): RequestProblem | undefined {
  for (const check of CHECKS) {
    const problem = check(params);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function invalid(description: string): RequestProblem {
  return { error: "invalid_request", error_description: description };
}
