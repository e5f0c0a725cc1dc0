import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import {
  castByDuckdb,
  failure,
  named,
  openOptions,
  readRows,
} from "../../../../../test/support/connectors.ts";
import { serve } from "../../../../../test/support/web-servers.ts";
import { type Connector, checkSettings, connectorType, openConnector, type Secrets } from "../index.ts";

interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: IncomingMessage["headers"];
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a client sent, looked into by the test that knows it.
  json: any;
}

type Answer = (asked: Asked, response: ServerResponse) => unknown;

/** A server that speaks what the vendor documents, and notes all that it is asked. */
async function standIn(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const port = await serve(async (request, response) => {
    const url = new URL(request.url!, "http://x");
    const body = await text(request);
    const call: Asked = {
      method: request.method!,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body,
      json: body.startsWith("{") ? JSON.parse(body) : undefined,
    };
    asked.push(call);
    const value = await answer(call, response);
    if (response.writableEnded) return;
    if (!response.headersSent) response.setHeader("content-type", "application/json");
    response.end(typeof value === "string" ? value : JSON.stringify(value));
  });
  return { url: `http://127.0.0.1:${port}`, asked };
}

const LOGIN = { kind: "basic", user: "ann" } as const;
const PASSWORD = { password: "s3cret-word" };

async function open(
  type: string,
  answer: Answer,
  settings: Record<string, unknown> = {},
  secrets: Secrets = PASSWORD,
): Promise<Connector & { asked: Asked[] }> {
  const { url, asked } = await standIn(answer);
  const path = String(settings.path ?? "");
  const { path: _path, ...rest } = settings;
  const connector = await openConnector(
    type,
    { url: url + path, auth: LOGIN, ...rest },
    secrets,
    openOptions,
  );
  return { ...connector, asked };
}

/** The basic credentials that `LOGIN` and `PASSWORD` make. */
const BASIC = `Basic ${Buffer.from("ann:s3cret-word").toString("base64")}`;

describe("ClickHouse", () => {
  const lines = (...values: unknown[][]): string =>
    values.map((line) => `${JSON.stringify(line)}\n`).join("");

  it("reads rows of all types, so that DuckDB takes them", async () => {
    const names = [
      "i",
      "u64",
      "i128",
      "d",
      "f",
      "n",
      "day",
      "at",
      "ms",
      "flag",
      "words",
      "tags",
      "kind",
      "id",
    ];
    const types = [
      ...["Int32", "UInt64", "Int128", "Decimal(18, 4)", "Float64", "Nullable(Float32)", "Date"],
      ...["DateTime('Europe/Berlin')", "DateTime64(3, 'UTC')", "Bool", "LowCardinality(Nullable(String))"],
      ...["Array(String)", "Enum8('a' = 1)", "UUID"],
    ];
    const row = [
      ...[-5, "18446744073709551615", "170141183460469231731687303715884105727", "12.3400", "nan", null],
      ...["2026-01-31", "2026-01-31T09:00:00Z", "2026-01-31T09:00:00.123Z", true, "ä'b", ["x", "y"], "a"],
      "6f2a3c1e-0000-4000-8000-000000000001",
    ];
    const connector = await open("clickhouse", () => lines(names, types, row), { database: "shop" });
    const result = await readRows(connector, "SELECT * FROM t WHERE a = :a", { parameters: { a: "x'; --" } });
    expect(await castByDuckdb(result)).toEqual([
      {
        ...{ i: "-5", u64: "18446744073709551615", i128: "170141183460469231731687303715884105727" },
        ...{ d: "12.3400", f: "nan", n: null, day: "2026-01-31", at: "2026-01-31 09:00:00+00" },
        ...{ ms: "2026-01-31 09:00:00.123+00", flag: "true", words: "ä'b", tags: '["x","y"]', kind: "a" },
        id: "6f2a3c1e-0000-4000-8000-000000000001",
      },
    ]);
    expect(connector.asked[0]).toMatchObject({
      method: "POST",
      body: `SELECT * FROM t WHERE a = unhex('${Buffer.from("x'; --").toString("hex")}')`,
      query: { database: "shop", readonly: "1", cancel_http_readonly_queries_on_client_close: "1" },
      headers: { authorization: BASIC },
    });
  });

  it("tells an error that comes amid the rows, and none of the secret", async () => {
    const broken = `${lines(["a"], ["Int32"], [1])}Code: 241. DB::Exception: memory limit, s3cret-word (MEMORY)`;
    const connector = await open("clickhouse", () => broken);
    const error = await failure(readRows(connector, "SELECT 1"));
    expect(error).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("memory limit, ***"),
    });
  });

  it("passes on what is wrong, and what to look at", async () => {
    const refusal = (status: number, body: string) =>
      open("clickhouse", (_asked, response) => {
        response.statusCode = status;
        return body;
      });
    expect(
      await failure(readRows(await refusal(404, "Code: 60. Unknown table t"), "SELECT 1")),
    ).toMatchObject({
      message: expect.stringContaining("Unknown table t"),
    });
    expect(await failure((await refusal(403, "Code: 516. Authentication failed")).test())).toMatchObject({
      hint: expect.stringContaining("user and secret"),
    });
    expect(await failure(readRows(await refusal(503, "busy"), "SELECT 1"))).toMatchObject({
      code: "unavailable",
    });
  });

  it("takes a user who may only read anyway, and asks nothing a second time that was refused itself", async () => {
    const refusing = (message: string, status = 500) =>
      open("clickhouse", ({ query }, response) => {
        if (query.readonly === undefined) return lines(["n"], ["Int32"], [1]);
        response.statusCode = status;
        return `Code: ${message}`;
      });
    const own = "164. DB::Exception: Cannot modify 'readonly' setting in readonly mode. (READONLY)";
    for (const status of [500, 403])
      expect((await readRows(await refusing(own, status), "SELECT 1 AS n")).rows).toEqual([[1]]);
    for (const message of [
      "164. DB::Exception: Cannot execute query in readonly mode. (READONLY)",
      "395. DB::Exception: Cannot modify 'readonly' setting in readonly mode: while executing throwIf",
    ]) {
      const writer = await refusing(message);
      expect(await failure(readRows(writer, "SELECT 1"))).toMatchObject({ code: "bad_request" });
      expect(writer.asked).toHaveLength(1);
    }
  });

  it("stops reading at the limit, and closes the answer", async () => {
    let isClosed = false;
    const connector = await open("clickhouse", (_asked, response) => {
      response.write(lines(["n"], ["Int32"]));
      const timer = setInterval(() => response.write(lines([1], [2], [3])), 1);
      response.on("close", () => {
        isClosed = true;
        clearInterval(timer);
      });
      return new Promise(() => undefined);
    });
    const result = await readRows(connector, "SELECT 1", { maxRows: 5 });
    expect(result).toMatchObject({ truncated: "rows" });
    await expect.poll(() => isClosed).toBe(true);
  });

  it("lists tables and columns", async () => {
    const connector = await open("clickhouse", ({ body }) =>
      /system\.tables/.test(body)
        ? lines(
            ["d", "n", "k"],
            ["String", "String", "String"],
            ["shop", "orders", "table"],
            ["shop", "v", "view"],
          )
        : lines(["a"], ["Int32"]),
    );
    expect(await connector.tables()).toEqual([
      { schema: "shop", name: "orders", kind: "table" },
      { schema: "shop", name: "v", kind: "view" },
    ]);
    expect(await connector.columns({ schema: "shop", name: "a`b" })).toEqual([
      { name: "a", type: "INTEGER" },
    ]);
    expect(connector.asked.at(-1)?.body).toBe("SELECT * FROM `shop`.`a``b` LIMIT 0");
  });
});

describe("Trino", () => {
  const COLUMNS = [
    { name: "n", type: "bigint" },
    { name: "d", type: "decimal(12,2)" },
    { name: "at", type: "timestamp(3) with time zone" },
    { name: "tags", type: "array(varchar)" },
    { name: "t", type: "varchar(10)" },
  ];

  /** A query that is queued first, and answers with a row a page. */
  const paged =
    (pages: number): Answer =>
    ({ method, path }) => {
      if (method === "DELETE") return "";
      const page = path === "/v1/statement" ? 0 : Number(path.split("/").at(-1));
      const nextUri =
        page < pages ? `http://elsewhere.invalid/v1/statement/executing/q/${page + 1}` : undefined;
      const row = [9_007_199_254_740_000 + page, "1.50", "2026-01-31 10:00:00.123 Europe/Berlin", ["a"], "x"];
      const data =
        page === 0 ? {} : { columns: COLUMNS, data: [row.with(2, "2026-01-31 10:00:00.123 +01:00")] };
      return { id: "q", nextUri, ...data };
    };

  it("follows the pages on its own server", async () => {
    const connector = await open("trino", paged(3), { database: "hive.web" });
    const result = await readRows(connector, "SELECT * FROM t WHERE day = DATE :day AND x = :x;", {
      parameters: { day: "2026-01-01", x: "it's" },
    });
    expect(result.rows).toHaveLength(3);
    expect((await castByDuckdb(result))[0]).toEqual({
      ...{ n: "9007199254740001", d: "1.50", at: "2026-01-31 09:00:00.123+00", tags: '["a"]', t: "x" },
    });
    expect(connector.asked[0]).toMatchObject({
      body: "SELECT * FROM t WHERE day = DATE '2026-01-01' AND x = 'it''s'",
      headers: {
        "x-trino-user": "ann",
        "x-trino-catalog": "hive",
        "x-trino-schema": "web",
        authorization: BASIC,
      },
    });
  });

  it("ends the query on the server when its reader stops", async () => {
    const connector = await open("trino", paged(50));
    expect(await readRows(connector, "SELECT 1", { maxRows: 2 })).toMatchObject({ truncated: "rows" });
    expect(connector.asked.at(-1)).toMatchObject({ method: "DELETE" });
  });

  it("tells what the server says, and goes nowhere else", async () => {
    const failing = await open("trino", () => ({
      id: "q",
      error: { message: "line 1:8: Column 'x' cannot be resolved" },
    }));
    expect(await failure(readRows(failing, "SELECT x"))).toMatchObject({
      message: expect.stringContaining("Column 'x'"),
    });
    const leading = await open("trino", () => ({ id: "q", nextUri: "http://127.0.0.1/v1/query/kill" }));
    expect(await failure(readRows(leading, "SELECT 1"))).toMatchObject({ code: "unavailable" });
    const table = "SELECT * FROM TABLE(pg.system.query(query => 'DELETE FROM t'))";
    for (const query of [
      "EXPLAIN ANALYZE DELETE FROM t",
      table,
      table.replace("pg.system", '"pg"."system"'),
      "CALL x()",
    ])
      expect(await failure(readRows(leading, query).catch((error) => Promise.reject(error)))).toMatchObject({
        code: "bad_request",
      });
  });
});

describe("Snowflake", () => {
  const rowType = [
    { name: "N", type: "fixed", precision: 38, scale: 2 },
    { name: "DAY", type: "date" },
    { name: "AT", type: "timestamp_tz" },
    { name: "OLD", type: "timestamp_ntz" },
    { name: "T", type: "time" },
    { name: "V", type: "variant" },
    { name: "B", type: "binary" },
    { name: "OK", type: "boolean" },
  ];
  const row = [
    "12345678901234567890.12",
    "20484",
    "1769850000.123456789 1500",
    "-1.5",
    "3661.000000000",
    '{"a":1}',
    "00ff",
    "true",
  ];
  const metadata = { rowType, partitionInfo: [{}, {}] };

  it("waits for the statement, reads all partitions and binds values", async () => {
    let polls = 0;
    const connector = await open(
      "snowflake",
      ({ method, query }, response) => {
        if (query.partition === "1") return { data: [row] };
        if (method === "POST" || polls++ === 0) {
          response.statusCode = 202;
          return { statementHandle: "01b1", message: "in progress" };
        }
        return { statementHandle: "01b1", resultSetMetaData: metadata, data: [row] };
      },
      { database: "SHOP", schema: "PUBLIC", warehouse: "WH", role: "READER" },
    );
    const result = await readRows(connector, "SELECT * FROM t WHERE a = :a AND n > :n", {
      parameters: { a: "x'y", n: 5 },
    });
    expect(result.rows).toHaveLength(2);
    expect((await castByDuckdb(result))[1]).toEqual({
      ...{ N: "12345678901234567890.12", DAY: "2026-01-31", AT: "2026-01-31 09:00:00.123456+00" },
      ...{ OLD: "1969-12-31 23:59:58.5", T: "01:01:01", V: '{"a":1}', B: "\\x00\\xFF", OK: "true" },
    });
    expect(connector.asked[0]).toMatchObject({
      json: {
        ...{ statement: "SELECT * FROM t WHERE a = ? AND n > ?", database: "SHOP", schema: "PUBLIC" },
        ...{ warehouse: "WH", role: "READER", parameters: { timezone: "UTC" } },
        bindings: { "1": { type: "TEXT", value: "x'y" }, "2": { type: "FIXED", value: "5" } },
      },
      headers: { "x-snowflake-authorization-token-type": "PROGRAMMATIC_ACCESS_TOKEN" },
    });
  });

  it("signs with a private key, as the account and user that it belongs to", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const pem = String(privateKey.export({ type: "pkcs8", format: "pem" }));
    const answer = { statementHandle: "1", resultSetMetaData: { rowType: [rowType[0]] }, data: [["1"]] };
    const connector = await open("snowflake", () => answer, {}, { password: pem });
    await readRows(connector, "SELECT 1");
    const { authorization = "", ...headers } = connector.asked[0]!.headers;
    expect(headers["x-snowflake-authorization-token-type"]).toBe("KEYPAIR_JWT");
    const { payload } = await jwtVerify(authorization.replace("Bearer ", ""), publicKey as KeyObject);
    expect(payload).toMatchObject({ sub: "127.ANN", iss: expect.stringMatching(/^127\.ANN\.SHA256:.{40,}/) });
  });

  it("cancels on the server what takes too long", async () => {
    const connector = await open("snowflake", (_asked, response) => {
      response.statusCode = 202;
      return { statementHandle: "01b1" };
    });
    const error = await failure(readRows(connector, "SELECT 1", { timeoutMs: 600 }));
    expect(error).toMatchObject({ code: "timeout" });
    expect(connector.asked.at(-1)).toMatchObject({ path: "/api/v2/statements/01b1/cancel", method: "POST" });
  });

  it("tells what is missing and what the server says", async () => {
    const refusing = await open("snowflake", (_asked, response) => {
      response.statusCode = 422;
      return { code: "002003", message: "SQL compilation error: Object 'T' does not exist" };
    });
    expect(await failure(readRows(refusing, "SELECT * FROM t"))).toMatchObject({
      message: expect.stringContaining("Object 'T' does not exist"),
    });
    const secretless = await open("snowflake", () => ({}), { auth: { kind: "none" } }, {});
    expect(await failure(readRows(secretless, "SELECT 1"))).toMatchObject({
      hint: expect.stringContaining("private key"),
    });
  });
});

describe("BigQuery", () => {
  const fields = [
    { name: "n", type: "INTEGER" },
    { name: "d", type: "NUMERIC" },
    { name: "at", type: "TIMESTAMP" },
    { name: "tags", type: "STRING", mode: "REPEATED" },
    { name: "who", type: "RECORD", fields: [{ name: "id", type: "INTEGER" }] },
  ];
  const cells = ["9007199254740993", "1.5", "1769850000123456", [{ v: "a" }], { f: [{ v: "7" }] }];
  const rows = [{ f: cells.map((v) => ({ v })) }];
  const job = { jobReference: { jobId: "j/1", location: "EU" } };

  it("waits for the job, follows its pages and binds values", async () => {
    const connector = await open(
      "bigquery",
      ({ method, query }) => {
        if (method === "POST") return { ...job, jobComplete: false };
        if (query.pageToken === undefined)
          return { ...job, jobComplete: true, schema: { fields }, rows, pageToken: "p2" };
        return { ...job, jobComplete: true, schema: { fields }, rows };
      },
      { path: "/bigquery/v2/projects/shop", database: "shop", dataset: "web", auth: { kind: "none" } },
      { token: "ya29.token" },
    );
    const result = await readRows(connector, "SELECT * FROM t WHERE a = :a", { parameters: { a: true } });
    expect(result.rows).toHaveLength(2);
    expect((await castByDuckdb(result))[1]).toEqual({
      ...{ n: "9007199254740993", d: "1.500000000", at: "2026-01-31 09:00:00.123456+00" },
      ...{ tags: '["a"]', who: '{"id":"7"}' },
    });
    expect(connector.asked[0]).toMatchObject({
      path: "/bigquery/v2/projects/shop/queries",
      headers: { authorization: "Bearer ya29.token" },
      json: {
        ...{ query: "SELECT * FROM t WHERE a = ?", useLegacySql: false },
        ...{ parameterMode: "POSITIONAL", defaultDataset: { datasetId: "web", projectId: "shop" } },
        queryParameters: [{ parameterType: { type: "BOOL" }, parameterValue: { value: "true" } }],
      },
    });
    expect(connector.asked[1]).toMatchObject({
      path: "/bigquery/v2/projects/shop/queries/j%2F1",
      query: { location: "EU" },
    });
  });

  it("gets its token with the key of a service account, once", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const account = await standIn(async ({ body }) => {
      const assertion = new URLSearchParams(body).get("assertion") ?? "";
      const { payload } = await jwtVerify(assertion, publicKey as KeyObject);
      return { access_token: `for ${payload.iss}`, expires_in: 3_600 };
    });
    const key = {
      client_email: "reader@shop",
      private_key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
      token_uri: `${account.url}/token`,
    };
    const answer = {
      ...job,
      jobComplete: true,
      schema: { fields: [fields[0]] },
      rows: [{ f: [{ v: "1" }] }],
    };
    const connector = await open(
      "bigquery",
      () => answer,
      { auth: { kind: "none" } },
      { password: JSON.stringify(key) },
    );
    for (let round = 0; round < 2; round += 1) await readRows(connector, "SELECT 1");
    expect(connector.asked.map(({ headers }) => headers.authorization)).toEqual(
      Array(2).fill("Bearer for reader@shop"),
    );
    expect(account.asked).toHaveLength(1);
  });

  it("makes its address of project and dataset", () => {
    const { fromPlain } = connectorType("bq");
    expect(checkSettings(connectorType("bq"), fromPlain({ dbName: "my-shop.web" }))).toMatchObject({
      url: "https://bigquery.googleapis.com/bigquery/v2/projects/my-shop",
      database: "my-shop",
      dataset: "web",
    });
  });
});

describe.each(["elasticsearch", "opensearch"])("%s", (type) => {
  const isElastic = type === "elasticsearch";

  it("runs SQL with values, page by page, and closes what it does not read", async () => {
    const connector = await open(type, ({ path, json }) => {
      if (path.endsWith("/close")) return { succeeded: true };
      const columns = [
        { name: "n", type: "long" },
        { name: "at", type: isElastic ? "datetime" : "timestamp" },
      ];
      const rows = [[1, isElastic ? "2026-01-31T09:00:00.000Z" : "2026-01-31 09:00:00"]];
      const first = json.cursor === undefined ? (isElastic ? { columns } : { schema: columns }) : {};
      return { ...first, ...(isElastic ? { rows } : { datarows: rows }), cursor: "next" };
    });
    const result = await readRows(connector, "SELECT n, at FROM orders WHERE s = :s", {
      parameters: { s: "x" },
      maxRows: 3,
    });
    expect(result).toMatchObject({ truncated: "rows" });
    expect((await castByDuckdb(result))[2]).toEqual({ n: "1", at: "2026-01-31 09:00:00+00" });
    expect(connector.asked[0]).toMatchObject({
      path: isElastic ? "/_sql" : "/_plugins/_sql",
      json: { query: "SELECT n, at FROM orders WHERE s = ?" },
    });
    expect(connector.asked.at(-1)?.path).toMatch(/\/close$/);
  });

  it("makes rows of documents, by scrolling", async () => {
    let pages = 0;
    const connector = await open(type, ({ method }) => {
      if (method === "DELETE") return {};
      pages += 1;
      const hits =
        pages > 2
          ? []
          : [{ _id: `d${pages}`, _source: { n: pages, tags: ["a"], ...(pages === 2 && { late: true }) } }];
      return { _scroll_id: "s", hits: { hits } };
    });
    const query = '{"index": "orders-*", "query": {"term": {"status": ":status"}}}';
    const result = await readRows(connector, query, { parameters: { status: "open" } });
    expect(named(result)).toEqual([
      { _id: "d1", n: 1, tags: ["a"], late: null },
      { _id: "d2", n: 2, tags: ["a"], late: true },
    ]);
    expect(connector.asked[0]).toMatchObject({
      path: "/orders-*/_search",
      query: { scroll: "2m" },
      json: { query: { term: { status: "open" } } },
    });
    expect(connector.asked.at(-1)).toMatchObject({ method: "DELETE", json: { scroll_id: "s" } });
  });

  it("makes a row of each bucket, with the keys of all levels", async () => {
    const inner = (amount: number) => ({
      by_day: { buckets: [{ key: 1, key_as_string: "2026-01-01", doc_count: 2, sum: { value: amount } }] },
    });
    const aggregations = {
      by_land: {
        buckets: [
          { key: "DE", doc_count: 2, ...inner(5) },
          { key: "FR", doc_count: 2, ...inner(7) },
        ],
      },
    };
    const connector = await open(type, () => ({ hits: { hits: [] }, aggregations }));
    const result = await readRows(
      connector,
      '{"index": "orders", "aggs": {"by_land": {"terms": {"field": "land"}}}}',
    );
    expect(named(result)).toEqual([
      { by_land: "DE", by_day: "2026-01-01", doc_count: 2, sum: 5 },
      { by_land: "FR", by_day: "2026-01-01", doc_count: 2, sum: 7 },
    ]);
  });

  it("lists indices and their fields", async () => {
    const connector = await open(type, ({ path }) => {
      if (path === "/")
        return { version: { number: "9.1.0", ...(isElastic ? {} : { distribution: "opensearch" }) } };
      if (path === "/_cat/indices") return [{ index: ".kibana" }, { index: "orders" }];
      const properties = { n: { type: "long" }, who: { properties: { name: { type: "keyword" } } } };
      return { orders: { mappings: { properties } } };
    });
    expect((await connector.test()).serverVersion).toMatch(/search 9\.1\.0$/i);
    expect(await connector.tables()).toEqual([{ name: "orders", kind: "table" }]);
    expect(await connector.columns({ name: "orders" })).toEqual([
      { name: "n", type: "BIGINT" },
      { name: "who.name", type: "VARCHAR" },
    ]);
    expect(connector.asked[0]!.headers.authorization).toBe(BASIC);
  });

  it("refuses what is no search, and what leads elsewhere", async () => {
    const connector = await open(type, (_asked, response) => {
      response.statusCode = 400;
      return { error: { root_cause: [{ reason: "no such field [x]" }], reason: "all shards failed" } };
    });
    expect(await failure(readRows(connector, '{"index": "orders"}'))).toMatchObject({
      message: expect.stringContaining("no such field [x]"),
    });
    for (const query of ['{"query": {}}', "{", '{"index": "_all"}', '{"index": ".."}', "DELETE FROM x"])
      expect(await failure((async () => readRows(connector, query))())).toMatchObject({
        code: "bad_request",
      });
    await failure(readRows(connector, '{"index": "a/../../_cluster?x"}'));
    expect(connector.asked.at(-1)!.path).toBe("/a%2F..%2F..%2F_cluster%3Fx/_search");
  });
});

describe("addresses", () => {
  it.each([
    ["clickhouse", { host: "ch.example.com" }, "https://ch.example.com:8443"],
    ["clickhouse", { host: "ch.example.com", port: 8_123 }, "http://ch.example.com:8123"],
    ["elastic", { host: "https://es.example.com/prefix", port: 9_243 }, "https://es.example.com:9243/prefix"],
    ["trino", { host: "trino.example.com" }, "https://trino.example.com"],
    ["snowflake", { host: "org-acc" }, "https://org-acc.snowflakecomputing.com"],
  ])("%s %j", (type, plain, url) => {
    const found = connectorType(type);
    expect(checkSettings(found, found.fromPlain(plain))).toMatchObject({ url });
  });
});
