import type { AdapterPayload, Client } from "oidc-provider";

/** Clients that say who they are, and one sort that does not: programs on the person's own machine. */

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "[::1]"];
/** Marks a client that nobody registered; the consent page says so. */
export const UNVERIFIED = "kenning_unverified";
const CLIENT_ID = /^[A-Za-z0-9._~:-]{1,128}$/;

/**
 * Seed 001's examples use a client id that was never registered. Such a client gets nothing that its machine's
 * owner could not have anyway: it is public, and its codes go to a loopback address only.
 */
export function unregisteredClient(id: string): AdapterPayload | undefined {
  if (!CLIENT_ID.test(id)) return undefined;
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

export function isUnverified(client: Client): boolean {
  return (client as unknown as Record<string, unknown>)[UNVERIFIED] === true;
}

/** Exactly a registered address; on loopback the port may differ (RFC 8252), for the system chose it just now. */
export function isRedirectAllowed(client: Client, value: string): boolean {
  const registered = client.redirectUris ?? [];
  const url = URL.parse(value);
  if (url === null || url.username !== "" || url.password !== "" || url.hash !== "") return false;
  if (isUnverified(client)) return isLoopback(url) && url.href.startsWith(url.origin);
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
