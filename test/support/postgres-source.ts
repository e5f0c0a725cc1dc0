import pg from "pg";
import { randomText } from "../../src/kernel/text.ts";
import { PORT } from "../../src/platform/catalog/postmaster.ts";
import { createTestDatabase } from "./database.ts";
import { startProxy, type Tamper } from "./database-proxy.ts";

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
  tamper(tamper: Tamper | undefined): void;
  stop(): Promise<void>;
}

export interface PostgresSourceOptions {
  /** With it the proxy speaks TLS, as the embedded server does not. */
  tls?: { key: string; cert: string };
}

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
  const proxy = await startProxy(
    { path: `${owner.host}/.s.PGSQL.${PORT}` },
    { ...options, speaksPostgresql: true },
  );
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
