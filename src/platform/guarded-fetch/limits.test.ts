import { once } from "node:events";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { client, serve, serveRaw } from "../../../test/support/web-servers.ts";

describe("limits", () => {
  const allow = ["127.0.0.1"];

  it("reads plain and compressed answers", async () => {
    const forms: Record<string, Buffer> = {
      identity: Buffer.from("hällo"),
      gzip: gzipSync("hällo"),
      br: brotliCompressSync("hällo"),
      zstd: zstdCompressSync("hällo"),
    };
    const port = await serve((request, response) => {
      const name = request.url!.slice(1);
      response.setHeader("content-encoding", name).end(forms[name] ?? "uryyb");
    });
    const fetcher = client({ allow });
    for (const name of Object.keys(forms)) {
      expect((await fetcher.request(`http://127.0.0.1:${port}/${name}`)).body.toString(), name).toBe("hällo");
    }
    await expect(fetcher.request(`http://127.0.0.1:${port}/rot13`)).rejects.toMatchObject({
      code: "unsupported",
    });
    const head = await fetcher.request(`http://127.0.0.1:${port}/gzip`, { method: "HEAD" });
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it("stops a decompression bomb before it unfolds", async () => {
    const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(300_000);
    const port = await serve((_, response) => response.setHeader("content-encoding", "gzip").end(bomb));
    const before = process.memoryUsage().rss;
    await expect(
      client({ allow }).request(`http://127.0.0.1:${port}/`, { maxBytes: 1_000_000 }),
    ).rejects.toMatchObject({
      code: "too_large",
    });
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  });

  it("stops at the size limit, announced or not", async () => {
    const port = await serve((request, response) => {
      if (request.url === "/announced") response.setHeader("content-length", 5_000);
      response.end(Buffer.alloc(5_000));
    });
    const fetcher = client({ allow });
    for (const path of ["/announced", "/chunked"]) {
      const url = `http://127.0.0.1:${port}${path}`;
      expect((await fetcher.request(url, { maxBytes: 5_000 })).body).toHaveLength(5_000);
      await expect(fetcher.request(url, { maxBytes: 4_999 })).rejects.toMatchObject({ code: "too_large" });
    }
  });

  it("stops a stream that never ends, also one that decompresses to nothing", async () => {
    const port = await serve((request, response) => {
      const empty = gzipSync("");
      if (request.url === "/gzip") response.setHeader("content-encoding", "gzip");
      const chunk = request.url === "/gzip" ? Buffer.concat(Array(500).fill(empty)) : Buffer.alloc(10_000);
      const push = (): void => {
        while (response.writable && response.write(chunk));
      };
      response.on("drain", push).on("error", () => undefined);
      push();
    });
    const fetcher = client({ allow });
    for (const path of ["/plain", "/gzip"]) {
      const request = fetcher.request(`http://127.0.0.1:${port}${path}`, { maxBytes: 1_000_000 });
      await expect(request, path).rejects.toMatchObject({ code: "too_large" });
    }
  });

  it("refuses huge headers", async () => {
    const port = await serveRaw((socket) =>
      socket.end(`HTTP/1.1 200 OK\r\nx: ${"a".repeat(40_000)}\r\ncontent-length: 0\r\n\r\n`),
    );
    await expect(client({ allow }).request(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "too_large",
    });
  });

  it("gives up on a server that is silent, or that drips", async () => {
    const silent = await serveRaw(() => undefined);
    const drip = async (socket: Socket, text: string): Promise<void> => {
      socket.on("error", () => undefined);
      for (const character of text) {
        if (socket.destroyed) return;
        socket.write(character);
        await delay(50);
      }
    };
    const drippingHeaders = await serveRaw((socket) =>
      drip(socket, `HTTP/1.1 200 OK\r\nx: ${"a".repeat(1_000)}`),
    );
    const drippingBody = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n");
      return drip(socket, "a".repeat(1_000));
    });
    const stalled = await serveRaw((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc"),
    );
    const fetcher = client({ allow });
    await Promise.all(
      [silent, drippingHeaders, drippingBody, stalled].map((port) =>
        expect(
          fetcher.request(`http://127.0.0.1:${port}/`, { totalMs: 700, idleMs: 400 }),
        ).rejects.toMatchObject({
          code: "timeout",
        }),
      ),
    );
  });

  it("can be cancelled, before and on the way", async () => {
    const port = await serveRaw((socket) =>
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc"),
    );
    const fetcher = client({ allow });
    const url = `http://127.0.0.1:${port}/`;
    await expect(fetcher.request(url, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: "cancelled",
    });
    await expect(fetcher.request(url, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: "timeout",
    });
  });

  it("bounds the requests under way and frees their places", async () => {
    const port = await serve((_, response) => setTimeout(() => response.end("x"), 100));
    const fetcher = client({ allow, maxInFlight: 2 });
    const url = `http://127.0.0.1:${port}/`;
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.allSettled([1, 2, 3].map(() => fetcher.request(url)));
      expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
    }
    const unread = await fetcher.download(url);
    unread.body.destroy();
    await once(unread.body, "close");
    await expect(Promise.all([fetcher.request(url), fetcher.request(url)])).resolves.toHaveLength(2);
  });

  it("takes no more from the other side than its reader does", async () => {
    let sentBytes = 0;
    const piece = Buffer.alloc(64 * 1024);
    const port = await serve((_, response) => {
      const push = (): void => {
        do sentBytes += piece.length;
        while (response.writable && response.write(piece));
      };
      response.on("drain", push).on("error", () => undefined);
      push();
    });
    const { body } = await client({ allow }).download(`http://127.0.0.1:${port}/`, { maxBytes: 2 ** 40 });
    body.once("readable", () => undefined);
    await delay(300);
    // What the sockets' own buffers hold on both sides is not ours.
    const unreadBytes = sentBytes;
    expect(unreadBytes).toBeLessThan(32 * 1024 * 1024);
    let readBytes = 0;
    for await (const chunk of body) {
      readBytes += (chunk as Buffer).length;
      if (readBytes > 2 * unreadBytes) break;
    }
    expect(sentBytes).toBeGreaterThan(unreadBytes);
    expect(body.destroyed).toBe(true);
  });

  it("frees the place of a download that nobody reads", async () => {
    const port = await serve((_, response) => response.end(Buffer.alloc(100_000)));
    const fetcher = client({ allow, maxInFlight: 1 });
    const { body } = await fetcher.download(`http://127.0.0.1:${port}/`, { totalMs: 1_000 });
    await delay(1_200);
    await expect(buffer(body)).rejects.toMatchObject({ code: "timeout" });
    await expect(fetcher.request(`http://127.0.0.1:${port}/`)).resolves.toMatchObject({ status: 200 });
  });
});
