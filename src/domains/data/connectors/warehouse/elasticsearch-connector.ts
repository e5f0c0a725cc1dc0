import { z } from "zod";
import { AppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";
import {
  type Connector,
  type Deadline,
  type RunOptions,
  type Scalar,
  type SourceColumn,
  startDeadline,
} from "../connector.ts";
import type { ConnectorParts, Secrets } from "../connector-types.ts";
import { checkQueryLength, noValue } from "../database-errors.ts";
import type { RowSource } from "../http/rest-connector.ts";
import { InferredColumns } from "../http/rest-paging.ts";
import { credentialsOf, parseBase } from "../http/web-request.ts";
import type { DatabaseApiSettings } from "../settings.ts";
import { ELASTICSEARCH } from "../sql/dialects.ts";
import { readStatement } from "../sql/read-statement.ts";
import {
  type ApiColumn,
  apiRows,
  BIGINT,
  BOOLEAN,
  DOUBLE,
  INTEGER,
  JSON_TREE,
  TIMESTAMPTZ,
  VARCHAR,
} from "./api-values.ts";
import { DatabaseApi, rowsWithin } from "./database-api.ts";

export type SearchEngine = "elasticsearch" | "opensearch";

const PRODUCT: Readonly<Record<SearchEngine, string>> = {
  elasticsearch: "Elasticsearch",
  opensearch: "OpenSearch",
};
const PAGE_ROWS = 1_000;
const SCROLL_KEPT = "2m";

/** Elasticsearch and OpenSearch: SQL, or a search in their own JSON. */
export function createSearchEngineConnector(
  engine: SearchEngine,
  { url, auth, headers }: DatabaseApiSettings,
  secrets: Secrets,
  { fetch }: Pick<ConnectorParts, "fetch">,
): Connector {
  const { headers: login } = credentialsOf(auth, secrets);
  // A bare token is an API key, which Elasticsearch wants to be called so.
  const isKey = auth.kind === "bearer" && engine === "elasticsearch" && !/\./.test(secrets.token ?? "");
  const credentials = isKey ? { authorization: `ApiKey ${secrets.token}` } : login;
  const api = new DatabaseApi({
    product: PRODUCT[engine],
    base: parseBase(url),
    credentials: async () => ({ ...headers, ...credentials }),
    errorOf,
    secrets,
    fetch,
  });
  const metadata = async <T>(path: string, signal: AbortSignal | undefined): Promise<T> => {
    const deadline = startDeadline(LIMITS.datasources.metadataMs, signal);
    try {
      return (await api.json({ path, method: "GET" }, deadline)).json as T;
    } finally {
      deadline.clear();
    }
  };
  const sql = SQL_OF[engine];

  return {
    async test(signal) {
      const { version } = await metadata<{ version?: { number?: string; distribution?: string } }>(
        "/",
        signal,
      );
      return {
        ok: true,
        serverVersion: `${version?.distribution ?? PRODUCT[engine]} ${version?.number ?? ""}`.trim(),
      };
    },
    async tables(signal) {
      const found = await metadata<{ index: string }[]>("/_cat/indices?format=json&h=index&s=index", signal);
      return found
        .filter(({ index }) => !index.startsWith("."))
        .slice(0, LIMITS.datasources.tables)
        .map(({ index }) => ({ name: index, kind: "table" }));
    },
    async columns({ name }, signal) {
      const path = `/${indexPath(name)}/_mapping`;
      const found = await metadata<Record<string, { mappings?: Mapping }>>(path, signal);
      return Object.values(found).flatMap(({ mappings = {} }) => fieldsOf(mappings));
    },
    run(query, options) {
      checkQueryLength(query);
      if (query.trim().startsWith("{")) {
        const search = searchOf(query, options);
        return rowsWithin(options, async (deadline) => searched(api, search, deadline));
      }
      const { text, values } = readStatement(query, options.parameters, ELASTICSEARCH, () => "?");
      return rowsWithin(options, async (deadline) => {
        const first = (await api.json({ path: sql.path, body: sql.body(text, values) }, deadline)).json;
        return pagesOf(api, sql, first as SqlAnswer, deadline);
      });
    },
  };
}

interface SqlAnswer {
  columns?: { name: string; type: string }[];
  rows?: unknown[][];
  schema?: { name: string; alias?: string; type: string }[];
  datarows?: unknown[][];
  cursor?: string;
}

interface SqlInterface {
  path: string;
  body(query: string, values: readonly Scalar[]): object;
}

const SQL_OF: Readonly<Record<SearchEngine, SqlInterface>> = {
  elasticsearch: {
    path: "/_sql",
    body: (query, params) => ({
      query,
      params,
      fetch_size: PAGE_ROWS,
      time_zone: "Z",
      field_multi_value_leniency: true,
    }),
  },
  opensearch: {
    path: "/_plugins/_sql",
    body: (query, values) => ({
      query,
      fetch_size: PAGE_ROWS,
      ...(values.length === 0 ? {} : { parameters: values.map((value) => ({ type: typeOf(value), value })) }),
    }),
  },
};

function typeOf(value: Scalar): string {
  if (typeof value === "number") return Number.isInteger(value) ? "long" : "double";
  return typeof value === "boolean" ? "boolean" : "string";
}

/** The rows of all pages of an SQL query; a cursor that is not read to its end is closed. */
function pagesOf(api: DatabaseApi, sql: SqlInterface, first: SqlAnswer, deadline: Deadline) {
  const fields =
    first.columns ?? (first.schema ?? []).map(({ name, alias, type }) => ({ name: alias ?? name, type }));
  const shape = apiRows(fields.map(({ name, type }) => ({ name, ...columnOf(type) })));
  async function* rows(): RowSource {
    let answer = first;
    try {
      for (;;) {
        for (const row of answer.rows ?? answer.datarows ?? []) yield shape.rowOf(row);
        const { cursor } = answer;
        if (cursor === undefined || cursor === "") return undefined;
        answer = (await api.json({ path: sql.path, body: { cursor } }, deadline)).json as SqlAnswer;
      }
    } finally {
      const { cursor } = answer;
      if (cursor) await api.tryToTell({ path: `${sql.path}/close`, body: { cursor } });
    }
  }
  return { rows: rows(), columns: (): readonly SourceColumn[] => shape.columns };
}

const searchQuery = z.looseObject({
  index: z.string().min(1).max(1_000),
  aggs: z.record(z.string(), z.unknown()).optional(),
  aggregations: z.record(z.string(), z.unknown()).optional(),
});

type SearchQuery = z.infer<typeof searchQuery>;

function searchOf(query: string, { parameters = {} }: RunOptions): SearchQuery {
  const filled = withValues(jsonOf(query), parameters);
  const { data } = searchQuery.safeParse(filled);
  if (data !== undefined) return data;
  throw new AppError("bad_request", "A search needs the index that it is made in.", {
    hint: 'Write it such as {"index": "orders", "query": {"term": {"status": "open"}}}, or as SQL: SELECT … FROM orders.',
  });
}

/** `":name"` as a whole value stands for a parameter, which keeps its type. */
function withValues(value: unknown, parameters: NonNullable<RunOptions["parameters"]>): unknown {
  if (typeof value === "string") {
    const name = /^:([A-Za-z_]\w*)$/.exec(value)?.[1];
    if (name === undefined) return value;
    if (!Object.hasOwn(parameters, name)) throw noValue(name, Object.keys(parameters));
    return parameters[name];
  }
  if (Array.isArray(value)) return value.map((item) => withValues(item, parameters));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withValues(item, parameters)]),
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("bad_request", `The search is no JSON: ${(error as Error).message.slice(0, 200)}.`);
  }
}

interface SearchAnswer {
  _scroll_id?: string;
  hits?: { hits?: { _id: string; _source?: Record<string, unknown>; fields?: Record<string, unknown> }[] };
  aggregations?: Record<string, unknown>;
}

/** Documents of all pages, or a row for each bucket where the search aggregates. */
async function searched(api: DatabaseApi, { index, ...body }: SearchQuery, deadline: Deadline) {
  const growing = new InferredColumns();
  const columns = (): readonly SourceColumn[] => growing.columns;
  const path = `/${indexPath(index)}/_search`;
  if (body.aggs !== undefined || body.aggregations !== undefined) {
    const { json } = await api.json({ path, body: { size: 0, ...body } }, deadline);
    const { aggregations = {} } = json as SearchAnswer;
    return { rows: rowsOf(bucketRows(aggregations).map((row) => growing.rowOf(row))), columns };
  }
  const limit = typeof body.size === "number" ? body.size : Number.POSITIVE_INFINITY;
  const isPaged = body.from === undefined && limit > PAGE_ROWS;
  const query: Record<string, string> = isPaged ? { scroll: SCROLL_KEPT } : {};
  const size = { size: Math.min(limit, PAGE_ROWS) };
  const first = (await api.json({ path, query, body: { ...body, ...size } }, deadline)).json as SearchAnswer;
  const pageOf = ({ hits }: SearchAnswer): unknown[][] =>
    (hits?.hits ?? []).map(({ _id, _source, fields }) => growing.rowOf({ _id, ...(_source ?? fields) }));
  // The first page says which columns there are.
  const firstRows = pageOf(first);

  async function* rows(): RowSource {
    let scroll = first._scroll_id;
    let page = firstRows;
    let sent = 0;
    try {
      for (;;) {
        for (const row of page) {
          if (sent >= limit) return undefined;
          sent += 1;
          yield row;
        }
        if (scroll === undefined || page.length === 0) return undefined;
        const body = { scroll: SCROLL_KEPT, scroll_id: scroll };
        const next = (await api.json({ path: "/_search/scroll", body }, deadline)).json as SearchAnswer;
        scroll = next._scroll_id ?? scroll;
        page = pageOf(next);
      }
    } finally {
      if (scroll !== undefined)
        await api.tryToTell({ path: "/_search/scroll", method: "DELETE", body: { scroll_id: scroll } });
    }
  }
  return { rows: rows(), columns };
}

async function* rowsOf(rows: readonly unknown[][]): RowSource {
  yield* rows;
  return undefined;
}

interface Bucket {
  key?: unknown;
  key_as_string?: string;
  doc_count?: number;
  [name: string]: unknown;
}

/** Buckets inside buckets become rows, with the keys of all levels in front. */
function bucketRows(
  aggregations: Record<string, unknown>,
  keys: Record<string, unknown> = {},
): Record<string, unknown>[] {
  const row: Record<string, unknown> = { ...keys };
  for (const [name, value] of Object.entries(aggregations)) {
    if (typeof value !== "object" || value === null) continue;
    const { buckets } = value as { buckets?: Bucket[] | Record<string, Bucket> };
    if (buckets === undefined) Object.assign(row, metricOf(name, value as Record<string, unknown>));
  }
  const nested = Object.entries(aggregations).flatMap(([name, value]) => {
    const { buckets } = (value ?? {}) as { buckets?: Bucket[] | Record<string, Bucket> };
    if (buckets === undefined) return [];
    const list = Array.isArray(buckets)
      ? buckets
      : Object.entries(buckets).map(([key, item]): Bucket => ({ key, ...item }));
    return list.flatMap(({ key, key_as_string, doc_count, ...inner }: Bucket) =>
      bucketRows(inner, { ...row, ...keyOf(name, key_as_string ?? key), doc_count }),
    );
  });
  return nested.length > 0 ? nested : [row];
}

/** A composite key has a value for each of its sources. */
function keyOf(name: string, key: unknown): Record<string, unknown> {
  return typeof key === "object" && key !== null ? (key as Record<string, unknown>) : { [name]: key };
}

function metricOf(name: string, metric: Record<string, unknown>): Record<string, unknown> {
  if ("value" in metric) return { [name]: metric.value_as_string ?? metric.value };
  if ("values" in metric) return { [name]: metric.values };
  return { [name]: metric };
}

interface Mapping {
  properties?: Record<string, Mapping & { type?: string }>;
}

function fieldsOf({ properties = {} }: Mapping, prefix = ""): SourceColumn[] {
  return Object.entries(properties)
    .flatMap(([name, field]) =>
      field.properties === undefined || field.type === "nested"
        ? [{ name: prefix + name, type: columnOf(field.type ?? "object").type }]
        : fieldsOf(field, `${prefix}${name}.`),
    )
    .slice(0, LIMITS.datasources.columns);
}

const COLUMNS: Readonly<Record<string, ApiColumn>> = {
  ...{
    byte: INTEGER,
    short: INTEGER,
    integer: INTEGER,
    long: BIGINT,
    unsigned_long: { ...VARCHAR, type: "UBIGINT" },
  },
  ...{ float: DOUBLE, half_float: DOUBLE, double: DOUBLE, scaled_float: DOUBLE, boolean: BOOLEAN },
  ...{ date: TIMESTAMPTZ, datetime: TIMESTAMPTZ, timestamp: TIMESTAMPTZ },
  ...{ object: JSON_TREE, nested: JSON_TREE, geo_point: JSON_TREE, geo_shape: JSON_TREE },
};

function columnOf(type: string): ApiColumn {
  return COLUMNS[type.toLowerCase()] ?? VARCHAR;
}

/** Commas and stars are theirs (several indices); everything that could lead elsewhere is escaped. */
function indexPath(index: string): string {
  if (index.startsWith("_") || index.split(",").some((name) => name === "." || name === ".."))
    throw new AppError("bad_request", "This is not the name of an index.");
  return encodeURIComponent(index);
}

function errorOf(json: unknown): string | undefined {
  const { error } = (json ?? {}) as { error?: unknown };
  if (typeof error === "string") return error;
  const {
    reason,
    details,
    root_cause: causes,
  } = (error ?? {}) as {
    reason?: string;
    details?: string;
    root_cause?: { reason?: string }[];
  };
  return details ?? causes?.[0]?.reason ?? reason;
}
