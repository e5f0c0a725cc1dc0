import type { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import type { DialectName } from "../../../platform/analytics/index.ts";
import type { GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import type { Connector } from "./connector.ts";
import type { Network } from "./guarded-socket.ts";
import type { SniffCsv } from "./http/csv-connector.ts";
import {
  bigquerySettings,
  csvSettings,
  databaseApiSettings,
  fileSettings,
  mongodbSettings,
  restSettings,
  serverSettings,
  snowflakeSettings,
} from "./settings.ts";

/** Dependencies of connectors. */
export interface ConnectorParts {
  fetch: GuardedFetch;
  network: Network;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders: readonly string[];
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  sniffCsv: SniffCsv;
  log: ConnectorLog;
}

interface ConnectorLog {
  warn(fields: object, message: string): void;
}

type SecretField = "password" | "token";
export type Secrets = Partial<Record<SecretField, string>>;

/** Fields of `create_datasource`, which are the same for every type. */
export interface PlainFields {
  host?: string;
  port?: number;
  dbName?: string;
  dbUser?: string;
}

type Create<S> = (settings: S, secrets: Secrets, parts: ConnectorParts) => Promise<Connector>;

export interface ConnectorType {
  type: string;
  aliases: readonly string[];
  title: string;
  settings: z.ZodType;
  secretFields: readonly SecretField[];
  /** The settings that the plain fields stand for. */
  fromPlain(fields: PlainFields): Record<string, unknown>;
  /** Loads the client library, which is not in memory before. */
  load(): Promise<(settings: never, secrets: Secrets, parts: ConnectorParts) => Promise<Connector>>;
}

/** Binds the settings of a type to the connector that takes them. */
function define<S>(type: {
  type: string;
  aliases?: readonly string[];
  title: string;
  settings: z.ZodType<S>;
  secretFields: readonly SecretField[];
  fromPlain(fields: PlainFields): Record<string, unknown>;
  load(): Promise<Create<S>>;
}): ConnectorType {
  return { aliases: [], ...type } as ConnectorType;
}

const given = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const serverFields = ({ host, port, dbName, dbUser }: PlainFields): Record<string, unknown> =>
  given({ host, port, database: dbName, user: dbUser });
const pathField = ({ host, dbName }: PlainFields): Record<string, unknown> => given({ path: dbName ?? host });
const urlField = ({ host }: PlainFields): Record<string, unknown> => given({ url: host });

function postgresql(
  type: "postgresql" | "redshift" | "cockroachdb" | "citus",
  title: string,
  port: number,
  aliases: readonly string[] = [],
): ConnectorType {
  return define({
    type,
    aliases,
    title,
    settings: serverSettings(port),
    secretFields: ["password"],
    fromPlain: serverFields,
    load: async () => {
      const { createPostgresqlConnector, PG_DIALECTS } = await import("./postgresql/postgresql-connector.ts");
      return async (settings, { password }, { network }) => {
        const database = settings.database ?? settings.user;
        return createPostgresqlConnector({
          ...settings,
          database,
          password,
          network,
          dialect: PG_DIALECTS[type],
        });
      };
    },
  });
}

function mysql(type: "mysql" | "mariadb", title: string): ConnectorType {
  return define({
    type,
    title,
    settings: serverSettings(3_306),
    secretFields: ["password"],
    fromPlain: serverFields,
    load: async () => {
      const { createMysqlConnector } = await import("./mysql/mysql-connector.ts");
      return async (settings, { password }, { network }) =>
        createMysqlConnector({ ...settings, password, network });
    },
  });
}

function file(type: "sqlite" | "duckdb", title: string, aliases: readonly string[] = []): ConnectorType {
  return define({
    type,
    aliases,
    title,
    settings: fileSettings,
    secretFields: [],
    fromPlain: pathField,
    load: async () => {
      const { createFileConnector } = await import("./files/file-connector.ts");
      return async ({ path }, _secrets, parts) => createFileConnector(type, path, parts);
    },
  });
}

/** `host` may be a whole URL; a name alone is asked by https, except at a port that is known to have none. */
function apiFields(defaultPort: number | undefined, plainPorts: readonly number[]) {
  return ({ host, port, dbName }: PlainFields): Record<string, unknown> => {
    if (host === undefined) return given({ port, database: dbName });
    if (host.includes("://")) return given({ url: withPort(host, port), database: dbName });
    const at = port ?? defaultPort;
    const scheme = at !== undefined && plainPorts.includes(at) ? "http" : "https";
    return given({ url: `${scheme}://${host}${at === undefined ? "" : `:${at}`}`, database: dbName });
  };
}

function withPort(text: string, port: number | undefined): string {
  const url = URL.parse(text);
  if (url === null || port === undefined || url.port !== "") return text;
  url.port = String(port);
  return url.href;
}

/** An account such as `myorg-account1` stands for its host. */
function snowflakeFields({ host, ...rest }: PlainFields): Record<string, unknown> {
  const isAccount = host !== undefined && !host.includes("://") && !host.includes(".snowflakecomputing.");
  return apiFields(
    undefined,
    [],
  )({
    ...rest,
    ...(host !== undefined && { host: isAccount ? `${host}.snowflakecomputing.com` : host }),
  });
}

const BIGQUERY_URL = "https://bigquery.googleapis.com/bigquery/v2";

/** The project is the database; a dataset may follow it, as in `project.dataset`. */
function bigqueryFields({ host = BIGQUERY_URL, dbName }: PlainFields): Record<string, unknown> {
  if (dbName === undefined) return host === BIGQUERY_URL ? {} : { url: host };
  const [project = "", dataset] = dbName.split(".", 2);
  const url = `${host.replace(/\/$/, "")}/projects/${encodeURIComponent(project)}`;
  return given({ url, database: project, dataset });
}

function searchEngine(type: "elasticsearch" | "opensearch", title: string, aliases: readonly string[]) {
  return define({
    type,
    aliases,
    title,
    settings: databaseApiSettings,
    secretFields: ["token", "password"],
    fromPlain: apiFields(9_200, []),
    load: async () => {
      const { createSearchEngineConnector } = await import("./warehouse/elasticsearch-connector.ts");
      return async (settings, secrets, parts) => createSearchEngineConnector(type, settings, secrets, parts);
    },
  });
}

/** All types of datasources, in the order in which they are listed. */
export const CONNECTOR_TYPES: readonly ConnectorType[] = [
  postgresql("postgresql", "PostgreSQL", 5_432, ["postgres", "pg"]),
  mysql("mysql", "MySQL"),
  mysql("mariadb", "MariaDB"),
  postgresql("redshift", "Amazon Redshift", 5_439),
  postgresql("cockroachdb", "CockroachDB", 26_257, ["cockroach"]),
  postgresql("citus", "Citus", 5_432),
  define({
    type: "mongodb",
    aliases: ["mongo", "atlas"],
    title: "MongoDB",
    settings: mongodbSettings,
    secretFields: ["password"],
    fromPlain: serverFields,
    load: async () => {
      const { createMongodbConnector } = await import("./mongodb/mongodb-connector.ts");
      return async (settings, { password }, { network }) =>
        createMongodbConnector({ ...settings, password, network });
    },
  }),
  searchEngine("elasticsearch", "Elasticsearch", ["elastic"]),
  searchEngine("opensearch", "OpenSearch", []),
  define({
    type: "snowflake",
    title: "Snowflake",
    settings: snowflakeSettings,
    secretFields: ["token", "password"],
    fromPlain: snowflakeFields,
    load: async () => {
      const { createSnowflakeConnector } = await import("./warehouse/snowflake-connector.ts");
      return async (settings, secrets, parts) => createSnowflakeConnector(settings, secrets, parts);
    },
  }),
  define({
    type: "bigquery",
    aliases: ["bq"],
    title: "Google BigQuery",
    settings: bigquerySettings,
    secretFields: ["token", "password"],
    fromPlain: bigqueryFields,
    load: async () => {
      const { createBigqueryConnector } = await import("./warehouse/bigquery-connector.ts");
      return async (settings, secrets, parts) => createBigqueryConnector(settings, secrets, parts);
    },
  }),
  define({
    type: "clickhouse",
    title: "ClickHouse",
    settings: databaseApiSettings,
    secretFields: ["token", "password"],
    fromPlain: apiFields(8_443, [8_123]),
    load: async () => {
      const { createClickhouseConnector } = await import("./warehouse/clickhouse-connector.ts");
      return async (settings, secrets, parts) => createClickhouseConnector(settings, secrets, parts);
    },
  }),
  define({
    type: "trino",
    aliases: ["presto"],
    title: "Trino",
    settings: databaseApiSettings,
    secretFields: ["token", "password"],
    fromPlain: apiFields(undefined, [8_080]),
    load: async () => {
      const { createTrinoConnector } = await import("./warehouse/trino-connector.ts");
      return async (settings, secrets, parts) => createTrinoConnector(settings, secrets, parts);
    },
  }),
  file("sqlite", "SQLite file", ["sqlite3"]),
  file("duckdb", "DuckDB file"),
  define({
    type: "restapi",
    aliases: ["rest", "api", "json"],
    title: "REST API",
    settings: restSettings,
    secretFields: ["token", "password"],
    fromPlain: urlField,
    load: async () => {
      const { createRestConnector } = await import("./http/rest-connector.ts");
      return async (settings, secrets, parts) => createRestConnector(settings, secrets, parts);
    },
  }),
  define({
    type: "csv",
    title: "CSV by URL",
    settings: csvSettings,
    secretFields: ["token", "password"],
    fromPlain: urlField,
    load: async () => {
      const { createCsvConnector } = await import("./http/csv-connector.ts");
      return async (settings, secrets, parts) => createCsvConnector(settings, secrets, parts);
    },
  }),
];

/** The names of all types, for messages and descriptions. */
export function describeTypes(): string {
  return CONNECTOR_TYPES.map(({ type }) => type).join(", ");
}

/** The same for a description that every call of a model pays for: whoever has one of the others knows its kin. */
export function describeMainTypes(): string {
  const kin = ["mariadb", "cockroachdb", "citus", "opensearch"];
  return CONNECTOR_TYPES.flatMap(({ type }) => (kin.includes(type) ? [] : [type])).join(", ");
}

/** A type by its name or one of its other names; what is unknown is an error that lists the known ones. */
export function connectorType(name: string): ConnectorType {
  const wanted = name.trim().toLowerCase();
  const found = CONNECTOR_TYPES.find(({ type, aliases }) => type === wanted || aliases.includes(wanted));
  if (found !== undefined) return found;
  const meant = nearest(
    wanted,
    CONNECTOR_TYPES.flatMap(({ type, aliases }) => [type, ...aliases]),
  );
  throw new AppError("bad_request", `There is no datasource type "${name.slice(0, 50)}".`, {
    hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}The types are ${describeTypes()}.`,
    data: { types: CONNECTOR_TYPES.map(({ type }) => type) },
  });
}

/** What names are quoted with in the SQL of such a datasource; undefined where it has none. */
export function sqlQuote(type: string): '"' | "`" | undefined {
  if (["mysql", "mariadb", "clickhouse", "bigquery"].includes(type)) return "`";
  const others = ["postgresql", "redshift", "cockroachdb", "citus", "sqlite", "duckdb", "snowflake", "trino"];
  return others.includes(type) ? '"' : undefined;
}

/** The dialects in which statements over live datasets are written. */
const LIVE: Readonly<Record<string, DialectName>> = {
  postgresql: "postgresql",
  citus: "postgresql",
  cockroachdb: "postgresql",
  redshift: "postgresql",
  mysql: "mysql",
  mariadb: "mariadb",
  clickhouse: "clickhouse",
};

/** The dialect for statements over tables of such a datasource; undefined where they cannot be run there. */
export function liveDialect(type: string): DialectName | undefined {
  return LIVE[type];
}

export interface OpenOptions {
  fetch: GuardedFetch;
  /** The way to databases. */
  network: Network;
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders?: readonly string[];
  /** Reads the beginning of a CSV file as an imported one is read. */
  sniffCsv: SniffCsv;
  log: ConnectorLog;
}

/** The connector of a datasource. Nothing is connected before it is used. */
export async function openConnector(
  type: string,
  settings: unknown,
  secrets: Secrets,
  { fileFolders = [], ...parts }: OpenOptions,
): Promise<Connector> {
  const found = connectorType(type);
  const checked = checkSettings(found, settings);
  const create = await found.load();
  return create(checked as never, secrets, { fileFolders, ...parts });
}

/** The settings with their defaults, as they are to be stored; the error names each field that is wrong, as the caller does. */
export function checkSettings(
  { type, settings: schema }: ConnectorType,
  settings: unknown,
  names: Readonly<Record<string, string>> = {},
): unknown {
  const { data, error } = schema.safeParse(settings, { reportInput: true });
  if (error === undefined) return data;
  const issues = error.issues.map((issue) => {
    const [first = "", ...rest] = issue.path;
    return { ...issue, path: issue.path.length === 0 ? [] : [names[String(first)] ?? first, ...rest] };
  });
  throw new AppError(
    "bad_request",
    `The settings of this ${type} datasource are wrong. ${explainIssues(issues, schema)}`,
  );
}
