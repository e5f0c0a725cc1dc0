import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { freePort } from "../../test/support/command-line.ts";
import { HttpListener } from "./http-listener.ts";

let listener: HttpListener;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listener.close(
    async () => undefined,
    () => undefined,
  );
});

/** A server whose patience is short, and one who connects to it. */
async function start(limits: ConstructorParameters<typeof HttpListener>[2]) {
  const port = await freePort();
  listener = new HttpListener(() => new Response("hello"), { port, host: "127.0.0.1" }, limits);
  await listener.listen();
  return (says: string) => {
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    let heard = "";
    socket.on("data", (bytes) => {
      heard += String(bytes);
    });
    socket.on("error", () => undefined);
    socket.write(says);
    return { heard: () => heard, closed: once(socket, "close") };
  };
}

it("closes connections that say nothing, or never end their headers", async () => {
  const call = await start({ headersMs: 300 });
  const silent = call("");
  const half = call("GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  await Promise.all([silent.closed, half.closed]);
  expect(silent.heard()).toBe("");
  expect(half.heard()).toMatch(/^HTTP\/1\.1 408 /);
});

it("takes as many connections as it may have, and turns the next one away at once", async () => {
  const call = await start({ connections: 2 });
  const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  const first = [call(request), call(request)];
  for (const { heard } of first) await expect.poll(heard).toContain("hello");
  const third = call(request);
  await third.closed;
  expect(third.heard()).toBe("");
});
