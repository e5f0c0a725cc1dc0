import { createHash, timingSafeEqual } from "node:crypto";
import { type AdapterPayload, type Client, type ClientMetadata, errors } from "oidc-provider";

/** Clients that say who they are, and one sort that does not: programs on the person's own machine. */

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
/** Marks a client that nobody registered; the consent page says so. */
export const UNVERIFIED = "kenning_unverified";
const CLIENT_ID = /^[A-Za-z0-9._~:-]{1,128}$/;

/** Bounds on what a stranger may register. */
const REDIRECTS = 20;
const REDIRECT_CHARACTERS = 2_048;
const NAME_CHARACTERS = 100;

/**
 * Seed 001's examples use a client id that was never registered. Such a client gets nothing that its machine's
 * owner could not have anyway: it is public, and its codes go to a loopback address only.
 */
export function unregisteredClient(id: string): AdapterPayload | undefined {
  if (!CLIENT_ID.test(id) || claimsToBeOurs(id)) return undefined;
  return {
    client_id: id,
    client_name: id,
    application_type: "native",
    token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    redirect_uris: ["http://127.0.0.1/"],
    [UNVERIFIED]: true,
  };
}

/** Nobody registered it: it may be anything on the person's machine. */
export function isUnverified(client: Client): boolean {
  return (client as unknown as Record<string, unknown>)[UNVERIFIED] === true;
}

/** Whoever published who it is under an address of its own is known by that; all others only say who they are. */
export function isSelfRegistered(client: Client): boolean {
  return !isUnverified(client) && !client.clientId.startsWith("https:");
}

/**
 * What a client says of itself, whether it registered or published it. The provider's own checks follow: no fragments,
 * no scheme that runs a script.
 */
export function checkClientMetadata(metadata: ClientMetadata): void {
  // The person decides on scopes, each time. A list from the day of registration would stand in the way of a step-up.
  delete metadata.scope;
  if (claimsToBeOurs(metadata.client_name)) {
    throw new errors.InvalidClientMetadata("client_name must not be the name of this server");
  }
  // The database cannot hold it, and no honest client has it.
  if (JSON.stringify(metadata).includes("\\u0000")) {
    throw new errors.InvalidClientMetadata("client metadata must not contain NUL");
  }
  // A published document cannot hold a secret, so what is not said means: none.
  const isPublished = metadata.client_id.startsWith("https:");
  if (isPublished && metadata.token_endpoint_auth_method === "client_secret_basic") {
    metadata.token_endpoint_auth_method = "none";
  }
  const redirects: unknown[] = Array.isArray(metadata.redirect_uris) ? metadata.redirect_uris : [];
  if (redirects.length > REDIRECTS) throw badRedirects(`must not be more than ${REDIRECTS}`);
  for (const redirect of redirects) {
    const url = URL.parse(String(redirect));
    if (url === null) throw badRedirects("must only contain valid uris");
    if (String(redirect).length > REDIRECT_CHARACTERS) throw badRedirects("must not be that long");
    if (url.username !== "" || url.password !== "") throw badRedirects("must not hold a user or a password");
    if (url.protocol === "http:" && !isLoopback(url))
      throw badRedirects("must use https, except on loopback");
  }
}

/** Our name, also in letters of other scripts that look the same. */
const OUR_NAME = /[kкκ][e3еєε][nпηո]{2}[i1lіιӏ|!][nпηո][gɡց9]/iu;

/** A name by which a person would take the client for a part of this server. */
function claimsToBeOurs(name: unknown): boolean {
  if (typeof name !== "string") return false;
  return OUR_NAME.test(name.normalize("NFKD").replace(/[^\p{L}\p{N}|!]/gu, ""));
}

function badRedirects(rule: string): Error {
  return new errors.InvalidClientMetadata(`redirect_uris ${rule}`);
}

/** The name to show: bounded, and without characters that could turn the sentence around it. */
export function shownName(client: Client): string {
  const name = (client.clientName ?? "").replace(/[\p{Cc}\p{Bidi_Control}]/gu, "").trim();
  return (name === "" ? client.clientId : name).slice(0, NAME_CHARACTERS);
}

/** Exactly a registered address; on loopback the port may differ (RFC 8252), for the system chose it just now. */
export function isRedirectAllowed(client: Client, value: string): boolean {
  const registered = client.redirectUris ?? [];
  const url = URL.parse(value);
  if (url === null || url.username !== "" || url.password !== "" || value.includes("#")) return false;
  if (isUnverified(client)) return isLoopback(url);
  if (registered.includes(value)) return true;
  if (!isLoopback(url)) return false;
  return registered.some((candidate) => {
    const known = URL.parse(candidate);
    if (known === null || !isLoopback(known)) return false;
    return known.hostname === url.hostname && known.pathname === url.pathname && known.search === url.search;
  });
}

function isLoopback(url: URL): boolean {
  return url.protocol === "http:" && LOOPBACK_HOSTS.includes(url.hostname);
}

/** A client's secret is kept as a hash, like every other secret of ours that need not be read back. */
export function withHashedSecret(payload: AdapterPayload): AdapterPayload {
  const { client_secret: secret } = payload;
  return typeof secret === "string" ? { ...payload, client_secret: hashOf(secret) } : payload;
}

export function secretFits(client: Client, given: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(client.clientSecret ?? hashOf("")));
}

function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
