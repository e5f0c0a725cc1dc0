import type { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { nearest } from "../../../kernel/text.ts";
import type { GuardedFetch } from "../../../platform/guarded-fetch/index.ts";
import { explainIssues } from "../../../registry/explain-issues.ts";
import type { Connector } from "./connector.ts";
import type { Network } from "./guarded-socket.ts";
import type { DescribeCsv } from "./http/csv-connector.ts";
import { csvSettings, fileSettings, restSettings, serverSettings } from "./settings.ts";

/** What connectors are made with. */
export interface ConnectorParts {
  fetch: GuardedFetch;
  network: Network;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders: readonly string[];
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  describeCsv: DescribeCsv;
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

/** All types of datasources, in the order in which they are listed. */
export const CONNECTOR_TYPES: readonly ConnectorType[] = [
  postgresql("postgresql", "PostgreSQL", 5_432, ["postgres", "pg"]),
  mysql("mysql", "MySQL"),
  mysql("mariadb", "MariaDB"),
  postgresql("redshift", "Amazon Redshift", 5_439),
  postgresql("cockroachdb", "CockroachDB", 26_257, ["cockroach"]),
  postgresql("citus", "Citus", 5_432),
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

export interface OpenOptions {
  fetch: GuardedFetch;
  /** The way to databases. */
  network: Network;
  /** Where sandboxed processes have their private folders. */
  sandboxFolder: string;
  /** Folders below which SQLite and DuckDB files may lie; none unless the operator names some. */
  fileFolders?: readonly string[];
  /** Reads the beginning of a CSV file as an imported one is read. */
  describeCsv: DescribeCsv;
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
