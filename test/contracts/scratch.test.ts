import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, it } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";
import { mountFixtures } from "./fixtures.ts";
let server: TestServer; let token: string;
beforeAll(async () => { server = await startTestServer({ extend: mountFixtures, env: { APP_URL: "https://kenning.example.com" } }); token = await server.token(); });
afterAll(() => server.stop());
async function show(label: string, r: Response) {
  const h = Object.fromEntries([...r.headers].filter(([k]) => !["date","connection","keep-alive","transfer-encoding","referrer-policy", "x-frame-options","x-content-type-options","content-security-policy","cross-origin-resource-policy"].includes(k)));
  console.log(label, r.status, JSON.stringify(h), (await r.text()).slice(0, 400));
}
function raw(path: string, headers: Record<string, string | string[]>, method = "POST", body?: Buffer | string): Promise<Response> {
  return new Promise((resolve, reject) => {
    const url = new URL(server.url);
    const req = httpRequest({ host: url.hostname, port: url.port, path, method, headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers } }, (res) => {
      const chunks: Buffer[] = []; res.on("data", (c) => chunks.push(c)); res.on("end", () => resolve(new Response(res.statusCode === 204 || res.statusCode===304 ? null : Buffer.concat(chunks), { status: res.statusCode!, headers: Object.fromEntries(Object.entries(res.headers).map(([k, v]) => [k, String(v)])) })));
    });
    req.on("error", reject); req.end(body);
  });
}
function socket(text: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const url = new URL(server.url); let out = "";
    const s = connect(Number(url.port), url.hostname, () => s.write(text));
    s.on("data", (d) => { out += d; }); s.on("close", () => resolve(out)); s.on("error", () => resolve(out + "ERR"));
    setTimeout(() => s.destroy(), 1500);
  });
}
const ping = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "ping" });
it("probe", async () => {
  const attempt = async (label: string, p: Promise<Response>) => { try { await show(label, await p); } catch (e) { console.log(label, "THROWS", String(e)); } };
  for (const host of ["evil.com", "localhost", "LOCALHOST:99", "localhost.", "kenning.example.com", "KENNING.example.com:443", "127.0.0.1:1", "[::1]:5", "localhost@evil.com", "evil.com#localhost", "", "127.1", "2130706433", "localhost evil", "localhost/evil"])
    await attempt("host " + host, raw("/mcp", { host }, "POST", ping));
  console.log("no host", (await socket("GET /api/2.0/mcp/health HTTP/1.0\r\n\r\n")).slice(0, 200));
  console.log("no host 1.1", (await socket("GET /api/2.0/mcp/health HTTP/1.1\r\n\r\n")).slice(0, 200));
  console.log("two hosts", (await socket("GET /api/2.0/mcp/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.com\r\nConnection: close\r\n\r\n")).slice(0, 200));
  console.log("absolute-form", (await socket("GET http://evil.com/api/2.0/mcp/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).slice(0, 700));
  for (const origin of ["https://evil.com", "null", "https://kenning.example.com", "http://localhost:6274", "https://localhost", "http://localhost.evil.com", "http://127.0.0.1:3000", "garbage"]) {
    await attempt("origin " + origin, raw("/mcp", { origin }, "POST", ping));
    await attempt("preflight " + origin, raw("/mcp", { origin, "access-control-request-method": "POST" }, "OPTIONS"));
  }
  await attempt("preflight unauth path", raw("/nope", { origin: "http://localhost:1" }, "OPTIONS"));
  await attempt("health host evil", raw("/api/health/live", { host: "10.1.2.3" }, "GET"));
  await attempt("big header", raw("/mcp", { "x-big": "a".repeat(40_000) }, "POST", ping));
  await attempt("big auth", raw("/mcp", { authorization: "Bearer " + "a".repeat(9000) }, "POST", ping));
  await attempt("big body", raw("/mcp", {}, "POST", Buffer.alloc(17 * 1024 * 1024, 32)));
  await attempt("big body chunked", raw("/mcp", { "transfer-encoding": "chunked" }, "POST", Buffer.alloc(17 * 1024 * 1024, 32)));
  await attempt("utf8", raw("/mcp", {}, "POST", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])));
  await attempt("utf8 lone", raw("/mcp", {}, "POST", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"\\ud800x"}}}'));
  await attempt("bom", raw("/mcp", {}, "POST", "\uFEFF" + ping));
  await attempt("empty", raw("/mcp", {}, "POST", ""));
  await attempt("charset", raw("/mcp", { "content-type": "application/json; charset=utf-8" }, "POST", ping));
  await attempt("no ctype", raw("/mcp", { "content-type": "" }, "POST", ping));
  for (const depth of [63, 100, 5_000, 200_000]) {
    const deep = "[".repeat(depth) + "]".repeat(depth);
    await attempt("deep top " + depth, raw("/mcp", {}, "POST", deep));
    await attempt("deep args " + depth, raw("/mcp", {}, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fixture_echo","arguments":{"text":"x","more":{"a":${deep}}}}}`));
    await attempt("deep params " + depth, raw("/mcp", {}, "POST", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":${deep}}}}`));
    await attempt("deep bi rest " + depth, raw("/api/2.0/mcp/tools/call", {}, "POST", `{"name":"fixture_echo","arguments":{"text":"x","more":{"a":${deep}}}}`));
    await attempt("deep init " + depth, raw("/mcp", {}, "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"a":{"b":${deep}}}}}}`));
  }
  await attempt("huge init", raw("/mcp", {}, "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"experimental":{"a":{"b":"${"x".repeat(300_000)}"}}}}}`));
  const msgs = (n: number) => JSON.stringify(Array.from({ length: n }, (_, i) => ({ jsonrpc: "2.0", id: i, method: "ping" })));
  await attempt("batch 50", raw("/mcp", {}, "POST", msgs(50)));
  await attempt("batch 51", raw("/mcp", {}, "POST", msgs(51)));
  await attempt("batch junk 60", raw("/mcp", {}, "POST", JSON.stringify(Array(60).fill(1))));
  await attempt("batch init+call", raw("/mcp", {}, "POST", JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "initialize", params: {} }, { jsonrpc: "2.0", id: 2, method: "ping" }])));
  await attempt("batch dup id", raw("/mcp", {}, "POST", JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "ping" }, { jsonrpc: "2.0", id: 1, method: "ping" }])));
  await attempt("batch notif", raw("/mcp", {}, "POST", JSON.stringify([{ jsonrpc: "2.0", method: "notifications/initialized" }])));
  await attempt("batch mixed invalid", raw("/mcp", {}, "POST", JSON.stringify([{ jsonrpc: "2.0", id: 1, method: "ping" }, 5])));
  for (const path of ["/mcp/", "/MCP", "//mcp", "/mcp/acme/mcp/", "/mcp/ACME/mcp", "/mcp/a%2Fb/mcp", "/mcp/%22x%0d%0aX:1/mcp", "/mcp/nope/mcp", "/mcp/knowledge-external/mcp", "/mcp/acme", "/api/2.0/mcp/", "/api/2.0/mcp/tools/", "/", "/api/2.0/login", "/mcp/%E0%A4%A/mcp"])
    await attempt("path " + path, raw(path, {}, "POST", ping));
  for (const path of ["/mcp/knowledge-external", "/mcp/knowledge-external/", "/mcp/knowledge-external/health", "/api/health/live", "/api/health/ready", "/metrics", "/api/2.0/mcp/health", "/api/2.0/mcp/tools", "/api/2.0/mcp/tools/nope", "/api/2.0/mcp/tools/fixture_echo", "/.well-known/oauth-protected-resource/mcp"])
    await attempt("GET " + path, raw(path, {}, "GET"));
  for (const sid of ["", "a".repeat(129), "a b", "ü", "%00", "a:b", "*", "a/b"]) for (const m of ["POST", "DELETE", "GET"]) for (const p of ["/api/2.0/mcp", "/api/data-agent/mcp", "/mcp"])
    await attempt(`sid ${sid.slice(0, 5)} ${m} ${p}`, raw(p, { "mcp-session-id": Buffer.from(sid).toString("latin1"), ...(m === "GET" && {accept: "text/event-stream"}) }, m, m === "POST" ? ping : undefined).then((r) => r.headers.get("content-type")?.startsWith("text/event") ? new Response("stream", { status: r.status }) : r));
}, 60000);
