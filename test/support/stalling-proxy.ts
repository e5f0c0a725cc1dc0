import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";

/** A way to a database that can be made to hang: connections stay open and new ones are taken, but no word passes. */
export class StallingProxy {
  readonly url: string;
  readonly #stop: () => void;
  readonly #sockets = new Set<Socket>();
  #isStalled = false;

  private constructor(url: string, stop: () => void) {
    this.url = url;
    this.#stop = stop;
  }

  static async open(databaseUrl: string): Promise<StallingProxy> {
    const { host, port, user, password, database } = new pg.Client(databaseUrl);
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port: own } = server.address() as AddressInfo;
    const url = `postgresql://${user}:${password}@127.0.0.1:${own}/${database}`;
    const proxy = new StallingProxy(url, () => server.close());
    server.on("connection", (near) => {
      const far = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
      proxy.#join(near, far);
      proxy.#join(far, near);
    });
    return proxy;
  }

  /** From now on nothing is passed on. */
  stall(): void {
    this.#isStalled = true;
  }

  close(): void {
    this.#stop();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on("data", (chunk) => {
      if (!this.#isStalled) to.write(chunk);
    });
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }
}
