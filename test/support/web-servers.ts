/** Real servers on loopback for the tests of this folder; each test leaves none behind. */
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from "node:net";
import { afterEach } from "vitest";
import {
  createGuardedFetch,
  type GuardedFetch,
  type GuardedFetchOptions,
  type Resolve,
} from "../../src/platform/guarded-fetch/index.ts";

/** For secure.test, until 2120; good for nothing else. */
export const TEST_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjKypLaF87NCNmIdO
sWKwFzKLkX34/PeRSjBqVr0M4QyhRANCAARKLjffHQdIfOQsf2GSD+J6BooV07fu
MxwDWuIUvc8FLrIuQwApr8VPbYfEVhu7+TEuO+7qXKP4ejtdDHd9jyHo
-----END PRIVATE KEY-----`;
export const TEST_CERT = `-----BEGIN CERTIFICATE-----
MIIBaDCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAWMRQwEgYDVQQDDAtzZWN1cmUu
dGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFjEUMBIGA1UE
AwwLc2VjdXJlLnRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARKLjffHQdI
fOQsf2GSD+J6BooV07fuMxwDWuIUvc8FLrIuQwApr8VPbYfEVhu7+TEuO+7qXKP4
ejtdDHd9jyHoo0owSDAWBgNVHREEDzANggtzZWN1cmUudGVzdDAPBgNVHRMBAf8E
BTADAQH/MB0GA1UdDgQWBBQRLeXbXeLsBTILcEcM21WgcydsHTAKBggqhkjOPQQD
AgNJADBGAiEAh/agI4X0c7o7jv9Gt3CVXwjhK6jfUDYA5jSBhCLtySQCIQC1/iK2
3SWXbMqwCOXZEdoegUfjotNtSuylaZV00PEHLA==
-----END CERTIFICATE-----`;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

export async function listen<S extends TcpServer>(server: S): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export const serve = (listener: RequestListener): Promise<number> => listen<Server>(createServer(listener));

/** A server that speaks raw bytes. */
export const serveRaw = (talk: (socket: Socket) => unknown): Promise<number> =>
  listen(createTcpServer((socket) => socket.once("data", () => void talk(socket))));

export function client(options: GuardedFetchOptions = {}): GuardedFetch {
  const fetcher = createGuardedFetch(options);
  closers.push(() => fetcher.close());
  return fetcher;
}

export const names =
  (table: Record<string, string | string[]>): Resolve =>
  async (host) => {
    const found = table[host];
    if (found === undefined) throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    return [found].flat().map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  };
