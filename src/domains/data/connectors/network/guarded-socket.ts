import { lookup } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { AppError } from "../../../../kernel/errors.ts";
import type { Resolve, ResolvedAddress } from "../../../../platform/guarded-fetch/index.ts";
import { type AddressPolicy, createAddressPolicy } from "../../../../platform/guarded-fetch/index.ts";
import { LIMITS } from "../../limits.ts";
import { untilAborted } from "../deadline.ts";
import { networkError } from "./network-errors.ts";

/** Where a database is, as somebody outside says. */
export interface ServerAddress {
  host: string;
  port: number;
}

export interface NetworkOptions {
  /** Addresses, blocks and `host:port` that may be reached although they are not public. */
  allow: readonly string[];
  /** Looks up a name; tests put their own here. */
  resolve?: Resolve;
}

/** Opens connections to databases; the rules for addresses are those of the guarded client for URLs. */
export interface Network {
  /** A connected socket. Its address was checked, and is the one it is connected to. */
  connect(server: ServerAddress, signal: AbortSignal): Promise<Socket>;
}

/** More addresses than this are of no use to anybody. */
const MOST_ADDRESSES = 32;

/** Sockets that are open now, of all datasources. */
let openSockets = 0;

export function createNetwork({ allow, resolve = systemResolve }: NetworkOptions): Network {
  const policy = createAddressPolicy(allow);
  return {
    async connect(server, signal) {
      const { host, port } = server;
      const isTrusted = policy.trusts(host, port);
      if (!isTrusted && isIP(host) !== 0 && !policy.mayReach(host)) throw notPublic(host);
      if (openSockets >= LIMITS.datasources.connections) {
        throw new AppError("unavailable", "Too many connections to datasources are open.", {
          hint: "Try again later.",
        });
      }
      openSockets += 1;
      const socket = openSocket(server, checkedLookup(resolve, isTrusted ? undefined : policy), () => {
        openSockets -= 1;
      });
      try {
        await untilAborted(connected(socket), signal);
        // The look-up was checked already; this holds even if a socket should ever come about without it.
        if (!isTrusted && !policy.mayReach(socket.remoteAddress ?? "")) throw notPublic(host);
        return socket;
      } catch (error) {
        socket.destroy();
        throw networkError(error, serverName(server)) ?? error;
      }
    },
  };
}

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** As it stands in messages. */
export function serverName({ host, port }: ServerAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/** `onClose` is called once, however the socket ends. */
function openSocket({ host, port }: ServerAddress, lookup: LookupFunction, onClose: () => void): Socket {
  const socket = connect({ host, port, lookup, noDelay: true, autoSelectFamily: true });
  // An error that nobody waits for any more must not end the process.
  return socket.on("error", () => undefined).once("close", onClose);
}

function connected(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("connect", resolve).once("error", reject);
    socket.once("close", () => reject(Object.assign(new Error("closed"), { code: "ECONNRESET" })));
  });
}

function checkedLookup(resolve: Resolve, policy: AddressPolicy | undefined): LookupFunction {
  return (host, { all, family }, callback) => {
    const answer = (found: ResolvedAddress[]): void => {
      const allowed = found
        .slice(0, MOST_ADDRESSES)
        .filter(({ address }) => policy === undefined || policy.mayReach(address));
      const usable = allowed.filter((entry) => !family || entry.family === family);
      const [first] = usable;
      if (first === undefined) callback(found.length > 0 ? notPublic(host) : notFound(), "", 0);
      else if (all) callback(null, usable);
      else callback(null, first.address, first.family);
    };
    resolve(host).then(answer, (error: NodeJS.ErrnoException) => callback(error, "", 0));
  };
}

/** Does not say where the name leads: that would map the inside of a network for whoever asks. */
function notPublic(host: string): AppError {
  return new AppError("forbidden", `${host} does not lead to a public address.`, {
    hint: "The operator can allow it in the server's settings.",
  });
}

function notFound(): NodeJS.ErrnoException {
  return Object.assign(new Error("not found"), { code: "ENOTFOUND" });
}
