import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { failure, open, readRows } from "../../../../../test/support/connectors.ts";
import { spoiler, startProxy, type TestProxy } from "../../../../../test/support/database-proxy.ts";
import { hasMariadb, type Mariadb, needsMariadb, startMariadb } from "../../../../../test/support/mariadb.ts";
import { isAppError } from "../../../../kernel/errors.ts";

const ROUNDS = process.env.KENNING_TEST_LONG === "1" ? 200 : 20;

const fakes: Server[] = [];
afterEach(() => {
  for (const fake of fakes.splice(0)) fake.close();
});

const LOGIN = { host: "127.0.0.1", user: "u", password: "secret-password", database: "d" };

/** A server that is none. */
async function fake(talk: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    talk(socket);
  });
  fakes.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { ...LOGIN, port: (server.address() as AddressInfo).port };
}

/** One packet of the server: three bytes of length, its number, the content. */
function packet(number: number, ...parts: (string | number[] | Buffer)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  return Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, number]), body]);
}

const GREETING = packet(
  0,
  [10],
  "8.0.30\0",
  [1, 0, 0, 0],
  "12345678\0",
  [0xff, 0xf7, 45, 2, 0, 0x0f, 0x80, 21],
  Buffer.alloc(10),
  "123456789012\0",
  "mysql_native_password\0",
);
const OK = (number: number): Buffer => packet(number, [0, 0, 0, 2, 0, 0, 0]);
const EOF = (number: number): Buffer => packet(number, [0xfe, 0, 0, 2, 0]);
const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);

/** One column of a type, and one row. */
const result = (type: number, value: string): Buffer =>
  Buffer.concat([
    packet(1, [1]),
    packet(2, text("def"), text(""), text(""), text(""), text("x"), text("x"), [
      12,
      45,
      0,
      255,
      0,
      0,
      0,
      type,
      0,
      0,
      0,
      0,
      0,
    ]),
    EOF(3),
    packet(4, text(value)),
    EOF(5),
  ]);

/** A server that lets everybody in and answers queries that are not about itself with these bytes. */
function fakeWithAnswer(answer: Buffer) {
  return fake((socket) => {
    socket.write(GREETING);
    socket.on("data", (request: Buffer) => {
      const sql = request.subarray(5).toString("latin1");
      if (request[3] !== 0) socket.write(OK(2));
      else if (sql.includes("VERSION()")) socket.write(result(253, "8.0.30"));
      else socket.write(/^(SET|START)/.test(sql) ? OK(1) : answer);
    });
  });
}

describe("a server that hangs", () => {
  it.each([
    ["from the beginning", () => undefined],
    ["after its greeting", (socket: Socket) => void socket.write(GREETING)],
    [
      "after it let us in",
      (socket: Socket) => void socket.once("data", () => socket.write(OK(2))).write(GREETING),
    ],
  ])("%s", async (_when, talk) => {
    const connector = await open("mysql", await fake(talk));
    expect(await failure(readRows(connector, "SELECT 1", { timeoutMs: 300 }))).toMatchObject({
      code: "timeout",
    });
    expect(await failure(connector.test(AbortSignal.timeout(200)))).toMatchObject({ code: "timeout" });
  });
});

describe("a server that lies", () => {
  const read = async (answer: Buffer, timeoutMs: number) => {
    const connector = await open("mysql", await fakeWithAnswer(answer), { tls: "disable" });
    return failure(readRows(connector, "SELECT 1", { timeoutMs }));
  };

  it("is believed as long as it makes sense", async () => {
    const connector = await open("mysql", await fakeWithAnswer(result(3, "42")), { tls: "disable" });
    expect((await readRows(connector, "SELECT 1")).rows).toEqual([[42]]);
  });

  it.each([
    ["text for an integer", 3, "many"],
    ["text for a large integer", 8, "1e5"],
    ["text for a date", 10, "yesterday"],
    ["text for a time", 11, "noon"],
    ["text for a decimal", 246, "much"],
    ["no JSON", 245, "{"],
  ])("sends %s", async (_what, type, value) => {
    const error = await read(result(type, value), 20_000);
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("the column x") });
  });

  it.each([
    ["a web page", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["an unknown error", packet(1, [0xff, 0x48, 4], "#HY000", "secret-password was wrong")],
    [
      "a row that ends too early",
      Buffer.concat([result(253, "x").subarray(0, -20), packet(4, [250], "x"), EOF(5)]),
    ],
    ["an endless packet", Buffer.from([255, 255, 255, 1, 1, 1])],
    ["a request for a file of ours", packet(1, [0xfb], "/etc/passwd")],
    ["nothing but numbers", Buffer.alloc(100_000, 7)],
  ])("sends %s", async (_what, answer) => {
    const error = await read(answer, 300);
    expect(isAppError(error)).toBe(true);
    expect(JSON.stringify([error, error.message])).not.toContain("secret-password");
  });

  it("asks for the password unencrypted", async () => {
    let received = "";
    const server = await fake((socket) => {
      socket.write(GREETING);
      socket.on("data", (request) => {
        received += request.toString("latin1");
        socket.write(packet(2, [0xfe], "mysql_clear_password\0"));
      });
    });
    const error = await failure((await open("mysql", server, { tls: "disable" })).test());
    expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("unencrypted") });
    expect(received).not.toContain("secret-password");
  });

  it("has no TLS where it is required", async () => {
    const connector = await open("mysql", await fakeWithAnswer(OK(1)), { tls: "require" });
    expect(await failure(connector.test())).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("TLS"),
    });
    const preferring = await open("mysql", await fakeWithAnswer(result(3, "1")), { tls: "prefer" });
    expect((await readRows(preferring, "SELECT 1")).rows).toEqual([[1]]);
  });
});

describe("a server whose words are spoilt on the way", () => {
  let server: Mariadb;
  let proxy: TestProxy;
  beforeAll(async () => {
    if (!hasMariadb()) return;
    server = await startMariadb();
    proxy = await startProxy({ host: "127.0.0.1", port: server.port });
  });
  afterAll(async () => {
    proxy?.stop();
    await server?.stop();
  });
  beforeEach(needsMariadb);
  afterEach(async () => {
    proxy?.tamper(undefined);
    await vi.waitFor(() => expect(proxy?.openConnections()).toBe(0), 20_000);
  });
  const connect = () => open("mariadb", { ...server, port: proxy.port });
  const MANY = "SELECT seq, repeat('x', 1000), now() FROM seq_1_to_10000";

  it.each(["close", "silence"] as const)("ends in %s after some rows", async (end) => {
    let bytes = 0;
    proxy.tamper((chunk) => {
      bytes += chunk.length;
      return bytes > 300_000 ? end : chunk;
    });
    const error = await failure(
      readRows(await connect(), MANY, { timeoutMs: end === "close" ? 20_000 : 1_000 }),
    );
    expect(error).toMatchObject({ code: end === "close" ? "unavailable" : "timeout" });
  });

  it("never ends the process", { timeout: 600_000 }, async () => {
    vi.spyOn(console, "error").mockReturnValue(); // The client library says there that packets are out of order.
    for (let round = 0; round < ROUNDS; round += 1) {
      proxy.tamper(spoiler(round));
      await readRows(await connect(), "SELECT seq, 'x', now() FROM seq_1_to_200", { timeoutMs: 200 }).catch(
        (error) => {
          if (!isAppError(error)) throw error;
          expect(error.message).not.toMatch(/at .*\.js|undefined|NaN/);
        },
      );
    }
  });
});
