import { lookup, resolveSrv } from "node:dns/promises";
import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { AppError, isAppError } from "../../../kernel/errors.ts";
import {
  type AddressPolicy,
  createAddressPolicy,
  type Resolve,
  type ResolvedAddress,
} from "../../../platform/guarded-fetch/index.ts";
import { LIMITS } from "../limits.ts";
import { untilAborted } from "./connector.ts";

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
  /** For a client library that opens its sockets itself: addresses that may not be reached are none. */
  lookup(server: ServerAddress): LookupFunction;
  /** The first server of a service that the DNS names (SRV). */
  service(name: string, signal: AbortSignal): Promise<ServerAddress>;
}

/** More addresses than this are of no use to anybody. */
const MOST_ADDRESSES = 32;

/** Sockets that are open now, of all datasources. */
let openSockets = 0;

export function createNetwork({ allow, resolve = systemResolve }: NetworkOptions): Network {
  const policy = createAddressPolicy(allow);
  const checkAddress = ({ host, port }: ServerAddress): { isTrusted: boolean } => {
    const isTrusted = policy.trusts(host, port);
    if (!isTrusted && isIP(host) !== 0 && !policy.mayReach(host)) throw notPublic(host);
    return { isTrusted };
  };
  return {
    lookup: (server) => checkedLookup(resolve, checkAddress(server).isTrusted ? undefined : policy),
    async service(name, signal) {
      const [found] = await untilAborted(resolveSrv(name), signal).catch((error) => {
        throw networkError(error, name) ?? error;
      });
      if (found === undefined) throw networkError(notFound(), name);
      return { host: found.name, port: found.port };
    },
    async connect(server, signal) {
      const { host } = server;
      const { isTrusted } = checkAddress(server);
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

/**
 * A connected socket for a client library. What the library throws while it reads (the other side may send it
 * anything) ends the connection instead of the process, and so does a message that does not end.
 */
export class DriverStream extends Duplex {
  readonly #socket: Socket;
  #unmarkedBytes = 0;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#unmarkedBytes += chunk.length;
      if (this.#unmarkedBytes > LIMITS.datasources.rowBytes) this.destroy(rowError());
      else if (!this.push(chunk)) socket.pause();
    });
    socket.once("end", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    socket.once("close", () => this.destroy());
  }

  /** A whole message has arrived: the next one is counted from here. */
  mark(): void {
    this.#unmarkedBytes = 0;
  }

  /** The libraries call it on a new socket; this one is connected already. */
  connect(): this {
    process.nextTick(() => this.emit("connect"));
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the listener's type depends on the event, as in the base class
  override on(event: string | symbol, listener: (...args: any[]) => void): this {
    if (event !== "data") return super.on(event, listener);
    return super.on(event, (chunk: Buffer) => {
      try {
        listener(chunk);
      } catch {
        this.destroy(new ProtocolError());
      }
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

/** The client library could make nothing of what came. */
export class ProtocolError extends Error {}

export function rowError(): AppError {
  const mb = LIMITS.datasources.rowBytes / (1024 * 1024);
  return new AppError("too_large", `A row of the result is larger than ${mb} MB.`, {
    hint: "Leave out large columns, or cut them in the query.",
  });
}

const UNKNOWN_HOST = new Set(["ENOTFOUND", "ENODATA", "EAI_FAIL", "EAI_NONAME"]);
const REFUSED = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);
const BROKEN = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "ERR_STREAM_PREMATURE_CLOSE"]);
const BAD_CERTIFICATE =
  /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|ERR_SSL|EPROTO)/;

/** A failure of the connection itself as a sentence about it; undefined for anything else. */
export function networkError(error: unknown, server: string): AppError | undefined {
  if (isAppError(error)) return error;
  if (error instanceof ProtocolError) return protocolError(server);
  const code = codeOf(error);
  if (UNKNOWN_HOST.has(code)) return lasting(`${server} was not found.`, "Check the host name.");
  if (code === "EAI_AGAIN") return unavailable(`${server} cannot be looked up just now.`, "Try again.");
  if (REFUSED.has(code)) {
    return unavailable(
      `Nothing answers at ${server}.`,
      "Check host and port, and that the server is running.",
    );
  }
  if (code === "ETIMEDOUT") {
    return unavailable(`${server} did not answer in time.`, "Check host, port and firewall.");
  }
  if (BAD_CERTIFICATE.test(code)) {
    return lasting(
      `There is no secure connection to ${server}: ${code}.`,
      "Check the TLS setting and the certificate authority of the datasource.",
    );
  }
  return BROKEN.has(code) ? connectionLost(server) : undefined;
}

export function connectionLost(server: string): AppError {
  return unavailable(`${server} closed the connection.`, "Try again.");
}

/** For what no honest server sends. */
export function protocolError(server: string): AppError {
  return unavailable(
    `${server} sent an answer that cannot be read.`,
    "Check that host and port are those of the database, and the type of the datasource.",
  );
}

function unavailable(message: string, hint: string): AppError {
  return new AppError("unavailable", message, { hint });
}

/** For what stays as it is until somebody changes the datasource: another try is no use. */
function lasting(message: string, hint: string): AppError {
  return new AppError("unavailable", message, { hint, data: { retryable: false } });
}

function codeOf(error: unknown): string {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown[] };
  if (typeof code === "string") return code;
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : "";
}

/**
 * As PostgreSQL's clients call them. "prefer": encrypted if the server can. "require": encrypted or not at all.
 * "verify-full": also, the certificate must be good and belong to the host.
 */
export const TLS_MODES = ["disable", "prefer", "require", "verify-full"] as const;
export type TlsMode = (typeof TLS_MODES)[number];

export interface TlsSettings {
  host: string;
  tls: TlsMode;
  /** A certificate authority, in PEM. */
  ca?: string | undefined;
}

/** The certificate is checked against the host as it was given, not against the address it led to. */
export function tlsOptions({ host, tls, ca }: TlsSettings): ConnectionOptions {
  return {
    host,
    rejectUnauthorized: tls === "verify-full",
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}
