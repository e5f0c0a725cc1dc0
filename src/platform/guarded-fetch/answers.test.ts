import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { client, listen, serve, serveRaw } from "../../../test/support/web-servers.ts";

describe("answers", () => {
  const allow = ["127.0.0.1"];

  it("keeps bodies out of errors", async () => {
    const raw = await serveRaw((socket) => socket.end("TOP-SECRET is not HTTP\r\n\r\n"));
    const broken = await serve((request, response) => {
      if (request.url === "/gzip") response.setHeader("content-encoding", "gzip");
      if (request.url === "/500") response.statusCode = 500;
      response.setHeader("content-type", "application/json").end("TOP-SECRET");
    });
    const fetcher = client({ allow });
    for (const url of [
      `http://127.0.0.1:${raw}/`,
      `http://127.0.0.1:${broken}/gzip`,
      `http://127.0.0.1:${broken}/json`,
      `http://127.0.0.1:${broken}/500`,
    ]) {
      const failure = await fetcher.fetchJson(url).catch((error: unknown) => error);
      expect(failure, url).toMatchObject({ name: "AppError", code: "unavailable" });
      expect(inspect(failure, { depth: 9, showHidden: true }), url).not.toContain("TOP-SECRET");
    }
  });

  it("parses JSON and checks types", async () => {
    const port = await serve((request, response) => {
      response.setHeader("content-type", decodeURIComponent(request.url!.slice(1))).end('{"a":1}');
    });
    const fetcher = client({ allow });
    const at = (type: string): string => `http://127.0.0.1:${port}/${encodeURIComponent(type)}`;
    expect(await fetcher.fetchJson(at("application/json; charset=utf-8"))).toEqual({ a: 1 });
    expect(await fetcher.fetchJson(at("application/problem+json"))).toEqual({ a: 1 });
    await expect(fetcher.fetchJson(at("text/html"))).rejects.toMatchObject({ code: "unsupported" });
    expect(await fetcher.fetchJson(at("text/html"), { contentTypes: ["text/html"] })).toEqual({ a: 1 });
    await expect(fetcher.download(at("text/html"), { contentTypes: ["text/csv"] })).rejects.toMatchObject({
      code: "unsupported",
    });
  });

  it("gives status and body of a refusal to those who ask for them", async () => {
    const port = await serve((_, response) => response.writeHead(404).end("no"));
    const fetcher = client({ allow });
    const answer = await fetcher.request(`http://127.0.0.1:${port}/`);
    expect(answer).toMatchObject({ status: 404, body: Buffer.from("no") });
    await expect(fetcher.download(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
      data: { status: 404 },
    });
  });

  it("streams a download", async () => {
    const port = await serve((_, response) => response.end(Buffer.alloc(3_000_000, 7)));
    const { body, status, headers } = await client({ allow }).download(`http://127.0.0.1:${port}/`);
    expect({ status, date: typeof headers.date }).toEqual({ status: 200, date: "string" });
    expect((await buffer(body)).equals(Buffer.alloc(3_000_000, 7))).toBe(true);
  });

  it("does not let headers smuggle anything", async () => {
    const fetcher = client({ allow });
    for (const headers of [
      { Host: "inside" },
      { "transfer-encoding": "chunked" },
      { "x-a": "b\r\nhost: inside" },
    ]) {
      await expect(fetcher.request("http://127.0.0.1:8080/", { headers })).rejects.toMatchObject({
        code: "bad_request",
      });
    }
  });

  it("says when a server is not there", async () => {
    const server = createServer();
    const port = await listen<Server>(server);
    server.close();
    await expect(client({ allow }).request(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});
