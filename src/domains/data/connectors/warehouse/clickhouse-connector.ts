import { randomUUID } from "node:crypto";
import type { Readable } from "node:stream";
import { AppError, isAppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import type { Connector, Scalar, SourceColumn } from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import { credentialsOf, parseBase } from "../http/web-request.ts";
import type { DatabaseApiSettings } from "../settings.ts";
import { CLICKHOUSE } from "../sql/dialects.ts";
import { sqlConnector } from "../sql/sql-connector.ts";
import { parseJson } from "../value-text.ts";
import {
  type ApiColumn,
  apiRows,
  BIGINT,
  BOOLEAN,
  DATE,
  DOUBLE,
  decimalOf,
  HUGEINT,
  INTEGER,
  JSON_TREE,
  TIMESTAMPTZ,
  UBIGINT,
  VARCHAR,
} from "./api-values.ts";
import { DatabaseApi, rowsWithin } from "./database-api.ts";

/** Large numbers and decimals as text, so that no digit is lost, and moments in UTC. */
const FORMAT = {
  default_format: "JSONCompactEachRowWithNamesAndTypes",
  date_time_output_format: "iso",
  output_format_json_quote_64bit_integers: "1",
  output_format_json_quote_decimals: "1",
  output_format_json_quote_denormals: "1",
  // A failure amid the rows stays a line that is no JSON.
  http_write_exception_in_output_format: "0",
};

/** Aggregates of nothing and joins without a partner are NULL, and a name is a column before it is an alias. */
const AS_IN_DUCKDB = {
  aggregate_functions_null_for_empty: "1",
  join_use_nulls: "1",
  prefer_column_name_to_alias: "1",
  union_default_mode: "DISTINCT",
  except_default_mode: "DISTINCT",
  intersect_default_mode: "DISTINCT",
  cast_keep_nullable: "1",
  group_by_use_nulls: "1",
  data_type_default_nullable: "1",
};

/** The setting itself was refused, before the query was looked at; nothing that a query says has this code. */
const OWN_READONLY = /^ClickHouse[^:]*: Code: 164\b.*Cannot modify 'readonly' setting/;

/** ClickHouse by its HTTP interface. */
export function createClickhouseConnector(
  { url, database, auth, headers }: DatabaseApiSettings,
  secrets: Secrets,
  { fetch }: Pick<ConnectorParts, "fetch">,
): Connector {
  const base = parseBase(url);
  const credentials = credentialsOf(auth, secrets);
  const api = new DatabaseApi({
    product: "ClickHouse",
    base,
    credentials: async () => ({ ...headers, ...credentials.headers }),
    errorOf: () => undefined,
    secrets,
    fetch,
  });

  return sqlConnector({
    dialect: CLICKHOUSE,
    versionQuery: "SELECT version()",
    tablesQuery: tablesQuery(database),
    placeholder: literal,
    rowsOf: ({ text }, options) =>
      rowsWithin(options, async (deadline) => {
        const query = {
          ...FORMAT,
          ...(options.isTranslated === true && AS_IN_DUCKDB),
          ...(database === undefined ? {} : { database }),
          cancel_http_readonly_queries_on_client_close: "1",
          max_execution_time: String(Math.ceil(deadline.leftMs() / 1_000)),
        };
        const ask = (more: Readonly<Record<string, string>>) =>
          api.stream(
            { path: "/", query: { ...query, ...more, query_id: randomUUID() }, body: text },
            deadline,
          );
        // The server itself refuses to write; a user who may only read anyway is not allowed to say so.
        const body = await ask({ readonly: "1" }).catch((error) => {
          if (isAppError(error) && OWN_READONLY.test(error.message)) return ask({});
          throw error;
        });
        return readLines(body, (message) => api.refusal(400, message));
      }),
  });
}

function tablesQuery(database: string | undefined): string {
  const where =
    database === undefined
      ? "database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')"
      : `database = ${literal(1, database)}`;
  return `SELECT database, name, if(engine LIKE '%View', 'view', 'table') FROM system.tables
    WHERE ${where} AND NOT is_temporary AND name NOT LIKE '.inner%' ORDER BY 1, 2`;
}

/** A text as hexadecimal digits, in which nothing can end it. */
function literal(_number: number, value: Scalar): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  return value === "" ? "''" : `unhex('${Buffer.from(value, "utf8").toString("hex")}')`;
}

/** The first line names the columns, the second their types, and each further one is a row. */
async function readLines(body: Readable, failed: (message: string) => AppError) {
  const lines = linesOf(body);
  const next = async (): Promise<unknown[] | undefined> => {
    const { value } = await lines.next();
    if (value === undefined) return undefined;
    const json = value.startsWith("[") ? parsed(value) : undefined;
    if (!Array.isArray(json)) throw failed(value);
    return json;
  };
  const [names = [], types = []] = [await next(), await next()];
  const { columns, rowOf } = apiRows(
    names.map((name, index) => ({ name: String(name), ...columnOf(String(types[index])) })),
  );
  async function* rows() {
    try {
      for (let row = await next(); row !== undefined; row = await next()) yield rowOf(row);
      return undefined;
    } finally {
      body.destroy();
    }
  }
  return { rows: rows(), columns: (): readonly SourceColumn[] => columns };
}

function parsed(line: string): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function* linesOf(body: Readable): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of body.setEncoding("utf8") as AsyncIterable<string>) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > LIMITS.datasources.rowBytes)
      throw new AppError("too_large", "A row of the result is too large.", {
        hint: "Name the columns that you need.",
      });
    for (const line of lines) if (line !== "") yield line;
  }
  if (rest.trim() !== "") yield rest;
}

const COLUMNS: Readonly<Record<string, ApiColumn>> = {
  ...{ Int8: INTEGER, Int16: INTEGER, Int32: INTEGER, UInt8: INTEGER, UInt16: INTEGER, UInt32: BIGINT },
  ...{ Int64: BIGINT, UInt64: UBIGINT, Int128: HUGEINT },
  ...{ Float32: DOUBLE, Float64: DOUBLE, BFloat16: DOUBLE, Bool: BOOLEAN, Date: DATE, Date32: DATE },
};

/** By the type that the server tells, such as `LowCardinality(Nullable(String))`. */
function columnOf(type: string): ApiColumn {
  const [, wrapper, inner = ""] = /^(LowCardinality|Nullable)\((.*)\)$/s.exec(type) ?? [];
  if (wrapper !== undefined) return columnOf(inner);
  const aggregated = /^SimpleAggregateFunction\(\w+,\s*(.*)\)$/s.exec(type)?.[1];
  if (aggregated !== undefined) return columnOf(aggregated);
  const [, precision, scale] = /^Decimal\((\d+),\s*(\d+)\)$/.exec(type) ?? [];
  if (precision !== undefined) return decimalOf(Number(precision), Number(scale));
  if (type.startsWith("DateTime")) return TIMESTAMPTZ;
  if (/^(Array|Tuple|Map|Nested|JSON|Object|Variant|Dynamic)\b/.test(type)) return JSON_TREE;
  return COLUMNS[type] ?? VARCHAR;
}
