import { AppError } from "../../../../kernel/errors.ts";
import type { Connector, Deadline, Scalar } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import type { RowSource } from "../http/rest-connector.ts";
import { credentialsOf, parseBase } from "../http/web-request.ts";
import type { DatabaseApiSettings } from "../settings.ts";
import { TRINO } from "../sql/dialects.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import {
  type ApiColumn,
  type ApiRows,
  apiRows,
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  decimalOf,
  INTEGER,
  JSON_TREE,
  JSON_VALUE,
  TIME,
  TIMESTAMP,
  TIMESTAMPTZ,
  VARCHAR,
} from "./api-values.ts";
import { type ApiRequest, DatabaseApi, rowsWithin } from "./database-api.ts";

interface TrinoAnswer {
  id: string;
  nextUri?: string;
  columns?: { name: string; type: string }[];
  data?: unknown[][];
  error?: { message?: string; errorType?: string };
}

/** Trino (and Presto's heirs) by its client protocol: each answer names where the next one is. */
export function createTrinoConnector(
  { url, database, auth, headers }: DatabaseApiSettings,
  secrets: Secrets,
  { fetch }: Pick<ConnectorParts, "fetch">,
): Connector {
  const base = parseBase(url);
  const credentials = credentialsOf(auth, secrets);
  const [catalog = "", schema = ""] = (database ?? "").split(".", 2);
  const api = new DatabaseApi({
    product: "Trino",
    base,
    credentials: async () => ({
      "x-trino-user": auth.kind === "basic" ? auth.user : "kenning",
      "x-trino-source": "kenning",
      "x-trino-time-zone": "UTC",
      ...(catalog === "" ? {} : { "x-trino-catalog": catalog }),
      ...(schema === "" ? {} : { "x-trino-schema": schema }),
      ...headers,
      ...credentials.headers,
    }),
    errorOf: (json) => (json as TrinoAnswer | undefined)?.error?.message,
    secrets,
    fetch,
  });

  const ask = async (request: ApiRequest, deadline: Deadline): Promise<TrinoAnswer> => {
    const answer = (await api.json(request, deadline)).json as TrinoAnswer;
    if (answer.error === undefined) return answer;
    const { message = "", errorType } = answer.error;
    throw api.refusal(errorType === "INSUFFICIENT_RESOURCES" ? 429 : 400, message);
  };

  async function read(text: string, deadline: Deadline) {
    const limit = { "x-trino-session": `query_max_run_time=${Math.ceil(deadline.leftMs() / 1_000)}s` };
    let answer = await ask({ path: "/v1/statement", body: text, headers: limit }, deadline);
    const follow = async (): Promise<boolean> => {
      if (answer.nextUri === undefined) return false;
      answer = await ask({ path: pathOf(answer.nextUri, base), method: "GET" }, deadline);
      return true;
    };
    const cancel = async (): Promise<void> => {
      if (answer.nextUri === undefined) return;
      await api.tryToTell({ path: pathOf(answer.nextUri, base), method: "DELETE" });
    };
    try {
      while (answer.columns === undefined && (await follow()));
    } catch (error) {
      await cancel();
      throw error;
    }
    const shape: ApiRows = apiRows(
      (answer.columns ?? []).map(({ name, type }) => ({ name, ...columnOf(type) })),
    );
    async function* rows(): RowSource {
      try {
        do for (const row of answer.data ?? []) yield shape.rowOf(row);
        while (await follow());
        return undefined;
      } finally {
        await cancel();
      }
    }
    return { rows: rows(), columns: () => shape.columns };
  }

  return sqlConnector({
    dialect: TRINO,
    versionQuery: "SELECT node_version FROM system.runtime.nodes WHERE coordinator LIMIT 1",
    tablesQuery: tablesQuery(catalog, schema),
    placeholder: literal,
    rowsOf: ({ text }, options) => rowsWithin(options, (deadline) => read(text, deadline)),
  });
}

function tablesQuery(catalog: string, schema: string): string {
  if (catalog === "")
    return "SELECT table_cat, table_schem || '.' || table_name, table_type FROM system.jdbc.tables ORDER BY 1, 2";
  const where =
    schema === "" ? "table_schema <> 'information_schema'" : `table_schema = ${literal(1, schema)}`;
  const quoted = `"${catalog.replaceAll('"', '""')}"`;
  return `SELECT table_schema, table_name, table_type FROM ${quoted}.information_schema.tables
    WHERE ${where} ORDER BY 1, 2`;
}

/** Only its own doubled sign ends a text in Trino, which knows no backslash. */
function literal(_number: number, value: Scalar): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toExponential();
  if (typeof value === "boolean") return value ? "TRUE" : "FALSE";
  return `'${value.replaceAll("'", "''")}'`;
}

/** Where the next answer is, on the server of the datasource: the credentials go along. */
function pathOf(next: string, base: URL): string {
  const url = URL.parse(next, base.href);
  if (!url?.pathname.startsWith("/v1/statement/"))
    throw new AppError("unavailable", "Trino named a next page that is none of its own.");
  return url.pathname;
}

const COLUMNS: Readonly<Record<string, ApiColumn>> = {
  ...{ tinyint: INTEGER, smallint: INTEGER, integer: INTEGER, bigint: BIGINT, real: DOUBLE, double: DOUBLE },
  ...{ boolean: BOOLEAN, date: DATE, json: JSON_VALUE },
};

function columnOf(type: string): ApiColumn {
  const [, precision, scale] = /^decimal\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  if (precision !== undefined) return decimalOf(Number(precision), Number(scale));
  if (/^timestamp(\(\d+\))? with time zone$/.test(type)) return TIMESTAMPTZ;
  if (type.startsWith("timestamp")) return TIMESTAMP;
  if (/^time(\(\d+\))?$/.test(type)) return TIME;
  if (/^varbinary/.test(type)) return { type: "BLOB", read: String };
  if (/^(array|map|row)\(/.test(type)) return JSON_TREE;
  return COLUMNS[type] ?? VARCHAR;
}
