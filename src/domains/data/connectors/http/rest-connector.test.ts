import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { failure, named, openOptions, readCsv, readRows } from "../../../../../test/support/connectors.ts";
import { serve } from "../../../../../test/support/web-servers.ts";
import { ANY_TYPE, type Connector, openConnector, type Secrets } from "../index.ts";

type Answer = (url: URL, request: IncomingMessage, response: ServerResponse) => unknown;

/** A server whose answers are JSON, and a connector to its `/v1`. */
async function open(
  answer: Answer,
  settings: Record<string, unknown> = {},
  secrets: Secrets = {},
): Promise<Connector & { port: number }> {
  const port = await serve(async (request, response) => {
    const value = await answer(new URL(request.url!, "http://x"), request, response);
    if (!response.headersSent) response.setHeader("content-type", "application/json");
    if (!response.writableEnded) response.end(typeof value === "string" ? value : JSON.stringify(value));
  });
  const url = `http://127.0.0.1:${port}/v1`;
  return { ...(await openConnector("restapi", { url, ...settings }, secrets, openOptions)), port };
}

const ITEMS = Array.from({ length: 25 }, (_, index) => ({ id: index + 1 }));

describe("rows in JSON", () => {
  it.each([
    ["a list of objects", [{ a: 1 }, { a: 2 }], {}, [{ a: 1 }, { a: 2 }]],
    ["a list in an object", { count: 2, tags: ["x"], data: [{ a: 1 }] }, {}, [{ a: 1 }]],
    ["one object", { a: 1, b: { c: [1] } }, {}, [{ a: 1, b: { c: [1] } }]],
    [
      "a list at a path",
      { data: { pages: [{ items: [{ a: 1 }] }] } },
      { resultPath: "data.pages[0].items" },
      [{ a: 1 }],
    ],
    ["a path from the root", { data: [{ a: 1 }] }, { resultPath: "$.data" }, [{ a: 1 }]],
    ["nothing at a path", { data: null }, { resultPath: "data" }, []],
    [
      "a list of lists",
      [[1, "x"], [2]],
      {},
      [
        { column_1: 1, column_2: "x" },
        { column_1: 2, column_2: null },
      ],
    ],
    ["a list of values", [1, null, "x"], {}, [{ value: 1 }, { value: null }, { value: "x" }]],
    ["an empty list", [], {}, []],
    [
      "names of one kind",
      [{ id: 1, ID: 2, "": 3, __proto__x: 4 }],
      {},
      [{ id: 1, ID_2: 2, column_3: 3, __proto__x: 4 }],
    ],
  ])("%s", async (_what, answer, settings, rows) => {
    const result = await readRows(await open(() => answer, settings), "");
    expect(named(result)).toEqual(rows);
    expect(result.columns.every(({ type }) => type === ANY_TYPE)).toBe(true);
  });

  it("keeps all digits, and odd names", async () => {
    const connector = await open(
      () => '[{"n": 12345678901234567890, "f": 0.1, "__proto__": {"x": 1}, "big": 1e400}]',
    );
    const { columns, rows } = await readRows(connector, "");
    expect(columns.map(({ name }) => name)).toEqual(["n", "f", "__proto__", "big"]);
    expect(rows[0]?.slice(0, 3)).toEqual(["12345678901234567890", 0.1, { x: 1 }]);
  });

  it("adds columns that come later at the end", async () => {
    const rows = [...Array.from({ length: 1_500 }, () => ({ a: 1 })), { b: 2 }];
    const result = await readRows(await open(() => rows), "");
    expect(result.batches).toBe(2);
    expect(result.columns.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(result.rows.at(-1)).toEqual([null, 2]);
  });

  it.each([
    ["no rows at the path", { a: 1 }, { resultPath: "b.c" }, "bad_request"],
    ["no JSON", "<html>", {}, "bad_request"],
    ["a number", "5", {}, "bad_request"],
    ["too deep", `${"[".repeat(5_000)}${"]".repeat(5_000)}`, {}, "too_large"],
    [
      "too many fields",
      [Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`f${i}`, i]))],
      {},
      "too_large",
    ],
  ])("refuses %s", async (_what, answer, settings, code) => {
    expect(await failure(readRows(await open(() => answer, settings), ""))).toMatchObject({ code });
  });

  it("reads CSV, too", async () => {
    const connector = await open((_url, _request, response) => {
      response.setHeader("content-type", "text/csv; charset=utf-8");
      response.end("a,b\n1,2\n");
    });
    expect(String((await readCsv(connector, "")).bytes)).toBe("a,b\n1,2\n");
    const forced = await open(() => "a;b\n1;2,5\n", { format: "csv" });
    expect(String((await readCsv(forced, "")).bytes)).toBe("a;b\n1;2,5\n");
    expect(await forced.columns({ name: "v1" })).toEqual([
      { name: "a", type: "BIGINT" },
      { name: "b", type: "DOUBLE" },
    ]);
  });
});

describe("what is asked", () => {
  const echo: Answer = async (url, request) => [
    { path: url.pathname + url.search, method: request.method, body: await text(request) },
  ];
  const asked = async (query: string, settings = {}, parameters = {}) =>
    named(await readRows(await open(echo, settings), query, { parameters }))[0];

  it.each([
    ["", "/v1"],
    ["/orders?status=open", "/v1/orders?status=open"],
    ["orders", "/v1/orders"],
    ["?limit=5", "/v1?limit=5"],
    ['{"path": "/orders", "params": {"status": "a&b", "n": 5}}', "/v1/orders?status=a%26b&n=5"],
    ["/orders/{id}?x={list}", "/v1/orders/a%2Fb%3F?x=1%2C2"],
    ["{id}/items", "/v1/a%2Fb%3F/items"],
  ])("%j", async (query, path) => {
    const row = await asked(query, {}, { id: "a/b?", list: [1, 2] });
    expect(decodeURI(String(row?.path))).toBe(decodeURI(path));
  });

  it("sends a body by POST, with parameters in it", async () => {
    const query = '{"body": {"query": "x {id}", "n": "{n}", "list": ["{n}"]}}';
    const row = await asked(query, { method: "POST" }, { id: "a", n: 5 });
    expect(row).toMatchObject({ method: "POST", body: '{"query":"x a","n":5,"list":[5]}' });
  });

  it.each([
    "//evil.test/x",
    "https://evil.test/",
    "/../secret",
    "/%2e%2e/secret",
    "\\..\\..\\x",
    "/a/../../x",
    "@evil.test",
  ])("%j does not lead away from the datasource", async (query) => {
    const result = await asked(query).catch((error) => error);
    if (result instanceof Error) expect(result).toMatchObject({ code: "bad_request" });
    else expect(String(result?.path)).toMatch(/^\/v1\//);
  });

  it.each(['{"path": 5}', '{"host": "x"}', "x".repeat(300_000)])("refuses %j", async (query) => {
    expect(await failure(asked(query))).toMatchObject({
      code: expect.stringMatching(/bad_request|too_large/),
    });
  });

  it("carries credentials, and never shows them", async () => {
    const connector = await open(
      (_url, request, response) => {
        if (request.headers["x-key"] !== "s3cret-key") response.writeHead(403).end("s3cret-key");
        return [{ ok: true }];
      },
      { auth: { kind: "header", name: "X-Key" } },
      { token: "s3cret-key" },
    );
    expect((await readRows(connector, "")).rows).toEqual([[true]]);
    const wrong = await open(
      (_url, _request, response) => response.writeHead(401).end(),
      { auth: { kind: "query", name: "api_key" } },
      { token: "s3cret-key" },
    );
    const error = await failure(wrong.test());
    expect(error).toMatchObject({ code: "bad_request", message: expect.stringContaining("credentials") });
    expect(JSON.stringify([error, error.message, error.stack])).not.toContain("s3cret-key");
  });
});

describe("paging", () => {
  const ids = (rows: unknown[][]): unknown[] => rows.map(([id]) => id);
  const all = ITEMS.map(({ id }) => id);

  it("by page number, until a page is empty", async () => {
    const pages: (string | null)[] = [];
    const connector = await open(
      (url) => {
        const page = Number(url.searchParams.get("p"));
        pages.push(url.searchParams.get("p"));
        return ITEMS.slice((page - 1) * 10, page * 10);
      },
      { paging: { kind: "page", parameter: "p" } },
    );
    expect(ids((await readRows(connector, "")).rows)).toEqual(all);
    expect(pages).toEqual(["1", "2", "3", "4"]);
  });

  it("by page number with a size, until a page is not full", async () => {
    const asked: string[] = [];
    const connector = await open(
      (url) => {
        asked.push(url.search);
        const page = Number(url.searchParams.get("page"));
        return { items: ITEMS.slice(page * 10, page * 10 + 10) };
      },
      { paging: { kind: "page", first: 0, size: 10, sizeParameter: "per_page" } },
    );
    expect(ids((await readRows(connector, "?x=1")).rows)).toEqual(all);
    expect(asked).toEqual(["?x=1&page=0&per_page=10", "?x=1&page=1&per_page=10", "?x=1&page=2&per_page=10"]);
  });

  it("by offset and limit", async () => {
    const connector = await open(
      (url) => {
        const offset = Number(url.searchParams.get("offset"));
        return ITEMS.slice(offset, offset + Number(url.searchParams.get("limit")));
      },
      { paging: { kind: "offset", size: 7 } },
    );
    expect(ids((await readRows(connector, "")).rows)).toEqual(all);
  });

  it("by a link in the answer", async () => {
    const connector = await open(
      (url) => {
        const start = Number(url.searchParams.get("start") ?? 0);
        const next = start + 10 < 25 ? `?start=${start + 10}` : null;
        return { data: ITEMS.slice(start, start + 10), paging: { next } };
      },
      { paging: { kind: "next", path: "paging.next" } },
    );
    expect(ids((await readRows(connector, "")).rows)).toEqual(all);
  });

  it("by a token in the answer", async () => {
    const connector = await open(
      (url) => {
        const start = Number((url.searchParams.get("cursor") ?? "t0").slice(1));
        return {
          data: ITEMS.slice(start, start + 10),
          meta: { cursor: start + 10 < 25 ? `t${start + 10}` : "" },
        };
      },
      { paging: { kind: "cursor", path: "meta.cursor" } },
    );
    expect(ids((await readRows(connector, "")).rows)).toEqual(all);
  });

  it("by the Link header", async () => {
    const connector = await open(
      (url, request, response) => {
        const start = Number(url.searchParams.get("start") ?? 0);
        const here = `http://${request.headers.host}/v1`;
        const links = [`<${here}?start=0>; rel="first"`];
        if (start + 10 < 25) links.unshift(`<${here}?start=${start + 10}>; rel="next"`);
        response.setHeader("link", links.join(", "));
        return ITEMS.slice(start, start + 10);
      },
      { paging: { kind: "link" } },
    );
    expect(ids((await readRows(connector, "")).rows)).toEqual(all);
  });

  it("does not carry the credentials to another server", async () => {
    let isAsked = false;
    const elsewhere = await serve((_request, response) => {
      isAsked = true;
      response.end("[]");
    });
    const connector = await open(
      () => ({ data: [{ id: 1 }], next: `http://127.0.0.1:${elsewhere}/` }),
      { paging: { kind: "next", path: "next" }, auth: { kind: "bearer" } },
      { token: "t0ken" },
    );
    expect(await failure(readRows(connector, ""))).toMatchObject({ code: "bad_request" });
    expect(isAsked).toBe(false);
  });

  it.each([
    ["page", { kind: "page" }],
    ["offset", { kind: "offset", size: 1 }],
    ["next", { kind: "next", path: "next" }],
    ["cursor", { kind: "cursor", path: "next" }],
  ])("notices that it goes in a circle (%s)", async (_kind, paging) => {
    const connector = await open(() => ({ data: [{ id: 1 }], next: "/v1?again" }), { paging });
    expect(await failure(readRows(connector, ""))).toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("same page"),
    });
  });

  it("stops after as many pages, rows or bytes as are allowed", async () => {
    let pages = 0;
    const answer: Answer = () => {
      pages += 1;
      return Array.from({ length: 10 }, (_, index) => ({ id: pages * 10 + index }));
    };
    const connector = await open(answer, { paging: { kind: "page" }, maxPages: 3 });
    expect(await readRows(connector, "")).toMatchObject({ truncated: "pages", rows: { length: 30 } });
    pages = 0;
    expect(await readRows(connector, "", { maxRows: 15 })).toMatchObject({
      truncated: "rows",
      rows: { length: 15 },
    });
    expect(pages).toBe(2);
    expect(await readRows(connector, "", { maxBytes: 100 })).toMatchObject({ truncated: "bytes" });
  });

  it("refuses a page that is too large", async () => {
    const connector = await open(() => `["${"x".repeat(40_000_000)}"]`);
    expect(await failure(readRows(connector, ""))).toMatchObject({ code: "too_large" });
  });
});

describe("the rest", () => {
  it("describes itself", async () => {
    const connector = await open(() => [{ a: 1 }, { b: 2 }]);
    expect(await connector.test()).toEqual({ ok: true });
    expect(await connector.tables()).toEqual([{ name: "v1", kind: "table" }]);
    expect((await connector.columns({ name: "v1" })).map(({ name }) => name)).toEqual(["a", "b"]);
  });

  it.each([404, 405, 400])(
    "was reached when its root answers with status %i, and says so",
    async (status) => {
      const connector = await open((url, _request, response) => {
        if (url.pathname === "/v1") response.writeHead(status).end();
        return [{ a: 1 }];
      });
      const note = expect.stringMatching(`127.0.0.1 was reached, and answers with status ${status} at /v1.`);
      expect(await connector.test()).toEqual({ ok: true, note });
      expect((await readRows(connector, "/items")).rows).toEqual([[1]]);
    },
  );

  it.each([401, 403, 500])(
    "was not reached for good when its root answers with status %i",
    async (status) => {
      const connector = await open((_url, _request, response) => void response.writeHead(status).end());
      expect((await failure(connector.test())).message).toContain(`answered with status ${status}`);
    },
  );

  it("says that an answer ended early", async () => {
    const connector = await open((_url, _request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('[{"a": 1},');
      setTimeout(() => response.destroy(), 50);
      return new Promise(() => undefined);
    });
    expect(await failure(readRows(connector, ""))).toMatchObject({
      code: "unavailable",
      message: "The answer from 127.0.0.1 ended early.",
    });
  });

  it("names a parameter of the path that has no value", async () => {
    const connector = await open(() => []);
    expect(await failure(readRows(connector, "/orders/{id}"))).toMatchObject({
      code: "bad_request",
      message: "The query asks for the parameter id, which has no value.",
    });
  });

  it("keeps time limits and stops when it is told to", async () => {
    const connector = await open((_url, _request, response) => void response.writeHead(200).write("["));
    const hanging = await open(() => new Promise(() => undefined));
    expect(await failure(readRows(hanging, "", { timeoutMs: 300 }))).toMatchObject({ code: "timeout" });
    const signal = AbortSignal.timeout(200);
    expect(await failure(readRows(hanging, "", { signal }))).toMatchObject({ code: "timeout" });
    expect(await failure(readRows(connector, "", { timeoutMs: 300 }))).toMatchObject({
      code: expect.stringMatching(/timeout|bad_request/),
    });
  });

  it("reaches no private address by itself or by a redirect", async () => {
    const inside = await openConnector("restapi", { url: "http://169.254.169.254/latest" }, {}, openOptions);
    expect(await failure(inside.test())).toMatchObject({ code: "forbidden" });
    const redirecting = await open((_url, _request, response) => {
      response.writeHead(302, { location: "http://10.0.0.1/" }).end();
    });
    expect(await failure(redirecting.test())).toMatchObject({ code: "forbidden" });
  });
});
