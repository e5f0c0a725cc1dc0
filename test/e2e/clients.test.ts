import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SURFACES, type SurfaceName } from "../../src/registry/caller.ts";
import { mountFixtures } from "../contracts/fixtures.ts";
import { PATHS } from "../support/rpc.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** The official client on all six endpoints, in each of its modes. */

const MODES = {
  legacy: { mode: "legacy", speaks: "2025-11-25" },
  pinned: { mode: { pin: "2026-07-28" }, speaks: "2026-07-28" },
  auto: { mode: "auto", speaks: "2026-07-28" },
} as const;
type Mode = keyof typeof MODES;
const TABLE = (Object.keys(MODES) as Mode[]).flatMap((mode) =>
  SURFACES.map((surface) => ({ mode, surface, speaks: MODES[mode].speaks })),
);

/** The server as it is, and one with more to call. */
let bare: TestServer;
let rich: TestServer;
const tokens = new Map<TestServer, string>();

beforeAll(async () => {
  [bare, rich] = await Promise.all([startTestServer(), startTestServer({ extend: mountFixtures })]);
  for (const server of [bare, rich]) tokens.set(server, await server.token());
});
afterAll(() => Promise.all([bare.stop(), rich.stop()]));

async function connect(server: TestServer, surface: SurfaceName, mode: Mode) {
  const client = new Client(
    { name: "clients-test", version: "1.2.3" },
    { versionNegotiation: { mode: MODES[mode].mode } },
  );
  const headers = { authorization: `Bearer ${tokens.get(server)}` };
  const url = new URL(`${server.url}${PATHS[surface]}`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** What a call of a tool that does not exist looks like on each surface. */
const UNKNOWN_TOOL: Record<SurfaceName, { error: object } | { result: object }> = {
  bi: {
    result: { isError: true, content: [{ text: expect.stringMatching(/^Tool not found: no_such_tool/) }] },
  },
  agent: { error: { code: -32602, data: { knecta_code: "VALIDATION_ERROR" } } },
  memory: { error: { code: -32602 } },
  models: { error: { code: -32602 } },
  knowledge: { error: { code: -32602 } },
  all: { error: { code: -32602 } },
};

async function outcomeOf(client: Client, name: string, args = {}) {
  try {
    return { result: await client.callTool({ name, arguments: args }) };
  } catch (error) {
    const { code, message, data } = error as { code: number; message: string; data: unknown };
    return { error: { code, message, data } };
  }
}

describe.each(TABLE)("the client, $mode, on $surface", ({ mode, surface, speaks }) => {
  it("[all.protocol.client] connects, lists what there is, and learns of what there is not", async () => {
    await using client = await connect(bare, surface, mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(speaks);
    expect(client.getServerVersion()).toMatchObject({ name: "kenning" });
    expect(client.getServerCapabilities()).toMatchObject({ tools: {} });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    const all = bare.app.registry.tools(surface).map(({ name }) => name);
    if (surface === "all") expect(all).toEqual(expect.arrayContaining(names));
    else expect(names).toEqual(all);
    expect(await outcomeOf(client, "no_such_tool")).toMatchObject(UNKNOWN_TOOL[surface]);
  });

  it("[all.protocol.client] calls, and gets results and errors in the surface's form", async () => {
    await using client = await connect(rich, surface, mode);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["fixture_echo", "fixture_fail"]));
    for (const text of ["first", "second"]) {
      const { result } = await outcomeOf(client, "fixture_echo", { text });
      expect(result).toMatchObject({
        isError: false,
        structuredContent: { text },
        content: [{ type: "text" }],
      });
    }
    const failed = await outcomeOf(client, "fixture_fail", { code: "not_found" });
    // In the newest revision "not found" is -32602; older clients of the agent endpoint know it as -32002.
    const agentCode = mode === "legacy" ? -32002 : -32602;
    if (surface === "agent")
      expect(failed).toMatchObject({ error: { code: agentCode, data: { knecta_code: "NOT_FOUND" } } });
    else if (surface === "memory") expect(failed).toMatchObject({ error: { code: 404 } });
    else expect(failed).toMatchObject({ result: { isError: true, content: [{ type: "text" }] } });
  });
});

describe.each(["legacy", "pinned"] as const)("resources, %s", (mode) => {
  it("[all.protocol.client] are listed, read and completed by template", async () => {
    await using client = await connect(rich, "agent", mode);
    expect((await client.listResources()).resources).toMatchObject([{ uri: "knecta://ontologies" }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: "knecta://ontologies/{id}" },
      { uriTemplate: "knecta://ontologies/{id}/datasets/{name}" },
      { uriTemplate: "knecta://failures/{id}" },
    ]);
    expect((await client.readResource({ uri: "knecta://ontologies" })).contents).toMatchObject([
      { text: "[]" },
    ]);
    const missing = client.readResource({ uri: "knecta://nothing" });
    await expect(missing).rejects.toMatchObject({ code: mode === "legacy" ? -32002 : -32602 });
  });
});
