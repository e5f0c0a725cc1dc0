import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resultOf } from "../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK, makeQuery } from "../../../test/support/datasources.ts";
import { startTestServer, type TestServer } from "../../../test/support/server.ts";

const SECRET = "hunter2-Zq9";
let server: TestServer;
let token: string;
let viewer: string;
let web: Server;
let base: string;
let seen: { url: string; headers: Record<string, unknown> }[] = [];

beforeAll(async () => {
  web = createServer((request, response) => {
    seen.push({ url: request.url ?? "", headers: request.headers });
    const rows = request.url?.startsWith("/empty") ? [] : [{ a: 1 }];
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(rows));
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  server = await startTestServer(ALLOW_LOOPBACK);
  token = await server.token({ role: "contributor" });
  viewer = await server.token({ role: "viewer" });
});
afterAll(async () => {
  await server.stop();
  web.close();
});

interface Made {
  datasource_id: number;
  connection: { ok: boolean } | null;
}

const create = (args: Record<string, unknown>) =>
  resultOf<Made>(server, token, "create_datasource", { type: "restapi", ...args });
const detailsOf = async (asset_type: string, asset_id: number, who = viewer) =>
  (await resultOf<{ details: Record<string, unknown> }>(server, who, "get_details", { asset_type, asset_id }))
    .details;

/** All that is written down: the tables, the audit log and what members are shown. */
async function allWritten(): Promise<string> {
  await server.app.identity.audit.flush();
  const client = new pg.Client(server.databaseUrl);
  await client.connect();
  const { rows } = await client.query(
    "SELECT d::text FROM datasources d UNION ALL SELECT a::text FROM audit_events a",
  );
  await client.end();
  const shown = await Promise.all(
    [viewer, token].map((who) => resultOf(server, who, "list_datasources", {})),
  );
  return JSON.stringify([rows, shown]);
}

describe("secrets of a web datasource", () => {
  it.each([
    ["key", "X-Auth-Key"],
    ["sig", "Ocp-Apim-Subscription-Key"],
    ["appid", "X-Tenant"],
    ["X-Amz-Signature", "Cookie"],
    ["anything", "Authorization"],
  ])("seals %s in the URL and the header %s, and sends them all the same", async (parameter, header) => {
    seen = [];
    const { datasource_id, connection } = await create({
      name: `Web ${parameter}`,
      host: `${base}/orders?${parameter}=${SECRET}&page=${SECRET}`,
      settings: { headers: { [header]: SECRET } },
    });
    expect(connection).toMatchObject({ ok: true });
    const query = { name: `Of ${parameter}`, datasource_id, query: "/open?status=x" };
    expect((await makeQuery(server, token, query)).run).toMatchObject({ status: "succeeded", rows: 1 });
    expect(seen.map(({ url }) => url)).toEqual([
      `/orders?${parameter}=${SECRET}&page=${SECRET}`,
      `/orders/open?${parameter}=${SECRET}&page=${SECRET}&status=x`,
    ]);
    expect(seen.every(({ headers }) => headers[header.toLowerCase()] === SECRET)).toBe(true);
    expect(await detailsOf("datasource", datasource_id)).toMatchObject({ settings: {}, has_secrets: true });
    expect(await detailsOf("datasource", datasource_id, token)).toMatchObject({
      settings: { url: `${base}/orders`, parameters: [parameter, "page"], headers: [header] },
      has_secrets: true,
    });
    expect(await allWritten()).not.toContain(SECRET);
  });

  it("keeps text and parameters of a query from readers, and what looks secret from the audit log", async () => {
    const { datasource_id } = await create({ name: "Plain", host: base });
    const text = `/orders?api_key=${SECRET}&sig=${SECRET}&who={who}`;
    const parameters = { who: "me" };
    const { query_id } = await makeQuery(server, token, {
      name: "Keyed",
      datasource_id,
      query: text,
      parameters,
    });
    const shown = await detailsOf("query", query_id);
    expect(shown).toMatchObject({ name: "Keyed", runs: [{ status: "succeeded", rows: 1 }] });
    for (const field of ["query", "c9ql", "parameters"]) expect(shown).not.toHaveProperty(field);
    expect(await detailsOf("query", query_id, token)).toMatchObject({ query: text, parameters });
    expect(await allWritten()).not.toContain(SECRET);
  });

  it("are replaced as a whole, and only by those of the same type", async () => {
    const args = { name: "Turning", host: `${base}/a?key=old-secret`, token: "old-token" };
    const { datasource_id } = await create({ ...args, connection_test: "skip" });
    await expect(create(args)).rejects.toThrow(/already a datasource called Turning.*replace/s);
    await expect(create({ ...args, type: "csv", replace: true })).rejects.toThrow(/is a restapi datasource/);
    seen = [];
    const changed = await create({ name: "turning", host: `${base}/b`, token: "new-token", replace: true });
    expect(changed).toMatchObject({ datasource_id, connection: { ok: true } });
    await makeQuery(server, token, { name: "Turned", datasource_id, query: "" });
    expect(seen.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ["/b", "Bearer new-token"],
      ["/b", "Bearer new-token"],
    ]);
    const stranger = resultOf(server, viewer, "create_datasource", {
      ...args,
      type: "restapi",
      replace: true,
    });
    await expect(stranger).rejects.toThrow(/bi:write/);
    expect(await create({ name: "New", host: base, replace: true })).not.toMatchObject({ datasource_id });
  });

  it("are tried once when the connection has to work", async () => {
    seen = [];
    const made = await create({ name: "Once", host: base, connection_test: "require" });
    expect(made.connection).toEqual({ ok: true, message: "The connection works." });
    expect(seen).toHaveLength(1);
  });

  it.each([
    ["a login that cannot be read", { host: "https://me:100%@example.com/" }, /login in the URL/],
    ["a login and a token", { host: "https://me:x@example.com/", token: "t" }, /another secret/],
    ["what is no URL", { host: `example.com/a?key=${SECRET}` }, /Write it in full/],
    ["another protocol", { host: "ftp://example.com/a" }, /Write it in full/],
  ])("are not taken from %s", async (_what, args, message) => {
    await expect(create({ name: "Bad", connection_test: "skip", ...args })).rejects.toThrow(message);
  });
});

describe("an empty answer of a web service", () => {
  it("becomes a dataset without columns, which is read as an empty one", async () => {
    const { datasource_id } = await create({ name: "Empty", host: base });
    for (const c9ql of [undefined, "select a, sum(b) as s group by a"]) {
      const name = `Empty ${c9ql ?? "plain"}`;
      const { run, dataset_id } = await makeQuery(server, token, {
        name,
        datasource_id,
        query: "/empty",
        c9ql,
      });
      expect(run).toMatchObject({ status: "succeeded", rows: 0, error: null });
      const page = { columns: [], rows: [], totalRows: 0, returnedRows: 0 };
      expect(await resultOf(server, viewer, "get_data", { dataset_id })).toEqual(page);
      expect(await resultOf(server, viewer, "get_data", { dataset_id, c9ql: "select a" })).toEqual(page);
      expect(await resultOf(server, viewer, "export_data", { dataset_id })).toMatchObject({ rows: 0 });
      const parquet = resultOf(server, viewer, "export_data", { dataset_id, format: "parquet" });
      await expect(parquet).rejects.toThrow(/has no columns/);
      expect(await detailsOf("dataset", dataset_id ?? 0)).toMatchObject({ columns: [], rows: 0 });
    }
  });
});
