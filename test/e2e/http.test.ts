import { Agent, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/kernel/limits.ts";
import { mountFixtures } from "../contracts/fixtures.ts";
import { answerOf, PATHS, type RawRequest, rawRequest } from "../support/rpc.ts";
import { serverOfFile } from "../support/server.ts";

/** What HTTP itself does, before anybody looks at a message. */

const APP_URL = "https://kenning.example.com";
const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const EVERY_PATH = Object.values(PATHS);

const env = {
  APP_URL,
  KENNING_ALLOWED_HOSTS: "inside.example.net",
  KENNING_ALLOWED_ORIGINS: "https://console.example.net",
};
const server = await serverOfFile({ extend: mountFixtures, env });
const token = await server.token();

/** A ping with a good token, changed in the part that a test is about. */
function send(path: string, { headers = {}, ...more }: RawRequest = {}) {
  const usual = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return rawRequest(server, path, { body: JSON.stringify(PING), ...more, headers: { ...usual, ...headers } });
}

describe("Host", () => {
  it.each([
    "localhost",
    "localhost:8319",
    "LOCALHOST",
    "127.0.0.1:1",
    "[::1]",
    "kenning.example.com",
    "Kenning.Example.com:443",
    "inside.example.net",
  ])("[all.http.host] %s is ours", async (host) => {
    expect(await send("/mcp", { headers: { host } })).toMatchObject({ status: 200 });
  });

  it.each([
    "evil.example",
    "evil.example:8319",
    "localhost.evil.example",
    "kenning.example.com.evil.example",
    "10.0.0.1",
  ])("[all.http.host] %s is not", async (host) => {
    for (const path of [...EVERY_PATH, "/api/2.0/mcp/health", "/api/2.0/login", "/metrics", "/nothing"]) {
      const answer = await send(path, { headers: { host } });
      expect(answer).toMatchObject({ status: 403, body: { error: "forbidden" } });
    }
  });

  it.each(["localhost@evil.example", "evil.example#localhost", "localhost evil", "localhost/evil"])(
    "[all.http.host] %s is no host",
    async (host) => {
      const { status } = await send("/mcp", { headers: { host } });
      expect([400, 403]).toContain(status);
    },
  );

  it("[all.http.host] probes may come by address", async () => {
    for (const path of ["/api/health/live", "/api/health/ready"]) {
      const answer = await rawRequest(server, path, { method: "GET", headers: { host: "10.1.2.3:8319" } });
      expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
    }
  });
});

describe("Origin", () => {
  const good = [APP_URL, "https://console.example.net", "http://localhost:6274", "http://127.0.0.1:3000"];
  it.each(good)("[all.http.cors] %s may call and read the answer", async (origin) => {
    const { status, headers } = await send("/mcp", { headers: { origin } });
    expect(status).toBe(200);
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("vary")).toContain("Origin");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    const exposed = (headers.get("access-control-expose-headers") ?? "").split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["mcp-session-id", "www-authenticate", "retry-after"]));
  });

  it.each(good)("[all.http.cors] %s gets its preflight without a token", async (origin) => {
    for (const path of EVERY_PATH) {
      const headers = { origin, "access-control-request-method": "POST" };
      const answer = await rawRequest(server, path, { method: "OPTIONS", headers });
      expect(answer.status).toBe(204);
      expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
      expect(answer.headers.get("access-control-allow-methods")).toContain("DELETE");
      const allowed = (answer.headers.get("access-control-allow-headers") ?? "").split(", ");
      expect(allowed).toEqual(
        expect.arrayContaining([
          "authorization",
          "content-type",
          "mcp-session-id",
          "mcp-protocol-version",
          "mcp-method",
          "mcp-name",
          "last-event-id",
        ]),
      );
    }
  });

  it("[all.http.cors] also reads why it was refused", async () => {
    const { status, headers } = await send("/mcp", {
      headers: { origin: APP_URL, authorization: "Bearer wrong" },
    });
    expect(status).toBe(401);
    expect(headers.get("access-control-allow-origin")).toBe(APP_URL);
  });

  it.each([
    "https://evil.example",
    "null",
    "http://kenning.example.com",
    "https://kenning.example.com:8443",
    "https://kenning.example.com.evil.example",
    "http://localhost.evil.example",
    "https://localhost",
    "garbage",
  ])("[all.http.origin] %s may not", async (origin) => {
    for (const method of ["POST", "OPTIONS", "GET", "DELETE"]) {
      const { status, headers } = await send("/mcp", { method, headers: { origin }, body: "" });
      expect(status).toBe(403);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });
});

describe("size", () => {
  const tooLarge = Buffer.alloc(LIMITS.request.bodyBytes + 1024 * 1024, " ");

  it.each([...EVERY_PATH, "/api/2.0/mcp/tools/call"])("[all.http.body] %s takes 16 MiB", async (path) => {
    const headers = { "content-length": String(tooLarge.length) };
    expect(await send(path, { body: tooLarge, headers })).toMatchObject({ status: 413 });
  });

  it("[all.http.body] counts what was not declared, too", async () => {
    const chunked = { "transfer-encoding": "chunked" };
    expect(await send("/mcp", { body: tooLarge, headers: chunked })).toMatchObject({ status: 413 });
    const small = await send("/mcp", { headers: chunked });
    expect(small).toMatchObject({ status: 200, body: { result: {} } });
  });

  it("[all.http.body] takes what just fits", async () => {
    const padded = JSON.stringify(PING).padEnd(LIMITS.request.bodyBytes, " ");
    expect(await send("/mcp", { body: padded })).toMatchObject({ status: 200 });
  });

  it("[all.http.body] tells a client on a kept connection that it has to open another", async () => {
    const agent = new Agent({ keepAlive: true });
    const { hostname, port } = new URL(server.url);
    const usual = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const post = (body: string | Buffer, more = {}) => {
      const headers = { ...usual, ...more };
      const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
      const options = { hostname, port, path: "/mcp", method: "POST", agent, headers };
      const request = httpRequest(options, (answer) => {
        answer.resume().on("end", () => resolve(answer.statusCode));
      });
      request.on("error", reject);
      request.end(body);
      return promise;
    };
    for (const more of [{}, { "transfer-encoding": "chunked" }]) {
      expect(await post(tooLarge, more)).toBe(413);
      expect(await post(JSON.stringify(PING))).toBe(200);
    }
    agent.destroy();
  });

  it("[all.http.headers] of headers is bounded", async () => {
    const within = await send("/mcp", { headers: { "x-large": "x".repeat(20_000) } });
    expect(within.status).toBe(200);
    const beyond = await send("/mcp", { headers: { "x-large": "x".repeat(40_000) } });
    expect(beyond.status).toBe(431);
  });
});

describe("body", () => {
  const post = (body: string | Uint8Array, path = "/mcp") => send(path, { body });
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
  const notJson: [string, string | Uint8Array][] = [
    ["nothing", ""],
    ["half of it", "{"],
    ["another language", "<xml/>"],
    ["not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ["half a character", Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe2, 0x82])])],
    ["a deep array", nested(5_000)],
    ["a very deep array", nested(500_000)],
    ["deep parameters", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":${nested(5_000)}}}`],
    [
      "deep arguments",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"","more":{"a":${nested(5_000)}}}}}`,
    ],
    [
      "a deep initialize",
      `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"a":${nested(5_000)}}}}}`,
    ],
  ];
  it.each(notJson)("[all.http.json] %s is a parse error", async (_what, body) => {
    for (const path of EVERY_PATH) {
      const answer = await post(body, path);
      expect(answer).toMatchObject({
        status: 400,
        body: { jsonrpc: "2.0", id: null, error: { code: -32700 } },
      });
      expect(answer.text).not.toMatch(/stack|at Object|node_modules/i);
    }
    expect(await post(body, "/api/2.0/mcp/tools/call")).toMatchObject({
      status: 400,
      body: { error: "bad_request" },
    });
  });

  it.each([...EVERY_PATH, "/api/2.0/mcp/tools/call", "/api/2.0/login"])(
    "a compressed body gets 415 at %s, and what to do",
    async (path) => {
      const body = gzipSync(JSON.stringify(PING));
      const answer = await send(path, { body, headers: { "content-encoding": "gzip" } });
      expect(answer.status).toBe(415);
      expect(answer.text).toContain("The request body is compressed (gzip).");
      expect(answer.text).toContain("Send it uncompressed");
      expect(await send("/mcp", { headers: { "content-encoding": "identity" } })).toMatchObject({
        status: 200,
      });
    },
  );

  it("[all.http.json] arguments nested too deeply are an error of the call", async () => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"","more":{"a":${nested(70)}}}}}`;
    expect((await post(text)).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("64 levels") }],
    });
  });

  it("[all.http.json] a byte order mark and half a surrogate pair do no harm", async () => {
    expect(await post(`\uFEFF${JSON.stringify(PING)}`)).toMatchObject({ status: 200 });
    const half =
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"\\ud800x"}}}';
    expect((await post(half)).body.result).toMatchObject({ structuredContent: { text: "\uFFFDx" } });
  });

  const notRpc: [string, unknown][] = [
    ["a number", 5],
    ["null", null],
    ["a text", "ping"],
    ["an empty object", {}],
    ["an empty batch", []],
    ["a batch of numbers", [1, 2]],
    ["a batch with one number", [PING, 5]],
    ["an older JSON-RPC", { ...PING, jsonrpc: "1.0" }],
    ["an id of null", { ...PING, id: null }],
    ["an id that is an object", { ...PING, id: {} }],
    ["parameters by position", { ...PING, params: [1] }],
    ["a method that is a number", { ...PING, method: 5 }],
  ];
  it.each(notRpc)("[all.http.rpc] %s is an invalid request", async (_what, message) => {
    for (const path of EVERY_PATH) {
      const answer = await post(JSON.stringify(message), path);
      expect(answer).toMatchObject({ status: 400, body: { jsonrpc: "2.0", error: { code: -32600 } } });
    }
  });

  it("[all.http.rpc] must be said to be JSON", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", ""]) {
      expect(await send("/mcp", { headers: { "content-type": type } })).toMatchObject({ status: 415 });
    }
    const charset = { "content-type": "application/json; charset=utf-8" };
    expect(await send("/mcp", { headers: charset })).toMatchObject({ status: 200 });
  });
});

describe("batch", () => {
  const pings = (count: number) => Array.from({ length: count }, (_, id) => ({ ...PING, id }));
  const post = async (path: string, messages: object[]) => {
    const answer = await send(path, { body: JSON.stringify(messages) });
    return { ...answer, list: answer.body as unknown as { id: number; result?: object; error?: object }[] };
  };

  it.each(EVERY_PATH)("[all.http.batch] is answered by %s", async (path) => {
    const notification = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { status, list } = await post(path, [
      ...pings(3),
      notification,
      { ...PING, id: 3, method: "nope" },
    ]);
    expect(status).toBe(200);
    expect(list.map(({ id }) => id).sort()).toEqual([0, 1, 2, 3]);
    expect(list.find(({ id }) => id === 3)).toMatchObject({ error: { code: -32601 } });
    expect((await post(path, [notification])).status).toBe(path === PATHS.bi ? 204 : 202);
  });

  it("[all.http.batch] has at most 50 messages", async () => {
    expect((await post("/mcp", pings(50))).list).toHaveLength(50);
    for (const path of EVERY_PATH) expect((await post(path, pings(51))).status).toBe(413);
  });

  it("[all.http.batch] is checked for scopes as a whole", async () => {
    const narrow = await server.token({ scopes: ["bi:read"] });
    const write = { ...PING, id: 9, method: "tools/call", params: { name: "fixture_write", arguments: {} } };
    const body = JSON.stringify([...pings(2), write]);
    const answer = await send(PATHS.bi, { body, headers: { authorization: `Bearer ${narrow}` } });
    expect(answer.status).toBe(403);
    expect(answer.headers.get("www-authenticate")).toContain('scope="bi:read bi:write"');
  });
});

describe("methods and paths", () => {
  it.each(EVERY_PATH)("[all.http.methods] %s has POST, GET and DELETE", async (path) => {
    for (const method of ["PUT", "PATCH", "HEAD", "OPTIONS"]) {
      const { status, headers } = await send(path, { method, body: "" });
      expect({ method, status, allow: headers.get("allow") }).toEqual({
        method,
        status: 405,
        allow: "GET, POST, DELETE",
      });
    }
    // GET is for the stream of a session, and there is none yet.
    expect(await send(path, { method: "GET", body: "" })).toMatchObject({ status: 405 });
    const stream = { accept: "text/event-stream" };
    expect(await send(path, { method: "GET", body: "", headers: stream })).toMatchObject({ status: 405 });
    const gone = { ...stream, "mcp-session-id": "gone" };
    expect(await send(path, { method: "GET", body: "", headers: gone })).toMatchObject({ status: 404 });
  });

  it.each([
    "/",
    "/mcp/",
    "/MCP",
    "//mcp",
    "/mcp/acme",
    "/mcp/acme/mcp/",
    "/mcp/acme/other",
    "/api/2.0/mcp/",
    "/api/2.0/mcp/nothing",
    "/api/mcp",
    "/mcp/knowledge-external/nothing",
  ])("[all.http.not-found] %s is not served, with or without a token", async (path) => {
    const known = await send(path);
    const unknown = await send(path, { headers: { authorization: "" } });
    expect(known).toMatchObject({ status: 404, body: { error: "not_found" } });
    expect(unknown.text).toBe(known.text);
  });

  it("[all.http.not-found] login takes POST only", async () => {
    expect((await server.request("/api/2.0/login")).status).toBe(404);
  });
});

describe("headers", () => {
  it("[all.http.security-headers] are on every answer", async () => {
    const answers = [
      await send("/mcp"),
      await send("/mcp", { headers: { authorization: "" } }),
      await send("/mcp", { headers: { host: "evil.example" } }),
      await send("/mcp", { headers: { origin: "https://evil.example" } }),
      await send("/mcp", { body: "{" }),
      await send("/nothing"),
      await send("/mcp/%22%0d%0aX-Injected:%201/mcp"),
      await answerOf(await server.request("/api/2.0/mcp/health")),
    ];
    const ids = new Set<string>();
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
        "referrer-policy": "no-referrer",
        "content-security-policy": expect.stringContaining("default-src 'none'"),
        "strict-transport-security": expect.stringContaining("max-age"),
        "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
      });
      expect(headers.get("x-injected")).toBeNull();
      expect(headers.get("server")).toBeNull();
      expect(headers.get("x-powered-by")).toBeNull();
      ids.add(headers.get("x-request-id") ?? "");
    }
    expect(ids.size).toBe(answers.length);
  });

  it("[all.protocol.accept] Accept decides between JSON and a stream", async () => {
    const json = [{}, { accept: "*/*" }, { accept: "application/json" }, { accept: "text/html" }];
    const stream = [{ accept: "text/event-stream" }, { accept: "application/json, text/event-stream" }];
    for (const path of EVERY_PATH) {
      for (const headers of json) {
        const answer = await send(path, { headers });
        expect(answer).toMatchObject({ status: 200, body: { jsonrpc: "2.0", id: 1, result: {} } });
      }
      for (const headers of stream) {
        const answer = await send(path, { headers });
        expect(answer.status).toBe(200);
        expect(answer.headers.get("content-type")).toBe("text/event-stream");
        expect(answer.text).toContain('data: {"result":{},"jsonrpc":"2.0","id":1}');
      }
    }
  });

  it("[all.http.host] two Hosts, or none, are refused", async () => {
    const lines = ["Host: localhost\r\nHost: evil.example\r\n", ""];
    for (const hosts of lines) {
      const answer = await speak(`GET /api/2.0/mcp/health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 40[03] /);
    }
  });
});

/** Says these bytes to the server and returns all that it answers. */
function speak(text: string): Promise<string> {
  const { hostname, port } = new URL(server.url);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let heard = "";
  const socket = connect(Number(port), hostname, () => socket.write(text));
  socket.on("data", (chunk) => {
    heard += chunk;
  });
  socket.on("error", reject);
  socket.on("close", () => resolve(heard));
  return promise;
}
