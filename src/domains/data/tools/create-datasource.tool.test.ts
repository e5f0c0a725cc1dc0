import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { resultOf } from "../../../../test/support/datasets.ts";
import { ALLOW_LOOPBACK, makeQuery } from "../../../../test/support/datasources.ts";
import { hasMariadb, type Mariadb, needsMariadb, startMariadb } from "../../../../test/support/mariadb.ts";
import { callTool } from "../../../../test/support/mcp.ts";
import { type PostgresSource, startPostgresSource } from "../../../../test/support/postgres-source.ts";
import { startTestServer, type TestServer } from "../../../../test/support/server.ts";

const BI = "/api/2.0/mcp";
const SECRET = "s3cr3t-hunter2-Zq";
let server: TestServer;
let token: string;
let source: PostgresSource;
let mariadb: Mariadb | undefined;
let log = "";

function keepLine(line: string): void {
  log += line;
}

beforeAll(async () => {
  const { pino } = await import("pino");
  const logger = pino({ level: "trace" }, { write: keepLine });
  [server, source, mariadb] = await Promise.all([
    startTestServer({ ...ALLOW_LOOPBACK, log: logger }),
    startPostgresSource(),
    hasMariadb() ? startMariadb() : undefined,
  ]);
  token = await server.token({ role: "contributor" });
}, 60_000);
afterAll(async () => {
  await server.stop();
  await source.stop();
  await mariadb?.stop();
});

interface Made {
  datasource_id: number;
  type: string;
  connection: { ok: boolean; message: string; server_version?: string } | null;
}

const create = (args: Record<string, unknown>, who = token) =>
  resultOf<Made>(server, who, "knowi_create_datasource", args, BI);
const createPlain = (args: Record<string, unknown>) =>
  resultOf<Made>(server, token, "create_datasource", args);

async function detailsOf(asset_id: number) {
  const args = { asset_type: "datasource", asset_id };
  return (await resultOf<{ details: Record<string, unknown> }>(server, token, "get_details", args)).details;
}

describe("create_datasource", () => {
  it("[bi.create-datasource.parameters] stores a connection to PostgreSQL and says that it works", async () => {
    const made = await create({
      name: "Shop",
      datasourceType: "postgresql",
      host: source.host,
      port: source.port,
      dbName: source.database,
      dbUser: source.user,
      dbPassword: source.password,
    });
    expect(made).toMatchObject({ type: "postgresql", connection: { ok: true } });
    expect(made.connection?.server_version).toMatch(/PostgreSQL/);
    expect(await detailsOf(made.datasource_id)).toMatchObject({
      name: "Shop",
      type: "postgresql",
      settings: { host: source.host, port: source.port, database: source.database, user: source.user },
      has_secrets: true,
      queries: [],
    });
  });

  it("stores a connection to MariaDB and says that it works", async (context: TestContext) => {
    needsMariadb(context);
    const { host, port, database, user, password } = mariadb!;
    const made = await createPlain({ name: "Maria", type: "MySQL", host, port, database, user, password });
    expect(made).toMatchObject({ type: "mysql", connection: { ok: true } });
    await mariadb!.query(
      "CREATE TABLE shop.t (a INT, b DECIMAL(8,2), c TEXT); INSERT INTO shop.t VALUES (1, 2.50, 'ü'), (2, NULL, NULL)",
    );
    const { datasource_id } = made;
    const { run, dataset_id } = await makeQuery(server, token, {
      name: "T",
      datasource_id,
      query: "SELECT * FROM t ORDER BY a",
    });
    expect(run).toMatchObject({ status: "succeeded", rows: 2 });
    const { rows } = await resultOf<{ rows: Record<string, unknown>[] }>(server, token, "get_data", {
      dataset_id,
    });
    expect(rows).toMatchObject([
      { a: 1, c: "ü" },
      { a: 2, b: null, c: null },
    ]);
    expect(Number(rows[0]?.b)).toBe(2.5);
  });

  it("stores it and says so when nobody answers, unless it has to work", async () => {
    const args = { name: "Nobody", type: "postgres", host: "127.0.0.1", port: 1, user: "u" };
    expect(await createPlain(args)).toMatchObject({
      connection: { ok: false, message: expect.stringMatching(/Nothing answers at 127.0.0.1/) },
    });
    const must = { ...args, name: "Must", connection_test: "require" };
    await expect(createPlain(must)).rejects.toThrow(/Nothing answers/);
    expect(await createPlain({ ...must, connection_test: "skip" })).toMatchObject({ connection: null });
  });

  it("is replaced by whoever made it and by admins", async () => {
    const replace = (url: string, who: string) =>
      resultOf<{ datasource_id: number }>(server, who, "create_datasource", {
        ...{ name: "Rates", type: "restapi", host: url, connection_test: "skip", replace: true },
      });
    const admin = await server.token();
    const { datasource_id: id } = await replace("https://example.com/rates", token);
    const other = await server.token({ role: "contributor" });
    await expect(replace("https://elsewhere.example.com/", other)).rejects.toThrow(/made by somebody else/);
    for (const who of [token, admin])
      expect((await replace("https://example.com/new", who)).datasource_id).toBe(id);
  });

  it("lets nobody reach private hosts that the operator did not allow", async () => {
    const made = await createPlain({ name: "Inside", type: "mysql", host: "10.0.0.1", user: "u" });
    expect(made.connection).toMatchObject({
      ok: false,
      message: expect.stringMatching(/does not lead to a public address/),
    });
  });

  it("never shows a secret: neither in answers, details, lists, audit, log nor database", async () => {
    const wrong = await create({
      name: "Secret",
      datasourceType: "postgresql",
      host: source.host,
      port: source.port,
      dbName: source.database,
      dbUser: source.user,
      dbPassword: SECRET,
    });
    expect(wrong.connection).toMatchObject({ ok: false, message: expect.stringMatching(/refused the user/) });
    const rest = await createPlain({
      name: "Secret API",
      type: "restapi",
      host: `https://example.com/orders?api_key=${SECRET}`,
      connection_test: "skip",
    });
    expect(await detailsOf(rest.datasource_id)).toMatchObject({
      settings: { url: "https://example.com/orders", parameters: ["api_key"] },
      has_secrets: true,
    });
    const login = await createPlain({
      name: "Secret login",
      type: "csv",
      settings: { url: `https://me:${SECRET}@example.com/a.csv` },
      connection_test: "skip",
    });
    expect(await detailsOf(login.datasource_id)).toMatchObject({
      settings: { url: "https://example.com/a.csv", auth: { kind: "basic", user: "me" } },
    });
    const bearer = { name: "Bearer", type: "restapi", host: "https://example.com/", token: SECRET };
    await createPlain({ ...bearer, connection_test: "skip" });
    await createPlain({ ...bearer, port: 3 }).catch(() => undefined);
    const asSetting = { ...bearer, token: undefined, settings: { password: SECRET } };
    await expect(createPlain(asSetting)).rejects.toThrow(/password/);
    const answers = [
      wrong,
      await detailsOf(wrong.datasource_id),
      await resultOf(server, token, "list_datasources", { types: true }),
      await callTool(server, token, "create_datasource", asSetting),
    ];
    await server.app.identity.audit.flush();
    const admin = await server.token();
    answers.push(await resultOf(server, admin, "list_audit_events", { limit: 200 }));
    expect(JSON.stringify(answers)).toContain("create_datasource");
    expect(JSON.stringify(answers)).not.toContain(SECRET);
    expect(log).not.toContain(SECRET);
    const { default: pg } = await import("pg");
    const client = new pg.Client(server.databaseUrl);
    await client.connect();
    const { rows } = await client.query("SELECT d::text FROM datasources d");
    const { rows: audit } = await client.query("SELECT a::text FROM audit_events a");
    await client.end();
    expect(rows.length).toBeGreaterThan(3);
    expect(JSON.stringify([rows, audit])).not.toContain(SECRET);
  });

  it.each([
    [
      "an unknown type",
      { datasourceType: "postgress" },
      /Did you mean postgres\? The types are postgresql, mysql/,
    ],
    ["an unheard-of type", { datasourceType: "abacus" }, /The types are/],
    ["no host", { host: undefined }, /host is required/],
    ["no user", { dbUser: undefined }, /dbUser is required/],
    [
      "no path",
      { datasourceType: "sqlite", host: undefined, port: undefined, dbUser: undefined },
      /dbName is/,
    ],
    [
      "no URL",
      { datasourceType: "csv", host: undefined, port: undefined, dbUser: undefined },
      /host is required/,
    ],
    ["a URL as host", { host: "https://db.example.com/" }, /host name or an address/],
    ["a port that is none", { port: 70_000 }, /port/],
    ["a text as port", { port: "5432" }, /port/],
    ["an empty name", { name: "  " }, /name has 1 to/],
    ["no type", { datasourceType: undefined }, /datasourceType is required/],
    [
      "a password for a file",
      { datasourceType: "sqlite", host: "/a.db", port: undefined, dbUser: undefined, dbPassword: "x" },
      /takes no dbPassword/,
    ],
    ["a port for a URL", { datasourceType: "csv", host: "https://example.com/a.csv" }, /takes no port/],
    ["an unknown argument", { tls: "require" }, /tls/],
  ])("[bi.create-datasource.types] refuses %s", async (_what, change, message) => {
    const args = { name: "Bad", datasourceType: "mysql", host: "db.example.com", port: 3306, dbUser: "u" };
    await expect(create({ ...args, ...change })).rejects.toThrow(message);
  });

  it("refuses a name that is taken, whatever its case", async () => {
    const args = { name: "Taken", type: "mysql", host: "127.0.0.1", port: 1, user: "u" };
    await createPlain({ ...args, connection_test: "skip" });
    await expect(createPlain({ ...args, name: "TAKEN" })).rejects.toThrow(
      /already a datasource called TAKEN/,
    );
  });

  it("[bi.create-datasource.owner] is for contributors, and stays in its workspace", async () => {
    const args = { name: "Mine", datasourceType: "mysql", host: "127.0.0.1", port: 1, dbUser: "u" };
    expect((await callTool(server, undefined, "knowi_create_datasource", args, BI)).status).toBe(401);
    const viewer = await server.token({ role: "viewer" });
    await expect(create(args, viewer)).rejects.toThrow(/bi:write/);
    const { datasource_id: asset_id } = await create(args);
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await server.token({ workspace: "other" });
    const details = { asset_type: "datasource", asset_id };
    await expect(resultOf(server, stranger, "get_details", details)).rejects.toThrow(/no datasource with id/);
    // The same name is free there.
    expect(await create(args, stranger)).toMatchObject({ type: "mysql" });
  });
});
