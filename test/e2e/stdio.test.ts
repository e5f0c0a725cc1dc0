import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CommandLine, LAUNCHER } from "../support/command-line.ts";

let kenning: CommandLine;
let server: Awaited<ReturnType<CommandLine["serve"]>>;
let token: string;

beforeAll(async () => {
  kenning = await CommandLine.open();
  server = await kenning.serve();
  const line = "token create --user admin@localhost --workspace default --kind mcp";
  token = (await kenning.run(line.split(" "))).out.trim();
});
afterAll(async () => {
  server.child.kill();
  await server.stopped;
  kenning.remove();
});

async function connect(era: "legacy" | "modern"): Promise<Client> {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "desktop", version: "1" }, { versionNegotiation });
  const env = { ...kenning.env, KENNING_TOKEN: token };
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [LAUNCHER, "stdio"],
      env,
      cwd: kenning.home,
      stderr: "ignore",
    }),
  );
  return client;
}

describe.each(["legacy", "modern"] as const)("a desktop client of the %s revision", (era) => {
  test("sees and calls the tools of /mcp", async () => {
    const client = await connect(era);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["whoami", "list_toolsets"]));
    const result = await client.callTool({ name: "whoami", arguments: {} });
    expect(JSON.stringify(result.structuredContent)).toContain("admin@localhost");
    await client.close();
  });

  test("goes on after the server has been restarted", async () => {
    const client = await connect(era);
    server.child.kill();
    await server.stopped;
    const call = client.callTool({ name: "whoami", arguments: {} });
    call.catch(() => undefined);
    server = await kenning.serve();
    expect((await call).isError).not.toBe(true);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });
});

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';

test("a message that is piped in is answered before the bridge ends, with nothing else on stdout", async () => {
  const { code, out, err } = await kenning.run(["stdio"], { input: PING, env: { KENNING_TOKEN: token } });
  expect(err).toBe("");
  expect(
    out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([{ jsonrpc: "2.0", id: 1, result: {} }]);
  expect(code).toBe(0);
});

test("a bad token is said once, and in the answer", async () => {
  const { code, out, err } = await kenning.run(["stdio", "--token", "kapi_wrong"], { input: PING });
  expect(code).toBe(1);
  expect(err).toMatch(/^kenning: .* refused the token; make a new one with: kenning token create .*\n$/);
  expect(JSON.parse(out)).toMatchObject({
    id: 1,
    error: { message: expect.stringContaining("refused the token") },
  });
});

test("a missing token, and a URL that is none", async () => {
  expect(await kenning.run(["stdio"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^kenning: A token is missing\./),
  });
  const bad = await kenning.run(["stdio", "--token", "t", "--url", "localhost"]);
  expect(bad).toMatchObject({ code: 1, out: "", err: expect.stringContaining("must be a URL") });
});

test("a server that is not running is said once, and in the answer", async () => {
  const nowhere = await CommandLine.open();
  const { code, out, err } = await nowhere.run(["stdio", "--token", "t"], { input: PING });
  nowhere.remove();
  const sentence = `Kenning is not running at ${nowhere.url}; start it with: kenning serve`;
  expect(err).toBe(`kenning: ${sentence}\n`);
  expect(JSON.parse(out)).toMatchObject({ id: 1, error: { message: sentence } });
  expect(code).toBe(1);
});
