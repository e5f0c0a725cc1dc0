import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { LIMITS } from "../surfaces/http/limits.ts";

const IDLE_POLL_MS = 20;

/** The one socket of the server. */
export class HttpListener {
  readonly #server: Server;
  readonly #address: { port: number; host: string };
  readonly #running = new Map<ServerResponse, Promise<void>>();

  constructor(
    fetch: Parameters<typeof getRequestListener>[0],
    address: { port: number; host: string },
    limits: Partial<Record<"headersMs" | "connections", number>> = {},
  ) {
    this.#address = address;
    const { headerBytes, headersMs, requestMs, keepAliveMs, connections } = { ...LIMITS.server, ...limits };
    this.#server = createServer(
      {
        maxHeaderSize: headerBytes,
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: keepAliveMs,
        // How often Node looks for what is late: with its default of 30 s headers could take 50.
        connectionsCheckingInterval: headersMs / 10,
      },
      getRequestListener(fetch, { overrideGlobalObjects: false }),
    );
    this.#server.maxConnections = connections;
    this.#server.on("connection", (socket: Socket) => closeIfSilent(socket, headersMs));
    this.#server.on("request", (request, response) => this.#track(request, response));
  }

  async listen(): Promise<{ url: string }> {
    const { port, host } = this.#address;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject);
    this.#server.listen(port, host, resolve);
    await promise;
    const bound = this.#server.address() as AddressInfo;
    return { url: `http://${host.includes(":") ? `[${host}]` : host}:${bound.port}` };
  }

  /**
   * Takes no more requests and lets those that run end. Those that take too long are told that the server stops, and
   * have a moment to pass that on; then the streams end, and what is left is closed.
   */
  async close(endStreams: () => Promise<unknown>, tellRunning: () => void): Promise<void> {
    if (!this.#server.listening) return void (await endStreams());
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    // Node closes the connections that are idle now, and not those that become so: clients keep them for minutes.
    const idle = setInterval(() => this.#server.closeIdleConnections(), IDLE_POLL_MS);
    const { drainMs, farewellMs } = LIMITS.server;
    const told = setTimeout(tellRunning, drainMs);
    const late = setTimeout(() => this.#server.closeAllConnections(), drainMs + farewellMs);
    try {
      await Promise.all(this.#running.values());
      await endStreams();
      await closed;
    } finally {
      clearInterval(idle);
      clearTimeout(told);
      clearTimeout(late);
    }
  }

  #track(request: IncomingMessage, response: ServerResponse): void {
    if (isStream(request)) return;
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    this.#running.set(response, ended);
    response.once("close", () => {
      this.#running.delete(response);
      resolve();
    });
  }
}

/** Node waits without end for the first byte of a connection. */
function closeIfSilent(socket: Socket, patienceMs: number): void {
  const timer = setTimeout(() => {
    if (socket.bytesRead === 0) socket.destroy();
  }, patienceMs).unref();
  socket.once("close", () => clearTimeout(timer));
}

/** Streams that a client listens on would never end by themselves. */
function isStream({ method, headers }: IncomingMessage): boolean {
  return method === "GET" || headers["mcp-method"] === "subscriptions/listen";
}
