import { AppError } from "../../kernel/errors.ts";
import type { AddressPolicy } from "./address-policy.ts";
import { checkUrl } from "./check-url.ts";

export interface OutgoingRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** All that another server gets to see of the caller's headers: any other one may be a credential. */
const HEADERS_FOR_ANYBODY = new Set([
  "accept",
  "accept-language",
  "content-type",
  "user-agent",
  "accept-encoding",
]);
const HEADERS_OF_BODY = new Set(["content-type", "content-encoding", "content-language"]);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** The request that an answer redirects to, checked like the first one. */
export function nextRequest(
  request: OutgoingRequest,
  status: number,
  location: string,
  policy: AddressPolicy,
): OutgoingRequest {
  const url = checkUrl(location, policy, request.url);
  checkNoDowngrade(request.url, url);

  const becomesGet = status === 303 ? request.method !== "HEAD" : status < 303 && request.method === "POST";
  const sameOrigin = url.origin === request.url.origin;
  const headers = Object.entries(request.headers).filter(
    ([name]) => (sameOrigin || HEADERS_FOR_ANYBODY.has(name)) && !(becomesGet && HEADERS_OF_BODY.has(name)),
  );
  return {
    url,
    method: becomesGet ? "GET" : request.method,
    headers: Object.fromEntries(headers),
    body: becomesGet ? undefined : request.body,
  };
}

function checkNoDowngrade(from: URL, to: URL): void {
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw new AppError("forbidden", `${from.hostname} redirects from https to plain http.`);
  }
}
