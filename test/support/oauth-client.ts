import { createHash, randomBytes } from "node:crypto";
import type { Identity } from "../../src/domains/identity/index.ts";
import type { Role } from "../../src/kernel/permissions.ts";

/** A person's browser and a client's program, both without a browser: to drive sign-in and consent by HTTP alone. */

export const PASSWORD = "correct horse battery";
export const CALLBACK = "http://localhost:3000/callback";

/** As much of a server as is needed here. */
export interface OAuthServer {
  url: string;
  app: { identity: Pick<Identity, "users"> };
}

/** The server as people and metadata know it; it listens on an address, and its APP_URL has a name. */
export function appUrlOf(server: Pick<OAuthServer, "url">): string {
  return server.url.replace("127.0.0.1", "localhost");
}

type Fields = Record<string, string | string[]>;

export interface Page {
  /** Where the last redirect led; outside of the server when it led there. */
  url: URL;
  response: Response;
  html: string;
}

interface Cookie {
  name: string;
  value: string;
  path: string;
}

/** A browser as far as these flows need one: cookies with paths, redirects, forms. */
export class Browser {
  readonly #base: URL;
  #cookies: Cookie[] = [];

  constructor(base: string) {
    this.#base = new URL(base);
  }

  /** One request, without following where it leads. */
  async send(target: string | URL, init: RequestInit & { form?: Fields } = {}): Promise<Response> {
    const url = new URL(target, this.#base);
    const { form, ...rest } = init;
    const headers = new Headers(rest.headers);
    if (!headers.has("accept")) headers.set("accept", "text/html,application/xhtml+xml,*/*;q=0.8");
    const cookies = this.#cookiesFor(url.pathname);
    if (cookies !== "") headers.set("cookie", cookies);
    const response = await fetch(url, {
      ...rest,
      headers,
      redirect: "manual",
      ...(form !== undefined && { method: "POST", body: encodeForm(form) }),
    });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  /** Follows redirects as long as they stay on the server. */
  async open(target: string | URL, init: RequestInit & { form?: Fields } = {}): Promise<Page> {
    let url = new URL(target, this.#base);
    let response = await this.send(url, init);
    for (let hops = 0; hops < 20; hops += 1) {
      const location = response.headers.get("location");
      if (location === null) return { url, response, html: await response.text() };
      url = new URL(location, url);
      if (url.origin !== this.#base.origin) return { url, response, html: "" };
      response = await this.send(url);
    }
    throw new Error(`Redirected in circles, at last to ${url}.`);
  }

  /** Sends the form of a page as it stands there, with these fields filled in or changed. */
  async submit(page: Page, changes: Fields & { button?: string } = {}): Promise<Page> {
    const { button, ...fields } = changes;
    const form = formOf(page.html);
    if (button !== undefined) fields.decision = button;
    return this.open(new URL(form.action, page.url), { form: { ...form.fields, ...fields } });
  }

  async signIn(email: string, password = PASSWORD, returnTo = ""): Promise<Page> {
    const query = returnTo === "" ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
    return this.submit(await this.open(`/sign-in${query}`), { email, password });
  }

  cookie(name: string): string | undefined {
    return this.#cookies.find((cookie) => cookie.name === name)?.value;
  }

  /** Sets a cookie as an attacker would who found a way to. */
  plant(name: string, value: string, path = "/"): void {
    this.#keep(`${name}=${value}; path=${path}`);
  }

  #cookiesFor(path: string): string {
    return this.#cookies
      .filter((cookie) => path === cookie.path || path.startsWith(cookie.path.replace(/\/?$/, "/")))
      .toSorted((a, b) => b.path.length - a.path.length)
      .map(({ name, value }) => `${name}=${value}`)
      .join("; ");
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    const attribute = (wanted: string) =>
      attributes.find((text) => text.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1);
    const path = attribute("path") ?? "/";
    const ends = attribute("expires");
    const isOver = attribute("max-age") === "0" || (ends !== undefined && Date.parse(ends) < Date.now());
    this.#cookies = this.#cookies.filter((cookie) => cookie.name !== name || cookie.path !== path);
    if (!isOver) this.#cookies.push({ name, value, path });
  }
}

export interface Form {
  action: string;
  fields: Fields;
}

/** The first form of a page, with the values that it would send untouched. */
export function formOf(html: string): Form {
  const [, attributes = "", inside = ""] = /<form([^>]*)>(.*?)<\/form>/s.exec(html) ?? [];
  if (inside === "") throw new Error(`There is no form on this page:\n${html}`);
  const fields: Record<string, string[]> = {};
  const add = (name: string | undefined, value: string) => {
    if (name !== undefined) fields[name] = [...(fields[name] ?? []), value];
  };
  for (const [tag] of inside.matchAll(/<input[^>]*>/g)) {
    const isUnchecked = attributeOf(tag, "type") === "checkbox" && !/\schecked\b/.test(tag);
    if (!isUnchecked) add(attributeOf(tag, "name"), attributeOf(tag, "value") ?? "");
  }
  for (const [, tag = "", options = ""] of inside.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)) {
    add(attributeOf(tag, "name"), attributeOf(options, "value") ?? "");
  }
  return { action: attributeOf(attributes, "action") ?? "", fields };
}

function attributeOf(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(` ${tag}`)?.[1];
  return value === undefined ? undefined : unescapeHtml(value);
}

export function unescapeHtml(text: string): string {
  const named: Record<string, string> = { lt: "<", gt: ">", quot: '"', amp: "&", "#39": "'" };
  return text.replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => named[name] as string);
}

export interface Tokens {
  access_token: string;
  token_type: string;
  expires_in: number;
  refresh_token: string;
  scope: string;
}

export interface TokenAnswer {
  status: number;
  headers: Headers;
  body: Tokens & { error?: string; error_description?: string };
}

/** A parameter set to null is left out; a list is sent several times. */
export type Change = Record<string, string | string[] | null>;

/** A public client that knows the addresses of the server, as the contract's example clients do. */
export class OAuthClient {
  readonly appUrl: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly verifier = randomBytes(64).toString("base64url");
  readonly state = randomBytes(16).toString("hex");

  constructor(server: OAuthServer, { clientId = "my-mcp-client", redirectUri = CALLBACK } = {}) {
    this.appUrl = appUrlOf(server);
    this.clientId = clientId;
    this.redirectUri = redirectUri;
  }

  authorizationUrl(change: Change = {}): string {
    const params = {
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      scope: "data_agent:read data_agent:write ontologies:read",
      state: this.state,
      code_challenge: challengeOf(this.verifier),
      code_challenge_method: "S256",
    };
    return `${this.appUrl}/api/oauth/authorize?${encodeForm({ ...params, ...change })}`;
  }

  /** The person opens the client's link, and allows what the page shows; back comes the callback's URL. */
  async ask(person: Browser, change: Change = {}, consent: Fields = {}): Promise<URL> {
    const page = await person.open(this.authorizationUrl(change));
    if (page.html === "") return page.url;
    const { url } = await person.submit(page, { button: "allow", ...consent });
    return url;
  }

  async code(person: Browser, change: Change = {}, consent: Fields = {}): Promise<string> {
    const callback = await this.ask(person, change, consent);
    const code = callback.searchParams.get("code");
    if (code === null) throw new Error(`No code came back: ${callback}`);
    return code;
  }

  exchange(code: string, change: Change = {}, headers: Record<string, string> = {}): Promise<TokenAnswer> {
    const params = {
      grant_type: "authorization_code",
      code,
      redirect_uri: this.redirectUri,
      client_id: this.clientId,
      code_verifier: this.verifier,
    };
    return this.#token({ ...params, ...change }, headers);
  }

  refresh(
    refreshToken: string,
    change: Change = {},
    headers: Record<string, string> = {},
  ): Promise<TokenAnswer> {
    const params = { grant_type: "refresh_token", refresh_token: refreshToken, client_id: this.clientId };
    return this.#token({ ...params, ...change }, headers);
  }

  /** The whole way: from the link to tokens. */
  async connect(person: Browser, change: Change = {}, consent: Fields = {}): Promise<Tokens> {
    const { status, body } = await this.exchange(await this.code(person, change, consent));
    if (status !== 200) throw new Error(`No token came back: ${JSON.stringify(body)}`);
    return body;
  }

  revoke(token: string, change: Change = {}): Promise<Response> {
    const params = { token, client_id: this.clientId, ...change };
    return fetch(`${this.appUrl}/api/oauth/revoke`, { method: "POST", body: encodeForm(params) });
  }

  async #token(params: Change, headers: Record<string, string>): Promise<TokenAnswer> {
    const response = await fetch(`${this.appUrl}/api/oauth/token`, {
      method: "POST",
      headers,
      body: encodeForm(params),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as TokenAnswer["body"],
    };
  }
}

export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

/** What a registration answers; the fields that tests look at. */
export interface Registered {
  client_id: string;
  client_secret?: string;
  redirect_uris: string[];
  client_name?: string;
  error?: string;
  error_description?: string;
}

export async function register(
  server: OAuthServer,
  metadata: Record<string, unknown>,
): Promise<{ status: number; body: Registered }> {
  const response = await fetch(`${appUrlOf(server)}/api/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(metadata),
  });
  return { status: response.status, body: (await response.json()) as Registered };
}

/** A new account in `acme`, with the password that all have here. */
export async function newAccount(server: OAuthServer, role: Role = "admin"): Promise<string> {
  const email = `${role}-${randomBytes(6).toString("hex")}@example.com`;
  await server.app.identity.users.create({ email, workspace: "acme", role, password: PASSWORD });
  return email;
}

/** A new account with its browser, already signed in. */
export async function signedInPerson(
  server: OAuthServer,
  role: Role = "admin",
): Promise<{ person: Browser; email: string }> {
  const email = await newAccount(server, role);
  const person = new Browser(appUrlOf(server));
  await person.signIn(email);
  return { person, email };
}

function encodeForm(fields: Change | Fields): URLSearchParams {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== null) for (const one of [value].flat()) params.append(name, one);
  }
  return params;
}
