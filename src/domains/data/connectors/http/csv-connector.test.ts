import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { failure, LIMITS_OF_TESTS, openOptions, readCsv } from "../../../../../test/support/connectors.ts";
import { serve } from "../../../../../test/support/web-servers.ts";
import { type Connector, openConnector } from "../index.ts";

async function open(
  content: string | Buffer,
  settings: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Connector> {
  const port = await serve((_request, response) => response.writeHead(200, headers).end(content));
  return openConnector(
    "csv",
    { url: `http://127.0.0.1:${port}/data/orders.csv`, ...settings },
    {},
    openOptions,
  );
}

const read = async (content: string | Buffer, settings?: Record<string, unknown>) =>
  readCsv(await open(content, settings), "");

describe("reading", () => {
  it("passes the file on as it is, with what is known of it", async () => {
    const content = 'id,"note, long"\r\n1,"a ""b""\nc"\r\n';
    const { bytes, format } = await read(content, { delimiter: ",", encoding: "windows-1252" });
    expect(String(bytes)).toBe(content);
    expect(format).toMatchObject({ delimiter: ",", encoding: "windows-1252", header: undefined });
  });

  it("unpacks what is compressed, on the way or by itself", async () => {
    const packed = gzipSync("a,b\n1,2\n");
    const connector = await open(packed, {}, { "content-encoding": "gzip" });
    expect(String((await readCsv(connector, "")).bytes)).toBe("a,b\n1,2\n");
    expect(String((await read(packed)).bytes)).toBe("a,b\n1,2\n");
    expect(await failure(read(packed.subarray(0, 15)))).toMatchObject({
      code: "bad_request",
      message: "The file is compressed, and not sound.",
    });
    const bomb = await open(gzipSync(Buffer.alloc(5_000_000)));
    expect(await failure(readCsv(bomb, "", { maxBytes: 1_000_000 }))).toMatchObject({ code: "too_large" });
  });

  it.each([
    ["semicolons and decimal commas", "a;b\n1;2,5\n"],
    ["a table that goes on behind the sample", `a\tb\n${"1\t2.5\n".repeat(300_000)}`],
    ["UTF-16", Buffer.from(`\ufeffa;b\r\n${"1;2,5\r\n".repeat(100_000)}`, "utf16le")],
  ])("finds columns as an import does, of %s", async (_what, content) => {
    expect(await (await open(content)).columns({ name: "orders.csv" })).toEqual([
      { name: "a", type: "BIGINT" },
      { name: "b", type: "DOUBLE" },
    ]);
  });

  it("describes itself", async () => {
    const connector = await open("a,b\n1,2\n");
    expect(await connector.test()).toEqual({ ok: true });
    expect(await connector.tables()).toEqual([{ name: "orders.csv", kind: "table" }]);
    expect((await connector.columns({ name: "orders.csv" })).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await failure((await open("")).test())).toMatchObject({ message: "The CSV file is empty." });
    expect(await failure((await open("PK\u0003\u0004")).test())).toMatchObject({ code: "bad_request" });
  });

  it("sends what it is told to send", async () => {
    const seen: unknown[] = [];
    const port = await serve((request, response) => {
      seen.push([request.url, request.headers.authorization, request.headers["x-team"]]);
      response.end("a\n1");
    });
    const url = `http://127.0.0.1:${port}/x?y=1`;
    const settings = [
      [{ auth: { kind: "bearer" }, headers: { "X-Team": "bi" } }, { token: "t0ken" }],
      [{ auth: { kind: "basic", user: "ann" } }, { password: "pass" }],
      [{ auth: { kind: "query", name: "key" } }, { token: "t0ken" }],
    ] as const;
    for (const [more, secrets] of settings) {
      await readCsv(await openConnector("csv", { url, ...more }, secrets, openOptions), "");
    }
    expect(seen).toEqual([
      ["/x?y=1", "Bearer t0ken", "bi"],
      ["/x?y=1", "Basic YW5uOnBhc3M=", undefined],
      ["/x?y=1&key=t0ken", undefined, undefined],
    ]);
  });
});

describe("limits and failures", () => {
  it("reads an endless file only as far as it is asked to", async () => {
    const port = await serve((_request, response) => {
      response.write("id,text\n");
      const more = (): void => {
        while (!response.destroyed && response.write(`${"1,yyyyyyyyyyyyyyyyyyyy\n".repeat(1_000)}`));
      };
      response.on("drain", more);
      more();
    });
    const connector = await openConnector("csv", { url: `http://127.0.0.1:${port}/` }, {}, openOptions);
    expect(await failure(readCsv(connector, "", { maxBytes: 2_000_000 }))).toMatchObject({
      code: "too_large",
      message: "The CSV file is larger than 2,000,000 bytes.",
    });
    expect((await connector.columns({ name: "x" })).map(({ name }) => name)).toEqual(["id", "text"]);
    for await (const _ of connector.run("", LIMITS_OF_TESTS)) break;
    expect(await failure(readCsv(connector, "", { timeoutMs: 500 }))).toMatchObject({ code: "timeout" });
    const signal = AbortSignal.timeout(300);
    expect(await failure(readCsv(connector, "", { signal }))).toMatchObject({ code: "timeout" });
  });

  it.each([
    [401, "bad_request"],
    [403, "bad_request"],
    [404, "not_found"],
    [429, "unavailable"],
    [500, "unavailable"],
  ])("explains the status %i", async (status, code) => {
    const port = await serve((_request, response) => response.writeHead(status).end("secret details"));
    const connector = await openConnector("csv", { url: `http://127.0.0.1:${port}/` }, {}, openOptions);
    const error = await failure(connector.test());
    expect(error).toMatchObject({ code });
    expect(error.message).not.toContain("secret details");
  });

  it("takes no query, no private address and no header of more than one line", async () => {
    const connector = await open("a\n1");
    expect(await failure(readCsv(connector, "SELECT 1").then())).toMatchObject({ code: "bad_request" });
    const inside = await openConnector("csv", { url: "http://10.0.0.1/x.csv" }, {}, openOptions);
    expect(await failure(inside.test())).toMatchObject({ code: "forbidden" });
    for (const settings of [
      { url: "http://example.com/x", headers: { "X-A": "a\r\nHost: b" } },
      { url: "http://example.com/x", unknown: 1 },
      { url: "no url" },
    ]) {
      expect(await failure(openConnector("csv", settings, {}, openOptions))).toMatchObject({
        code: "bad_request",
      });
    }
    const withoutToken = openConnector(
      "csv",
      { url: "http://example.com/x", auth: { kind: "bearer" } },
      {},
      openOptions,
    );
    expect(await failure(withoutToken)).toMatchObject({ code: "bad_request" });
  });

  it("stops when the other side stops half-way", async () => {
    const port = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("a,b\n1,2\n");
      setTimeout(() => response.destroy(), 50);
    });
    const connector = await openConnector("csv", { url: `http://127.0.0.1:${port}/` }, {}, openOptions);
    expect(await failure(readCsv(connector, ""))).toMatchObject({
      code: "unavailable",
      message: "The answer from 127.0.0.1 ended early.",
    });
  });
});
