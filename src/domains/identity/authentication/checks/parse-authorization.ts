import { LIMITS } from "../../limits.ts";

/** RFC 6750: the scheme in any case, one or more spaces, a token68. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*) *$/i;

/** The token in an Authorization header, or why there is none. */
export function parseAuthorization(
  header: string | null,
): { token: string } | { reason: "missing" | "malformed" } {
  if (header === null || header === "") return { reason: "missing" };
  if (header.length > LIMITS.identity.authorizationCharacters) return { reason: "malformed" };
  const token = BEARER.exec(header)?.[1];
  return token === undefined ? { reason: "malformed" } : { token };
}
