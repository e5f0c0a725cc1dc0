/** For the tests: a TCP port of loopback in front of a real server, which can spoil what the server says. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** What the server sends; what it returns goes on instead. */
export type Tamper = (chunk: Buffer, connection: number) => Buffer | "silence" | "close";

export interface TestProxy {
  port: number;
  /** Connections of clients that are open now. */
  openConnections(): number;
  /** From now on, changes what the server sends. */
  tamper(tamper: Tamper | undefined): void;
  stop(): void;
}

export interface ProxyOptions {
  /** With it the proxy speaks TLS when it is asked for it as PostgreSQL's clients do. */
  tls?: { key: string; cert: string };
  /** Answers the request for TLS itself, for a server that does not know it. */
  speaksPostgresql?: boolean;
}

const SSL_REQUEST_CODE = 80_877_103;

export async function startProxy(
  target: NetConnectOpts,
  { tls, speaksPostgresql = false }: ProxyOptions = {},
): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let tamper: Tamper | undefined;
  let count = 0;
  let open = 0;

  const join = (client: Socket): void => {
    const number = ++count;
    const server = connect(target);
    sockets.add(server);
    let isSilent = false;
    server.on("error", () => client.destroy()).on("close", () => isSilent || client.destroy());
    client.on("error", () => server.destroy()).on("close", () => server.destroy());
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk: Buffer) => {
      const passed = isSilent ? "silence" : tamper === undefined ? chunk : tamper(chunk, number);
      if (passed === "close") client.destroy();
      else if (passed === "silence") isSilent = true;
      else if (!client.write(passed)) server.pause();
    });
    client.on("drain", () => server.resume());
  };

  const answerSslRequest = (client: Socket): void => {
    client.once("data", (first: Buffer) => {
      if (first.length !== 8 || first.readUInt32BE(4) !== SSL_REQUEST_CODE) {
        client.pause();
        join(client);
        client.emit("data", first);
        client.resume();
        return;
      }
      client.write(tls === undefined ? "N" : "S");
      join(tls === undefined ? client : new TLSSocket(client, { isServer: true, ...tls }));
    });
  };

  const listener = createServer((client) => {
    sockets.add(client);
    open += 1;
    client
      .on("error", () => undefined)
      .once("close", () => {
        open -= 1;
      });
    if (speaksPostgresql) answerSslRequest(client);
    else join(client);
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    openConnections: () => open,
    tamper(change) {
      tamper = change;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}

/** Changes a byte in every so many, as chance has it (the same in each run of the test). */
export function spoiler(seed: number): Tamper {
  let state = seed * 2_654_435_761 + 1;
  const next = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state;
  };
  const every = [5, 40, 300, 2_000][seed % 4]!;
  let skip = seed % 3 === 0 ? 0 : 400;
  return (chunk) => {
    const spoilt = Buffer.from(chunk);
    for (let at = 0; at < spoilt.length; at += 1) {
      if (skip > 0) skip -= 1;
      else if (next() % every === 0) spoilt[at] = next() % 256;
    }
    return spoilt;
  };
}
