import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serve } from "../../../../platform/guarded-fetch/test-servers.ts";
import { type Connector, openConnector, UNTYPED } from "../index.ts";
import { failure, LIMITS_OF_TESTS, named, openOptions, readRows } from "../test-connectors.ts";
import { CsvParser, findDelimiter } from "./csv-parser.ts";

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
  readRows(await open(content, settings), "");

describe("reading", () => {
  it("gives text, and says that its types are still to be found out", async () => {
    const { columns, rows } = await read('id,city,"note, long"\r\n1,Köln,"a ""b""\nc"\r\n2,,""\r\n');
    expect(columns).toEqual([
      { name: "id", type: UNTYPED },
      { name: "city", type: UNTYPED },
      { name: "note, long", type: UNTYPED },
    ]);
    expect(rows).toEqual([
      ["1", "Köln", 'a "b"\nc'],
      ["2", null, ""],
    ]);
  });

  it.each([
    ["semicolons", "a;b\n1,5;2\n", [["1,5", "2"]]],
    ["tabs", "a\tb\n1\t2\n", [["1", "2"]]],
    ["bars", "a|b\n1|2", [["1", "2"]]],
    ["one column", "a\n1\n\n2\n", [["1"], ["2"]]],
    [
      "old line ends",
      "a,b\r1,2\r3,4",
      [
        ["1", "2"],
        ["3", "4"],
      ],
    ],
    ["short rows", "a,b,c\n1\n", [["1", null, null]]],
    ["commas at the end", "a,b\n1,2,,\n", [["1", "2"]]],
    ["no line end in quotes", 'a,b\n1,"x"y\n', [["1", "xy"]]],
    ["quotes in the middle", 'a,b\n1,x"y"\n', [["1", 'x"y"']]],
  ])("knows %s", async (_what, content, rows) => {
    expect((await read(content)).rows).toEqual(rows);
  });

  it("names columns that have no name of their own", async () => {
    const names = ({ columns }: { columns: readonly { name: string }[] }) => columns.map(({ name }) => name);
    expect(names(await read("a,,a,A\n1,2,3,4"))).toEqual(["a", "column_2", "a_2", "A_3"]);
    const without = await read("1,2\n3,4", { header: false });
    expect(names(without)).toEqual(["column_1", "column_2"]);
    expect(without.rows).toHaveLength(2);
  });

  it("knows encodings", async () => {
    expect((await read(Buffer.from("\ufeffä\nö", "utf8"))).rows).toEqual([["ö"]]);
    expect((await read(Buffer.from("\ufeffä\nö", "utf16le"))).rows).toEqual([["ö"]]);
    const latin = await read(Buffer.from("ä\n€uro", "latin1"), { encoding: "windows-1252" });
    expect(latin.columns[0]?.name).toBe("ä");
    expect(await failure(read(Buffer.from([0x61, 0x0a, 0xe4, 0xff])))).toMatchObject({ code: "bad_request" });
  });

  it("reads compressed files", async () => {
    const connector = await open(gzipSync("a,b\n1,2\n"), {}, { "content-encoding": "gzip" });
    expect((await readRows(connector, "")).rows).toEqual([["1", "2"]]);
  });

  it("describes itself", async () => {
    const connector = await open("a,b\n1,2\n");
    expect(await connector.test()).toEqual({ ok: true });
    expect(await connector.tables()).toEqual([{ name: "orders.csv", kind: "table" }]);
    expect((await connector.columns({ name: "orders.csv" })).map(({ name }) => name)).toEqual(["a", "b"]);
    expect(await failure((await open("")).test())).toMatchObject({ code: "bad_request" });
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
      await readRows(await openConnector("csv", { url, ...more }, secrets, openOptions), "");
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
    const byRows = await readRows(connector, "", { maxRows: 2_500 });
    expect(byRows).toMatchObject({ truncated: "rows", batches: 3 });
    expect(byRows.rows).toHaveLength(2_500);
    expect((await readRows(connector, "", { maxBytes: 2_100 })).rows).toHaveLength(100);
    for await (const _ of connector.run("", LIMITS_OF_TESTS)) break;
    expect(await failure(readRows(connector, "", { timeoutMs: 500 }))).toMatchObject({ code: "timeout" });
    const signal = AbortSignal.timeout(300);
    expect(await failure(readRows(connector, "", { signal }))).toMatchObject({ code: "cancelled" });
  });

  it.each([
    ["a row that is too wide", "a,b\n1,2\n1,2,3\n", "Row 3 of the CSV has 3 values"],
    ["a text that does not end", 'a,b\n1,"2\n3,4\n', "does not end"],
  ])("refuses %s", async (_what, content, message) => {
    expect(await failure(read(content))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(message),
    });
  });

  it.each([
    ["100,000 columns", `${"a,".repeat(100_000)}\n1`],
    ["a giant value", `a\n"${"x".repeat(40_000_000)}`],
  ])("refuses %s", async (_what, content) => {
    expect(await failure(read(content, { delimiter: "," }))).toMatchObject({ code: "too_large" });
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
    expect(await failure(readRows(connector, "SELECT 1").then())).toMatchObject({ code: "bad_request" });
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
    expect(await failure(readRows(connector, ""))).toMatchObject({ code: "unavailable" });
  });
});

describe("the parser", () => {
  const cell = fc.oneof(fc.constant(null), fc.string(), fc.constantFrom('"', ",", "\n", "\r\n", 'a"b', " "));
  const write = (rows: (string | null)[][], end: string): string =>
    rows
      .map((row) => row.map((text) => (text === null ? "" : `"${text.replaceAll('"', '""')}"`)).join(","))
      .join(end);

  it("reads back what was written, in whatever pieces it comes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.integer({ min: 1, max: 7 }),
        (rows, end, pieceLength) => {
          const text = write(rows, end);
          const parser = new CsvParser(",");
          const found: (string | null)[][] = [];
          for (let at = 0; at < text.length; at += pieceLength)
            found.push(...parser.push(text.slice(at, at + pieceLength)));
          found.push(...parser.end());
          expect(found).toEqual(rows);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("finds the delimiter", () => {
    expect(findDelimiter("a;b;c\n1,0;2,0;3,0\n")).toBe(";");
    expect(findDelimiter('"a,b";"c"\n1;2\n')).toBe(";");
    expect(findDelimiter("no delimiter here")).toBe(",");
    expect(findDelimiter("")).toBe(",");
    expect(findDelimiter("name,text\n1,a;b;c\n2,d;e;f\n")).toBe(",");
  });

  it("gives rows their names", async () => {
    expect(named(await read("a,b\n1,2"))).toEqual([{ a: "1", b: "2" }]);
  });
});
