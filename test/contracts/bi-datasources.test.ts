import type { IncomingMessage } from "node:http";
import { json } from "node:stream/consumers";
import { type Document, Long } from "mongodb";
import { describe, expect, it } from "vitest";
import { resultOf } from "../support/datasets.ts";
import { ALLOW_LOOPBACK } from "../support/datasources.ts";
import { serveMongo } from "../support/mongo-server.ts";
import { serverOfFile } from "../support/server.ts";
import { serve } from "../support/web-servers.ts";

const BI = "/api/2.0/mcp";

const server = await serverOfFile(ALLOW_LOOPBACK);
const token = await server.token({ role: "contributor" });

const bi = <T>(name: string, args: Record<string, unknown>) => resultOf<T>(server, token, name, args, BI);

interface Made {
  datasource_id: number;
  type: string;
  connection: { ok: boolean; message: string };
}

/** Makes a datasource and a query on it as the contract writes them, and reads the dataset that comes of it. */
async function rowsOf(datasource: Record<string, unknown>, queryString: string) {
  const name = `${datasource.datasourceType} ${Math.random()}`;
  const made = await bi<Made>("knowi_create_datasource", { name, ...datasource });
  const query = await bi<{ dataset_id: number; run: { status: string; error: string | null } }>(
    "knowi_create_query",
    { name: `rows of ${name}`, datasourceId: made.datasource_id, queryString },
  );
  expect(query.run).toMatchObject({ status: "succeeded", error: null });
  const { rows } = await bi<{ rows: unknown[] }>("knowi_get_data", { datasetId: query.dataset_id });
  return { made, rows };
}

/** A web server that notes how it was asked, and answers by the path. */
async function serveApi(answers: Record<string, unknown>) {
  const asked: { path: string; headers: IncomingMessage["headers"]; body: unknown }[] = [];
  const port = await serve(async (request, response) => {
    const { pathname: path } = new URL(request.url ?? "", "http://x");
    const body = request.method === "POST" ? await json(request).catch(() => undefined) : undefined;
    asked.push({ path, headers: request.headers, body });
    const found = Object.entries(answers).find(([part]) => path.endsWith(part))?.[1];
    response.statusCode = found === undefined ? 404 : 200;
    response.setHeader("content-type", "application/json").end(JSON.stringify(found ?? {}));
  });
  return { host: `http://127.0.0.1:${port}`, asked };
}

describe("[bi.create-datasource.types] the kinds that the contract names", () => {
  it("mongo", async () => {
    const orders = [{ _id: 1, amount: 2.5, at: new Date("2026-01-31T09:00:00Z"), who: { land: "DE" } }];
    const { port, commands } = await serveMongo((command: Document) => {
      if (command.buildInfo) return { version: "8.2.0", ok: 1 };
      return { cursor: { id: Long.ZERO, ns: "shop.orders", firstBatch: orders }, ok: 1 };
    });
    const datasource = { datasourceType: "mongo", host: "127.0.0.1", port, dbName: "shop" };
    const { made, rows } = await rowsOf(datasource, "db.orders.find({amount: {$gt: 1}})");
    expect(made).toMatchObject({ type: "mongodb", connection: { ok: true } });
    expect(rows).toEqual([expect.objectContaining({ _id: 1, amount: 2.5 })]);
    expect(commands.find((command) => command.find)).toMatchObject({ filter: { amount: { $gt: 1 } } });
  });

  it("elasticsearch", async () => {
    const columns = [
      { name: "land", type: "keyword" },
      { name: "n", type: "long" },
    ];
    const { host, asked } = await serveApi({
      "/_sql": {
        columns,
        rows: [
          ["DE", 3],
          ["FR", 1],
        ],
      },
      "/": { version: { number: "9.1.0" } },
    });
    const datasource = { datasourceType: "elasticsearch", host, dbUser: "ann", dbPassword: "s3cret-word" };
    const { made, rows } = await rowsOf(datasource, "SELECT land, COUNT(*) AS n FROM orders GROUP BY land");
    expect(made).toMatchObject({ type: "elasticsearch", connection: { ok: true } });
    expect(rows).toEqual([
      { land: "DE", n: 3 },
      { land: "FR", n: 1 },
    ]);
    const login = `Basic ${Buffer.from("ann:s3cret-word").toString("base64")}`;
    expect(asked.every(({ headers }) => headers.authorization === login)).toBe(true);
  });

  it("snowflake", async () => {
    const rowType = [{ name: "N", type: "fixed", precision: 38, scale: 0 }];
    const { host, asked } = await serveApi({
      "/api/v2/statements": { statementHandle: "1", resultSetMetaData: { rowType }, data: [["7"]] },
    });
    const datasource = {
      datasourceType: "snowflake",
      host,
      dbName: "SHOP",
      dbUser: "ann",
      dbPassword: "a-token",
    };
    const { made, rows } = await rowsOf(datasource, "SELECT COUNT(*) AS n FROM orders");
    expect(made).toMatchObject({ type: "snowflake", connection: { ok: true } });
    expect(rows).toEqual([{ N: 7 }]);
    expect(asked.at(-1)).toMatchObject({
      headers: { authorization: "Bearer a-token" },
      body: { statement: "SELECT COUNT(*) AS n FROM orders", database: "SHOP" },
    });
  });

  it("bigquery", async () => {
    const { host, asked } = await serveApi({
      "/projects/shop/queries": {
        ...{
          jobComplete: true,
          jobReference: { jobId: "j" },
          schema: { fields: [{ name: "n", type: "INTEGER" }] },
        },
        rows: [{ f: [{ v: "7" }] }],
      },
    });
    const datasource = { datasourceType: "bigquery", host, dbName: "shop.web", dbPassword: "ya29.token" };
    const { made, rows } = await rowsOf(datasource, "SELECT COUNT(*) AS n FROM orders");
    expect(made).toMatchObject({ type: "bigquery", connection: { ok: true } });
    expect(rows).toEqual([{ n: 7 }]);
    expect(asked.at(-1)).toMatchObject({
      headers: { authorization: "Bearer ya29.token" },
      body: { defaultDataset: { datasetId: "web", projectId: "shop" } },
    });
  });
});
