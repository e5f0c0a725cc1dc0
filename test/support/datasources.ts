import { resultOf } from "./datasets.ts";
import { type PostgresSource, startPostgresSource } from "./postgres-source.ts";
import { startTestServer, type TestServer } from "./server.ts";

/** Databases of the tests are on this machine. */
export const ALLOW_LOOPBACK = { env: { KENNING_ALLOW_PRIVATE_URLS: "127.0.0.1" } };

interface Source {
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
}

/** A datasource for a database of the tests, made through the public door; its id. */
export async function makeDatasource(
  server: TestServer,
  token: string,
  name: string,
  { host, port, user, password, database }: Source,
  type = "postgresql",
): Promise<number> {
  const args = { name, type, host, port, user, password, database, connection_test: "skip" };
  const made = await resultOf<{ datasource_id: number }>(server, token, "create_datasource", args);
  return made.datasource_id;
}

/** A server, a database that is its datasource, and people who may do something with it or may not. */
export interface Sourced {
  server: TestServer;
  source: PostgresSource;
  datasource_id: number;
  /** A contributor, a viewer, and an admin of another workspace. */
  token: string;
  viewer: string;
  stranger: string;
  stop(): Promise<void>;
}

export async function startSourced(): Promise<Sourced> {
  const [server, source] = await Promise.all([startTestServer(ALLOW_LOOPBACK), startPostgresSource()]);
  const token = await server.token({ role: "contributor" });
  await server.app.identity.workspaces.create({ slug: "other" });
  return {
    server,
    source,
    token,
    viewer: await server.token({ role: "viewer" }),
    stranger: await server.token({ workspace: "other" }),
    datasource_id: await makeDatasource(server, token, "Shop", source),
    async stop() {
      await server.stop();
      await source.stop();
    },
  };
}

export interface RunAnswer {
  query_id: number;
  name: string;
  dataset_id: number | null;
  message: string;
  run: {
    run_id: number;
    status: string;
    attempt: number;
    rows: number | null;
    error: string | null;
    duration_ms: number | null;
    truncated: string | null;
  };
}

/** A query, made and run through the public door. */
export function makeQuery(
  server: TestServer,
  token: string,
  args: { name: string; datasource_id: number; query: string } & Record<string, unknown>,
): Promise<RunAnswer> {
  return resultOf<RunAnswer>(server, token, "create_query", args);
}
