import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { LIMITS } from "../kernel/limits.ts";

/** The one socket of the server. */
export class HttpListener {
  readonly #server: Server;
  readonly #address: { port: number; host: string };

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

  /** Lets running requests end, then closes what is left. */
  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeIdleConnections();
    const timer = setTimeout(() => this.#server.closeAllConnections(), LIMITS.server.drainMs);
    await promise;
    clearTimeout(timer);
  }
}
