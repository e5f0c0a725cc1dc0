import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { failure, openOptions, testNetwork } from "../../../../test/support/connectors.ts";
import { serve } from "../../../../test/support/web-servers.ts";
import { CONNECTOR_TYPES, checkSettings, connectorType, describeTypes, openConnector } from "./index.ts";

const LOGIN = { user: "u", database: "d" };

describe("types", () => {
  it.each(["oracle", "sqlserver", "", "constructor", "__proto__"])(
    "%j is unknown, and the known ones are listed",
    async (type) => {
      const error = await failure(openConnector(type, {}, {}, openOptions));
      expect(error).toMatchObject({ code: "bad_request", hint: expect.stringContaining(describeTypes()) });
    },
  );

  it("knows other names and other spellings", () => {
    expect(connectorType("Postgres").type).toBe("postgresql");
    expect(connectorType(" REST ").type).toBe("restapi");
    expect(() => connectorType("postgresq")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("postgresql?") }),
    );
    expect(describeTypes()).toBe(
      "postgresql, mysql, mariadb, redshift, cockroachdb, citus, mongodb, elasticsearch, opensearch, snowflake, " +
        "bigquery, clickhouse, trino, sqlite, duckdb, restapi, csv",
    );
  });

  it("makes settings of the plain fields, each type in its way", () => {
    const fields = { host: "db.example.com", port: 1234, dbName: "shop", dbUser: "ann" };
    const settingsOf = (type: string, plain: object) => {
      const found = connectorType(type);
      return checkSettings(found, found.fromPlain(plain));
    };
    expect(settingsOf("mysql", fields)).toEqual({
      ...{ host: "db.example.com", port: 1234, database: "shop", user: "ann", tls: "prefer" },
    });
    expect(settingsOf("redshift", { host: "x", dbUser: "u" })).toMatchObject({ port: 5_439 });
    expect(settingsOf("sqlite", { dbName: "/data/shop.db" })).toEqual({ path: "/data/shop.db" });
    expect(settingsOf("csv", { host: "https://example.com/x.csv" })).toMatchObject({
      url: "https://example.com/x.csv",
    });
    expect(() => settingsOf("mysql", {})).toThrow("host is required");
  });

  it("has secrets only where they are sealed, never among the settings", () => {
    for (const { settings, secretFields } of CONNECTOR_TYPES) {
      const names = Object.keys((settings as unknown as { shape: object }).shape);
      expect(names.filter((name) => (secretFields as string[]).includes(name))).toEqual([]);
    }
  });

  it("loads no client library before it is used", () => {
    const code = `await import(${JSON.stringify(join(import.meta.dirname, "index.ts"))});
      const { createRequire } = await import("node:module");
      const loaded = Object.keys(createRequire(import.meta.url).cache);
      console.log(loaded.filter((path) => /node_modules.(pg|mysql2|@duckdb|mongodb)./.test(path)).length);`;
    expect(
      execFileSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" }).trim(),
    ).toBe("0");
  });
});

describe("hosts", () => {
  it.each([
    "/var/run/postgresql",
    "/tmp/kenning/run",
    "./socket",
    "@abstract",
    "postgres://user:pw@db.example.com/x",
    "db.example.com:5432",
    "db.example.com/x",
    "a b",
    "a\0b",
    "",
  ])("%j is none", async (host) => {
    for (const type of ["postgresql", "mysql"]) {
      expect(await failure(openConnector(type, { ...LOGIN, host }, {}, openOptions))).toMatchObject({
        code: "bad_request",
      });
    }
  });

  it.each([
    "127.0.0.1",
    "localhost",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0",
    "0.0.0.0",
    "::1",
    "[::1]",
    "::ffff:127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "fd00::1",
    "fe80::1",
    "private.test",
  ])("%s is not reached unless the operator allows it", async (host) => {
    const port = await serve(() => undefined);
    const resolve = async (name: string) =>
      name === "private.test"
        ? [
            { address: "10.0.0.7", family: 4 },
            { address: "fd00::7", family: 6 },
          ]
        : [{ address: "127.0.0.1", family: 4 }];
    for (const type of ["postgresql", "mysql"]) {
      const connector = await openConnector(
        type,
        { ...LOGIN, host, port },
        {},
        { ...openOptions, network: testNetwork({ allow: [], resolve }) },
      );
      const error = await failure(connector.test());
      expect(error).toMatchObject({ code: "forbidden", message: expect.stringContaining("public address") });
      expect(error.message).not.toContain("10.0.0.7");
    }
  });

  it("uses of several addresses only those that may be reached", async () => {
    const port = await serve(() => undefined);
    const resolve = async () => [
      { address: "10.0.0.7", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ];
    const connector = await openConnector(
      "mysql",
      { ...LOGIN, host: "mixed.test", port },
      {},
      { ...openOptions, network: testNetwork({ resolve }) },
    );
    // It is no database, but it was reached.
    expect(await failure(connector.test(AbortSignal.timeout(300)))).toMatchObject({ code: "timeout" });
  });

  it("lets the operator name a server instead of its address", async () => {
    const port = await serve(() => undefined);
    const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
    const connect = async (allow: string[]) => {
      const options = { ...openOptions, network: testNetwork({ allow, resolve }) };
      const connector = await openConnector("mysql", { ...LOGIN, host: "db.test", port }, {}, options);
      return failure(connector.test(AbortSignal.timeout(300)));
    };
    expect(await connect([`db.test:${port}`])).toMatchObject({ code: "timeout" });
    expect(await connect([`db.test:${port + 1}`])).toMatchObject({ code: "forbidden" });
  });

  it("says that a host is not known", async () => {
    const resolve = async () => {
      throw Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" });
    };
    const connector = await openConnector(
      "postgresql",
      { ...LOGIN, host: "no.test" },
      {},
      { ...openOptions, network: testNetwork({ resolve }) },
    );
    expect(await failure(connector.test())).toMatchObject({
      code: "unavailable",
      message: "no.test:5432 was not found.",
    });
  });
});
