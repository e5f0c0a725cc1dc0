import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { randomText } from "../../src/kernel/ids.ts";
import { PORT } from "../../src/platform/catalog/postmaster.ts";
import { createTestDatabase } from "./database.ts";

/** What passes between a client and the server; what it returns goes on instead (null: nothing more, for ever). */
export type Tamper = (chunk: Buffer, connection: number) => Buffer | null | "close";

export interface PostgresSource {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** As the owner of the database, around the proxy. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Statements that run on the server now for the user of the datasource. */
  running(): Promise<string[]>;
  /** Connections through the proxy that are open now. */
  openConnections(): number;
  /** From now on, changes what the server sends. */
  tamper(with_: Tamper | undefined): void;
  stop(): Promise<void>;
}

export interface PostgresSourceOptions {
  /** With it the proxy speaks TLS, as the embedded server does not. */
  tls?: { key: string; cert: string };
}

const SSL_REQUEST_CODE = 80_877_103;

/**
 * A database on the server that all tests share, with a user who is not a superuser, behind a TCP port of
 * loopback: the server itself listens on a unix socket only.
 */
export async function startPostgresSource(options: PostgresSourceOptions = {}): Promise<PostgresSource> {
  const database = await createTestDatabase({ empty: true });
  const owner = new pg.Client(database.url);
  await owner.connect();
  const user = `reader_${randomText(6).replaceAll(/\W/g, "x").toLowerCase()}`;
  const password = `pw-${randomText(12)}`;
  await owner.query(`CREATE USER ${user} PASSWORD '${password}'`);
  await owner.query(`ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ${user}`);
  await owner.query(`GRANT ALL ON SCHEMA public TO ${user}`);
  const proxy = await startProxy(`${owner.host}/.s.PGSQL.${PORT}`, options);
  return {
    host: "127.0.0.1",
    port: proxy.port,
    user,
    password,
    database: owner.database ?? "",
    query: async (sql) => (await owner.query(sql)).rows,
    running: async () => {
      const { rows } = await owner.query(
        "SELECT query FROM pg_stat_activity WHERE usename = $1 AND state = 'active'",
        [user],
      );
      return rows.map(({ query }) => String(query));
    },
    openConnections: proxy.openConnections,
    tamper: proxy.tamper,
    async stop() {
      proxy.stop();
      await owner.query(`DROP OWNED BY ${user} CASCADE`);
      await owner.query(`DROP USER ${user}`);
      await owner.end();
      await database.drop();
    },
  };
}

async function startProxy(socketPath: string, { tls }: PostgresSourceOptions) {
  const sockets = new Set<Socket>();
  let tamper: Tamper | undefined;
  let count = 0;
  let open = 0;

  const join = (client: Socket, first: Buffer | undefined): void => {
    const number = ++count;
    const server = connect(socketPath);
    sockets.add(server);
    let isSilent = false;
    server.on("error", () => client.destroy()).on("close", () => isSilent || client.destroy());
    client.on("error", () => server.destroy()).on("close", () => server.destroy());
    if (first !== undefined) server.write(first);
    client.on("data", (chunk) => server.write(chunk));
    server.on("data", (chunk: Buffer) => {
      const passed = isSilent ? null : tamper === undefined ? chunk : tamper(chunk, number);
      if (passed === "close") client.destroy();
      else if (passed === null) isSilent = true;
      else if (!client.write(passed)) server.pause();
    });
    client.on("drain", () => server.resume());
  };

  const listener = createServer((socket) => {
    sockets.add(socket);
    open += 1;
    socket
      .on("error", () => undefined)
      .once("close", () => {
        open -= 1;
      });
    socket.once("data", (first: Buffer) => {
      if (first.length !== 8 || first.readUInt32BE(4) !== SSL_REQUEST_CODE) return join(socket, first);
      socket.write(tls === undefined ? "N" : "S");
      join(tls === undefined ? socket : new TLSSocket(socket, { isServer: true, ...tls }), undefined);
    });
  });
  listener.listen(0, "127.0.0.1");
  await once(listener, "listening");
  return {
    port: (listener.address() as AddressInfo).port,
    openConnections: () => open,
    tamper(with_: Tamper | undefined) {
      tamper = with_;
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      listener.close();
    },
  };
}
