import { lookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { AppError } from "../../kernel/errors.ts";
import { type AddressPolicy, bareHost, portOf } from "./url-policy.ts";

export interface ResolvedAddress {
  address: string;
  family: number;
}

export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

export const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** More addresses than this are of no use to anybody. */
const MOST_ADDRESSES = 32;

interface ConnectorOptions {
  policy: AddressPolicy;
  resolve: Resolve;
  timeoutMs: number;
  ca?: string | string[];
}

/**
 * Opens sockets to allowed addresses only. The look-up belongs to the connection: the addresses that were
 * checked are the ones the socket gets, so a name that answers differently the next time gains nothing.
 */
export function guardedConnector(
  build: typeof buildConnector,
  { policy, resolve, timeoutMs, ca }: ConnectorOptions,
): buildConnector.connector {
  const common = {
    timeout: timeoutMs,
    allowH2: false,
    autoSelectFamily: true,
    ...(ca === undefined ? {} : { ca }),
  };
  const connectChecked = build({ ...common, lookup: lookupWith(resolve, policy) });
  const connectTrusted = build({ ...common, lookup: lookupWith(resolve, undefined) });

  return (options, callback) => {
    const host = bareHost(options.hostname);
    const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
    if (policy.trusts(host, port)) {
      connectTrusted(options, callback);
    } else if (isIP(host) !== 0 && !policy.mayReach(host)) {
      callback(notPublic(host), null);
    } else {
      connectChecked(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        // The look-up was checked already; this holds even if a socket should ever come about without it.
        if (policy.mayReach(socket.remoteAddress ?? "")) return callback(null, socket);
        socket.destroy();
        callback(notPublic(host), null);
      });
    }
  };
}

/** Dry run of the address check: a socket to it would be refused, by its address or by those that its name has now. */
export async function checkReach(
  url: URL,
  { policy, resolve, timeoutMs }: Pick<ConnectorOptions, "policy" | "resolve" | "timeoutMs">,
): Promise<void> {
  const host = bareHost(url.hostname);
  if (policy.trusts(host, portOf(url))) return;
  const unknown = new Promise<ResolvedAddress[]>((done) => setTimeout(done, timeoutMs, []).unref());
  const found =
    isIP(host) === 0
      ? await Promise.race([resolve(host).catch(() => []), unknown])
      : [{ address: host, family: isIP(host) }];
  if (found.length > 0 && !found.some(({ address }) => policy.mayReach(address))) throw notPublic(host);
}

function lookupWith(resolve: Resolve, policy: AddressPolicy | undefined): LookupFunction {
  return (host, { all, family }, callback) => {
    resolve(host).then(
      (resolved) => {
        const found = resolved.slice(0, MOST_ADDRESSES);
        const allowed =
          policy === undefined ? found : found.filter(({ address }) => policy.mayReach(address));
        const usable = allowed.filter((entry) => !family || entry.family === family);
        const [first] = usable;
        if (first === undefined) callback(found.length > 0 ? notPublic(host) : notFound(host), "", 0);
        else if (all) callback(null, usable);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, "", 0),
    );
  };
}

/** Does not say where the name leads: that would map the inside of a network for whoever asks. */
function notPublic(host: string): AppError {
  return new AppError("forbidden", `${host.slice(0, 255)} does not lead to a public address.`, {
    hint: "The operator can allow it in the server's settings.",
  });
}

function notFound(host: string): AppError {
  return new AppError("unavailable", `${host.slice(0, 255)} was not found.`);
}
