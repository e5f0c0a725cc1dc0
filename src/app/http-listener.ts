import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { LIMITS } from "../surfaces/http/limits.ts";

const IDLE_POLL_MS = 20;

/** The one socket of the server. */
export class HttpListener {
  readonly #server: Server;
  readonly #address: { port: number; host: string };
  readonly #running = new Map<ServerResponse, Promise<void>>();

  constructor(fetch: Parameters<typeof getRequestListener>[0], address: { port: number; host: string }) {
    this.#address = address;
    const { headerBytes, headersMs, requestMs, keepAliveMs } = LIMITS.server;
    this.#server = createServer(
      {
        maxHeaderSize: headerBytes,
        headersTimeout: headersMs,
        requestTimeout: requestMs,
        keepAliveTimeout: keepAliveMs,
      },
      getRequestListener(fetch, { overrideGlobalObjects: false }),
    );
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

  /** Takes no more requests, lets those that run end, then ends the streams and closes what is left. */
  async close(endStreams: () => Promise<unknown>): Promise<void> {
    if (!this.#server.listening) return void (await endStreams());
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    // Node closes the connections that are idle now, and not those that become so: clients keep them for minutes.
    const idle = setInterval(() => this.#server.closeIdleConnections(), IDLE_POLL_MS);
    const late = setTimeout(() => this.#server.closeAllConnections(), LIMITS.server.drainMs);
    try {
      await Promise.all(this.#running.values());
      await endStreams();
      await closed;
    } finally {
      clearInterval(idle);
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

/** Streams that a client listens on would never end by themselves. */
function isStream({ method, headers }: IncomingMessage): boolean {
  return method === "GET" || headers["mcp-method"] === "subscriptions/listen";
}
