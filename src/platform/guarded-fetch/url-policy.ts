import { isIP } from "node:net";
import { AppError } from "../../kernel/errors.ts";
import {
  type AddressRange,
  isInRanges,
  isMetadataAddress,
  isPublicAddress,
  isSingleAddress,
  parseAddressRange,
} from "../../kernel/net-address.ts";
import { LIMITS } from "./limits.ts";

/** Which addresses may be reached. */
export interface AddressPolicy {
  /** Public, or allowed by the operator. */
  mayReach(address: string): boolean;
  /** Named by the operator as `host` or `host:port`: reached wherever that name leads. */
  trusts(host: string, port: number): boolean;
  /** Named by the operator with this very port, which may then be one that is not meant for HTTP. */
  namesPort(host: string, port: number): boolean;
}

/**
 * `allow` holds addresses (`192.168.1.5`), blocks (`10.0.0.0/8`) and servers (`files.internal` for all ports,
 * `files.internal:9000` for one). A block never opens the metadata service of a cloud, which lies in many of
 * them: that takes its exact address.
 */
export function createAddressPolicy(allow: readonly string[]): AddressPolicy {
  const ranges: AddressRange[] = [];
  const servers = new Set<string>();
  for (const text of allow) {
    const entry = parseEntry(text);
    if (entry === undefined) {
      throw new TypeError(
        `"${text}" is neither an address, nor a block such as 10.0.0.0/8, nor host or host:port`,
      );
    }
    if (typeof entry === "string") servers.add(entry);
    else ranges.push(entry);
  }
  const singles = ranges.filter(isSingleAddress);

  return {
    mayReach(address) {
      if (isMetadataAddress(address)) return isInRanges(address, singles);
      return isPublicAddress(address) || isInRanges(address, ranges);
    },
    trusts: (host, port) => servers.has(serverKey(host)) || servers.has(serverKey(host, port)),
    namesPort: (host, port) => servers.has(serverKey(host, port)),
  };
}

/** Whether `createAddressPolicy` takes this entry: settings are checked with it, so that the two never disagree. */
export function isAllowEntry(text: string): boolean {
  return parseEntry(text) !== undefined;
}

/** `[::1]` as a URL writes it, `::1` as sockets know it. */
export function bareHost(host: string): string {
  return host.startsWith("[") ? host.slice(1, -1) : host;
}

/** A range, or the key of a server. */
function parseEntry(text: string): AddressRange | string | undefined {
  const range = parseAddressRange(/^\[.*\]$/.test(text) ? bareHost(text) : text);
  if (range !== undefined) return range;
  const { name = "", port } = /^(?<name>\[.+\]|[^:]+)(?::(?<port>\d{1,5}))?$/.exec(text)?.groups ?? {};
  const host = bareHost(name);
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return undefined;
  if (isIP(host) === 0 && !isServerName(host)) return undefined;
  return port === undefined ? serverKey(host) : serverKey(host, Number(port));
}

/** What consists of digits and dots only is a mistyped address. */
function isServerName(host: string): boolean {
  return /^[a-z0-9_.-]{1,253}$/i.test(host) && !/^[\d.]*$/.test(host);
}

function serverKey(host: string, port?: number): string {
  return `${host.toLowerCase().replace(/\.$/, "")} ${port ?? "any"}`;
}

/** Ports on which something other than HTTP listens: the list of the Fetch standard, as browsers have it. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Static URL checks, before any DNS lookup. Each redirect passes through here again. */
export function checkUrl(input: string | URL, policy: AddressPolicy, base?: URL): URL {
  const url = parseUrl(input, base);
  checkScheme(url);
  checkCredentials(url);
  checkPort(url, policy);
  url.hash = "";
  return url;
}

export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function parseUrl(input: string | URL, base: URL | undefined): URL {
  const text = String(input);
  if (text.length > LIMITS.fetch.urlCharacters) {
    throw new AppError("bad_request", `The URL is longer than ${LIMITS.fetch.urlCharacters} characters.`);
  }
  const url = URL.parse(text, base?.href);
  if (url === null) {
    throw new AppError("bad_request", "This is not a URL.", {
      hint: "Write it in full, such as https://example.com/report.csv.",
    });
  }
  return url;
}

function checkScheme(url: URL): void {
  if (url.protocol === "https:" || url.protocol === "http:") return;
  throw new AppError("bad_request", `Only http and https can be fetched, not ${url.protocol.slice(0, 20)}`);
}

function checkCredentials(url: URL): void {
  if (url.username === "" && url.password === "") return;
  throw new AppError("bad_request", "The URL carries a user name or password.", {
    hint: "Remove the part before the @.",
  });
}

function checkPort(url: URL, policy: AddressPolicy): void {
  const port = portOf(url);
  if (!BAD_PORTS.has(port) || policy.namesPort(bareHost(url.hostname), port)) return;
  throw new AppError("forbidden", `Port ${port} is not used for HTTP and cannot be fetched from.`);
}

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
