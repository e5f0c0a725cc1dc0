import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  failure,
  LIMITS_OF_TESTS,
  open,
  readRows,
  testNetwork,
} from "../../../../../test/support/connectors.ts";
import { spoiler } from "../../../../../test/support/database-proxy.ts";
import { type PostgresSource, startPostgresSource } from "../../../../../test/support/postgres-source.ts";
import { TEST_CERT, TEST_KEY } from "../../../../../test/support/web-servers.ts";
import { isAppError } from "../../../../kernel/errors.ts";
import { LIMITS } from "../../limits.ts";

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 500 : 30;

let source: PostgresSource;

beforeAll(async () => {
  source = await startPostgresSource();
});
afterAll(() => source.stop());
afterEach(async () => {
  source.tamper(undefined);
  await vi.waitFor(() => expect(source.openConnections()).toBe(0), 20_000);
});

const fakes: Server[] = [];
afterEach(() => {
  for (const fake of fakes.splice(0)) fake.close();
});

/** A server that is none. */
async function fake(talk: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    talk(socket);
  });
  fakes.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { ...source, port: (server.address() as AddressInfo).port };
}

/** One message of the server: a letter, the length, the content. */
function message(letter: string, ...parts: (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const header = Buffer.alloc(5);
  header.write(letter);
  header.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

const READY = message("Z", "I");
const WELCOME = Buffer.concat([message("R", [0, 0, 0, 0]), message("K", [0, 0, 0, 1, 0, 0, 0, 2]), READY]);
const DONE = message("C", "SELECT 1\0");

/** A server that lets everybody in and answers the query itself with these bytes. */
function fakeWithAnswer(answer: Buffer) {
  return fake((socket) => {
    socket.on("data", (request: Buffer) => {
      if (request.length === 8) socket.write("N");
      else if (request[0] === 0) socket.write(WELCOME);
      else if (request[0] === 0x51) socket.write(Buffer.concat([DONE, READY]));
      else socket.write(answer);
    });
  });
}

/** One column of type `oid`. */
const rowDescription = (oid: number): Buffer =>
  message("T", [0, 1], "x\0", [0, 0, 0, 0, 0, 0, 0, 0, oid >> 8, oid & 255, 0, 4, 255, 255, 255, 255, 0, 0]);
const dataRow = (text: string): Buffer => message("D", [0, 1, 0, 0, 0, text.length], text);

describe("a server that hangs", () => {
  it.each([
    ["from the beginning", () => undefined],
    ["after the question for TLS", (socket: Socket) => void socket.once("data", () => socket.write("N"))],
    [
      "after it let us in",
      (socket: Socket) =>
        void socket
          .once("data", () => socket.write("N"))
          .on("data", (request) => request[0] === 0 && request.length > 8 && socket.write(WELCOME)),
    ],
    [
      "in the middle of a TLS handshake",
      (socket: Socket) => void socket.once("data", () => socket.write("S")),
    ],
  ])("%s", async (_when, talk) => {
    const connector = await open("postgresql", await fake(talk));
    const started = performance.now();
    expect(await failure(readRows(connector, "SELECT 1", { timeoutMs: 400 }))).toMatchObject({
      code: "timeout",
    });
    expect(performance.now() - started).toBeLessThan(9_000);
    const cancelled = failure(connector.test(AbortSignal.timeout(200)));
    expect(await cancelled).toMatchObject({ code: "timeout" });
  });

  it("after some rows", async () => {
    let bytes = 0;
    source.tamper((chunk) => {
      bytes += chunk.length;
      return bytes > 300_000 ? "silence" : chunk;
    });
    const connector = await open("postgresql", source);
    const query = "SELECT repeat('x', 1000) FROM generate_series(1, 10000)";
    expect(await failure(readRows(connector, query, { timeoutMs: 1_500 }))).toMatchObject({
      code: "timeout",
    });
  });
});

describe("a server that goes away", () => {
  it("in the middle of a row", async () => {
    let bytes = 0;
    source.tamper((chunk) => {
      bytes += chunk.length;
      return bytes > 300_000 ? "close" : chunk;
    });
    const connector = await open("postgresql", source);
    const error = await failure(
      readRows(connector, "SELECT repeat('x', 1000) FROM generate_series(1, 10000)"),
    );
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("closed the connection"),
    });
  });

  it("when its operator ends the session", async () => {
    const connector = await open("postgresql", source);
    const running = failure(readRows(connector, "SELECT pg_sleep(60)"));
    await vi.waitFor(async () => expect(await source.running()).toContain("SELECT pg_sleep(60)"), 20_000);
    await source.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${source.user}'`,
    );
    expect(await running).toMatchObject({ code: "unavailable" });
  });

  it("at once", async () => {
    const connector = await open("postgresql", await fake((socket) => socket.destroy()));
    expect(await failure(connector.test())).toMatchObject({ code: "unavailable" });
  });

  it("before it was ever there", async () => {
    const gone = await fake(() => undefined);
    fakes.pop()?.close();
    const error = await failure((await open("postgresql", gone)).test());
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("Nothing answers") });
  });
});

describe("a server that lies", () => {
  const read = async (answer: Buffer, timeoutMs: number) => {
    const connector = await open("postgresql", await fakeWithAnswer(answer));
    return failure(readRows(connector, "SELECT 1", { timeoutMs }));
  };
  const START = Buffer.concat([message("1"), message("2")]);

  it.each([
    ["text for an integer", 23, "many"],
    ["a huge integer", 23, "99999999999999999999"],
    ["text for a date", 1082, "yesterday"],
    ["text for bytes", 17, "bytes"],
    ["no JSON", 114, "{"],
    ["no array", 1007, "{1,2"],
    ["text for a truth value", 16, "maybe"],
    ["text for a number", 701, ""],
    ["an array too deep", 1007, "{".repeat(250)],
  ])("sends %s", async (_what, oid, text) => {
    const answer = Buffer.concat([START, rowDescription(oid), dataRow(text), DONE, READY]);
    const error = await read(answer, 20_000);
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("the column x") });
    expect(error.message).not.toContain("many");
  });

  it.each([
    ["no web page", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a row without columns before", Buffer.concat([START, dataRow("1")])],
    [
      "a row with more columns",
      Buffer.concat([
        START,
        rowDescription(25),
        message("D", [0, 2, 0, 0, 0, 1], "1", [0, 0, 0, 1], "2"),
        DONE,
        READY,
      ]),
    ],
    [
      "a row that ends too early",
      Buffer.concat([START, rowDescription(25), message("D", [0, 1, 0, 0, 9, 9], "1")]),
    ],
    ["a negative length", Buffer.from([0x44, 0xff, 0xff, 0xff, 0xff, 1, 2, 3])],
    ["an endless message", Buffer.from([0x44, 0x7f, 0xff, 0xff, 0xff, 1, 2, 3])],
    ["an unknown message", message("?", "x")],
  ])("sends %s", async (_what, answer) => {
    expect(isAppError(await read(answer, 300))).toBe(true);
  });

  it("answers the question for TLS with more than was asked", async () => {
    const server = await fake(
      (socket) => void socket.once("data", () => socket.write(Buffer.concat([Buffer.from("S"), WELCOME]))),
    );
    expect(await failure((await open("postgresql", server)).test())).toMatchObject({ code: "unavailable" });
  });

  it("spoils bytes anywhere", { timeout: 600_000 }, async () => {
    const query = "SELECT x, 'text', ARRAY[x], '{}'::jsonb, now() FROM generate_series(1, 200) x";
    for (let round = 0; round < ROUNDS; round += 1) {
      source.tamper(spoiler(round));
      const connector = await open("postgresql", source, { tls: round % 2 === 0 ? "prefer" : "disable" });
      await readRows(connector, query, { timeoutMs: 200 }).catch((error) => {
        if (!isAppError(error)) throw error;
        expect(error.message).not.toMatch(/at .*\.js|undefined|NaN/);
      });
    }
  });
});

describe("TLS", () => {
  let secured: PostgresSource;
  beforeAll(async () => {
    secured = await startPostgresSource({ tls: { key: TEST_KEY, cert: TEST_CERT } });
  });
  afterAll(() => secured.stop());
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const connect = (settings: Record<string, unknown>, host = "secure.test") =>
    open("postgresql", { ...secured, host }, settings, { network: testNetwork({ resolve }) });

  it.each(["prefer", "require"])("%s uses it", async (tls) => {
    const connector = await connect({ tls });
    expect((await readRows(connector, "SELECT 1")).rows).toEqual([[1]]);
  });

  it("cancels over TLS, too", async () => {
    const controller = new AbortController();
    const connector = await connect({ tls: "require" });
    const running = failure(readRows(connector, "SELECT pg_sleep(60)", { signal: controller.signal }));
    await vi.waitFor(async () => expect(await secured.running()).toHaveLength(1), 20_000);
    controller.abort();
    expect(await running).toMatchObject({ code: "cancelled" });
    await vi.waitFor(async () => expect(await secured.running()).toEqual([]), 20_000);
  });

  it("gives each connection back", async () => {
    const connector = await connect({ tls: "require" });
    for (let round = 0; round < LIMITS.datasources.connections + 2; round += 1) {
      expect((await readRows(connector, "SELECT 1")).rows).toEqual([[1]]);
    }
  });

  it("streams much over it", async () => {
    const connector = await connect({ tls: "require" });
    const { rows } = await readRows(connector, "SELECT repeat('y', 1000) FROM generate_series(1, 20000)");
    expect(rows).toHaveLength(20_000);
  });

  it("verify-full checks the certificate against the name that was given", async () => {
    const good = await connect({ tls: "verify-full", ca: TEST_CERT });
    expect((await readRows(good, "SELECT 1")).rows).toEqual([[1]]);
    const bad = [
      connect({ tls: "verify-full" }),
      connect({ tls: "verify-full", ca: TEST_CERT }, "other.test"),
    ];
    for (const connector of await Promise.all(bad)) {
      const error = await failure(connector.test());
      expect(error).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("secure connection"),
      });
    }
  });

  it("is not given up where it is required", async () => {
    for (const tls of ["require", "verify-full"]) {
      const connector = await open("postgresql", source, { tls });
      expect(await failure(connector.test())).toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("TLS"),
      });
    }
    expect(await (await open("postgresql", source, { tls: "prefer" })).test()).toMatchObject({ ok: true });
  });

  it("leaves nothing behind when a reader stops", async () => {
    const connector = await connect({ tls: "require" });
    for await (const _ of connector.run("SELECT generate_series(1, 10000000)", LIMITS_OF_TESTS)) break;
    await vi.waitFor(() => expect(secured.openConnections()).toBe(0), 20_000);
  });
});
