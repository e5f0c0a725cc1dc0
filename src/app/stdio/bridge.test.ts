import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { afterEach, expect, test, vi } from "vitest";
import { freePort } from "../../../test/support/command-line.ts";
import { StdioBridge } from "./bridge.ts";

type Message = Record<string, unknown> & { id?: number | string; method?: string };
type Answer = (message: Message, response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers as the test says, and remembers what came. */
class Remote {
  readonly received: { message: Message; headers: IncomingMessage["headers"] }[] = [];
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  #answer: Answer;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  async listen(port = 0): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(port, "127.0.0.1", resolve));
    return new URL(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== "POST") {
      this.received.push({ message: { method: request.method ?? "" }, headers: request.headers });
      response.writeHead(request.method === "DELETE" ? 200 : 405).end();
      return;
    }
    const message = JSON.parse(await text(request)) as Message;
    this.received.push({ message, headers: request.headers });
    this.#answer(message, response, request);
  }

  methods(): unknown[] {
    return this.received.map(({ message }) => message.method);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The desktop client's end, without a process in between. */
class Local implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly received: Message[] = [];

  async start(): Promise<void> {}
  async send(message: JSONRPCMessage): Promise<void> {
    this.received.push(message as Message);
  }
  async close(): Promise<void> {
    this.onclose?.();
  }
  say(message: Message): void {
    this.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  }
  /** The answer to a request. */
  answer(id: number | string): Promise<Message> {
    return vi.waitFor(
      () => this.received.find((message) => message.id === id && !message.method) ?? expect.fail("no answer"),
      {
        timeout: 20_000,
      },
    );
  }
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function connect(url: URL) {
  const local = new Local();
  const sentences: string[] = [];
  const remote = new StreamableHTTPClientTransport(url, {
    requestInit: { headers: { authorization: "Bearer t" } },
    onInsufficientScope: "throw",
  });
  const bridge = new StdioBridge({ local, remote, url, say: (sentence) => sentences.push(sentence) });
  const ended = bridge.run();
  cleanups.push(() => bridge.stop(0));
  return { local, bridge, ended, sentences };
}

async function serve(answer: Answer, port?: number) {
  const remote = new Remote(answer);
  cleanups.push(() => remote.close());
  return { remote, url: await remote.listen(port) };
}

function json(response: ServerResponse, body: object, headers: Record<string, string> = {}): void {
  response
    .writeHead(200, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ jsonrpc: "2.0", ...body }));
}

function events(response: ServerResponse, messages: readonly object[]): void {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  for (const message of messages)
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
}

/** A server of an older revision that knows only the session it gave out last. */
function sessionful(session: { current: string }, answer: Answer): Answer {
  return (message, response, request) => {
    if (message.method === "initialize") {
      const result = {
        protocolVersion: "2025-06-18",
        capabilities: {},
        serverInfo: { name: "s", version: "1" },
      };
      json(response, { id: message.id, result }, { "mcp-session-id": session.current });
    } else if (request.headers["mcp-session-id"] !== session.current) response.writeHead(404).end();
    else if (message.method?.startsWith("notifications/")) response.writeHead(202).end();
    else answer(message, response, request);
  };
}

const INITIALIZE = {
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } },
};

async function shakeHands(local: Local): Promise<void> {
  local.say(INITIALIZE);
  await local.answer(0);
  local.say({ method: "notifications/initialized" });
}

const MODERN_META = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

test("an older client: session, version, token, order, both kinds of answers, requests of the server", async () => {
  const { remote, url } = await serve(
    sessionful({ current: "s1" }, (message, response) => {
      if (message.method === "tools/list") return json(response, { id: message.id, result: { tools: [] } });
      if (message.method !== "tools/call") return void response.writeHead(202).end();
      events(response, [
        { method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
        { id: "ask", method: "elicitation/create", params: { message: "?" } },
      ]);
      setTimeout(() => {
        events(response, [{ id: message.id, result: { content: [] } }]);
        response.end();
      }, 50);
    }),
  );
  const { local } = connect(url);
  await shakeHands(local);
  local.say({ id: 1, method: "tools/list" });
  local.say({ id: 2, method: "tools/call", params: { name: "x" } });
  await local.answer(2);
  await local.answer(1);
  local.say({ id: "ask", result: { action: "decline" } });
  await vi.waitFor(
    () =>
      expect(remote.received.map(({ message }) => message)).toContainEqual(
        expect.objectContaining({ id: "ask", result: { action: "decline" } }),
      ),
    20_000,
  );

  const order = remote.methods().filter((method) => method !== "GET");
  expect(order.slice(0, 2)).toEqual(["initialize", "notifications/initialized"]);
  const called = remote.received.find(({ message }) => message.method === "tools/call");
  expect(called?.headers).toMatchObject({
    "mcp-session-id": "s1",
    "mcp-protocol-version": "2025-06-18",
    authorization: "Bearer t",
  });
  expect(local.received.map(({ method }) => method)).toEqual(
    expect.arrayContaining(["notifications/progress", "elicitation/create"]),
  );
});

test("the newest revision: headers are made from the message, and a cancellation closes the stream", async () => {
  let isClosed = false;
  const { remote, url } = await serve((message, response) => {
    if (message.id === 1) return json(response, { id: 1, result: { resultType: "complete" } });
    events(response, []);
    response.flushHeaders();
    response.on("close", () => {
      isClosed = true;
    });
  });
  const { local } = connect(url);
  local.say({ id: 1, method: "tools/call", params: { name: "größe", _meta: MODERN_META } });
  await local.answer(1);
  const { headers } = remote.received[0] ?? expect.fail();
  expect(headers).toMatchObject({ "mcp-method": "tools/call", "mcp-protocol-version": "2026-07-28" });
  expect(headers["mcp-name"]).toMatch(/^=\?base64\?/);
  expect(headers["mcp-session-id"]).toBeUndefined();

  local.say({ id: 2, method: "tools/call", params: { name: "slow", _meta: MODERN_META } });
  await vi.waitFor(() => expect(remote.received).toHaveLength(2), 20_000);
  local.say({ method: "notifications/cancelled", params: { requestId: 2 } });
  await vi.waitFor(() => expect(isClosed).toBe(true), 20_000);
  expect(remote.methods()).not.toContain("notifications/cancelled");
  expect(local.received).toHaveLength(1);
});

test("in older revisions a cancellation is passed on", async () => {
  const { remote, url } = await serve(sessionful({ current: "s" }, () => {}));
  const { local } = connect(url);
  await shakeHands(local);
  local.say({ id: 5, method: "tools/call", params: { name: "slow" } });
  await vi.waitFor(() => expect(remote.methods()).toContain("tools/call"), 20_000);
  local.say({ method: "notifications/cancelled", params: { requestId: 5 } });
  await vi.waitFor(() => expect(remote.methods()).toContain("notifications/cancelled"), 20_000);
});

test("a server that has lost the session gets a new one, and the client does not notice", async () => {
  const session = { current: "before" };
  const { remote, url } = await serve(
    sessionful(session, (message, response) => json(response, { id: message.id, result: { tools: [] } })),
  );
  const { local } = connect(url);
  await shakeHands(local);
  session.current = "after";
  local.say({ id: 7, method: "tools/list" });
  local.say({ id: 8, method: "tools/list" });
  expect(await local.answer(7)).toMatchObject({ result: { tools: [] } });
  expect(await local.answer(8)).toMatchObject({ result: { tools: [] } });
  expect(remote.methods().filter((method) => method === "initialize")).toHaveLength(2);
  expect(local.received.map(({ id }) => id).sort()).toEqual([0, 7, 8]);
});

test("a refused token is said in both places and ends the bridge with code 1", async () => {
  const { url } = await serve((_message, response) => void response.writeHead(401).end());
  const { local, ended, sentences } = connect(url);
  local.say(INITIALIZE);
  expect(await local.answer(0)).toMatchObject({
    error: { message: expect.stringContaining("refused the token") },
  });
  expect(await ended).toBe(1);
  expect(sentences).toEqual([expect.stringContaining("kenning token create")]);
});

test("it waits for a server that is just starting", async () => {
  const port = await freePort();
  const { local, sentences } = connect(new URL(`http://127.0.0.1:${port}/mcp`));
  local.say({ id: 1, method: "tools/list", params: { _meta: MODERN_META } });
  await vi.waitFor(
    () => expect(sentences).toEqual([expect.stringMatching(/is not running at .*kenning serve/)]),
    20_000,
  );
  await serve((message, response) => json(response, { id: message.id, result: {} }), port);
  expect(await local.answer(1)).toMatchObject({ result: {} });
});

test.each([
  [
    "a broken stream",
    (response: ServerResponse) => {
      events(response, []);
      response.flushHeaders();
      setTimeout(() => response.destroy(), 20);
    },
    "may have been carried out",
  ],
  ["a failing server", (response: ServerResponse) => response.writeHead(503).end(), "HTTP 503"],
  [
    "a refusal in JSON-RPC",
    (response: ServerResponse) =>
      response.writeHead(400).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}'),
    "no",
  ],
  [
    "a wrong address",
    (response: ServerResponse) => response.writeHead(404).end("not found"),
    "no MCP endpoint",
  ],
])("%s answers the request with an error", async (_what, fail, sentence) => {
  const { url } = await serve((_message, response) => void fail(response));
  const { local } = connect(url);
  local.say({ id: 1, method: "tools/list" });
  expect(await local.answer(1)).toMatchObject({
    error: { code: expect.any(Number), message: expect.stringContaining(sentence) },
  });
});

test("when the client closes its end, answers under way still arrive, and the session is ended", async () => {
  const { remote, url } = await serve(
    sessionful({ current: "s" }, (message, response) => {
      setTimeout(() => json(response, { id: message.id, result: {} }), 100);
    }),
  );
  const { local, bridge, ended } = connect(url);
  await shakeHands(local);
  local.say({ id: 1, method: "tools/list" });
  await bridge.drain();
  expect(await local.answer(1)).toMatchObject({ result: {} });
  expect(await ended).toBe(0);
  expect(remote.methods()).toContain("DELETE");
});
