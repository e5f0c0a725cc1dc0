import { AppError } from "../../kernel/errors.ts";
import { type AddressPolicy, bareHost } from "./address-policy.ts";
import { LIMITS } from "./limits.ts";

/** Ports on which something other than HTTP listens: the list of the Fetch standard, as browsers have it. */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** What can be said about a URL before anything is looked up. Each redirect passes through here again. */
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
