import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { callTool } from "../../../../test/support/mcp.ts";
import { modernRpc, rpc } from "../../../../test/support/rpc.ts";
import { serverOfFile } from "../../../../test/support/server.ts";

const MODES = { legacy: "legacy", modern: { pin: "2026-07-28" } } as const;
type Mode = keyof typeof MODES;

const server = await serverOfFile();
const token = await server.token();

interface Connected extends AsyncDisposable {
  client: Client;
  /** The names of the list that the client fetched when it was told of a change. */
  changed: Promise<string[]>;
  names(): Promise<string[]>;
}

async function connect(
  mode: Mode,
  { as = token, path = "/mcp", name = "toolsets" } = {},
): Promise<Connected> {
  const { promise: changed, resolve } = Promise.withResolvers<string[]>();
  const onChanged = (_error: unknown, tools: { name: string }[] | null) =>
    resolve((tools ?? []).map((tool) => tool.name));
  const client = new Client(
    { name, version: "1.0.0" },
    { versionNegotiation: { mode: MODES[mode] }, listChanged: { tools: { onChanged } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${as}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}${path}`), { requestInit }));
  const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
  return { client, changed, names, [Symbol.asyncDispose]: () => client.close() };
}

async function enable(client: Client, toolset: string) {
  const result = await client.callTool({ name: "enable_toolset", arguments: { toolset } });
  return { result, shown: result.structuredContent as { tools: string[]; url: string; message: string } };
}

async function refusal(as: string, args: Record<string, unknown>): Promise<string> {
  const { result } = await callTool(server, as, "enable_toolset", args);
  expect(result?.isError).toBe(true);
  return result?.content[0]?.text ?? "";
}

describe("enable_toolset", () => {
  it.each(["legacy", "modern"] as const)(
    "changes the list that a %s client is shown, and tells it",
    async (mode) => {
      await using connected = await connect(mode, { name: `tells ${mode}` });
      expect(await connected.names()).not.toContain("save_semantic_model");
      const { shown } = await enable(connected.client, "modeling");
      expect(shown.tools).toContain("save_semantic_model");
      expect(shown.url).toMatch(/^http:.*\/mcp\?toolsets=\+modeling$/);
      expect(shown.message).toMatch(mode === "legacy" ? /until this session ends/ : /There is no session/);
      const names = await connected.changed;
      expect(names).toEqual(expect.arrayContaining([...shown.tools, "whoami", "get_data"]));
      expect(names).not.toContain("list_audit_events");
      expect(await connected.names()).toEqual(names);
      // Another time there is nothing to be done, and another toolset comes to the first.
      expect((await enable(connected.client, "modeling")).shown.message).toBe(
        "These tools were listed already.",
      );
      expect((await enable(connected.client, "admin")).shown.url).toMatch(/\?toolsets=\+modeling,\+admin$/);
    },
  );

  it("changes the list of one session, and of no other", async () => {
    await using one = await connect("legacy");
    await using other = await connect("legacy");
    await enable(one.client, "datasources");
    expect(await one.changed).toContain("create_datasource");
    expect(await other.names()).not.toContain("create_datasource");
    expect(await one.names()).toContain("create_datasource");
  });

  it("changes, without sessions, the list of one client with its token", async () => {
    const list = async (as: string, call = modernRpc) => {
      const { body } = await call<{ tools: { name: string }[] }>(server, "/mcp", "tools/list", { token: as });
      return body.result?.tools.map(({ name }) => name);
    };
    const args = { name: "enable_toolset", arguments: { toolset: "datasources" } };
    const { body } = await modernRpc(server, "/mcp", "tools/call", { token, params: args });
    expect(body.result).toMatchObject({ isError: false });
    expect(await list(token)).toContain("create_datasource");
    expect(await list(await server.token())).not.toContain("create_datasource");
    expect(await list(token, rpc)).not.toContain("create_datasource");
  });

  it("adds to what the address chose", async () => {
    await using connected = await connect("legacy", { path: "/mcp?toolsets=models" });
    const { shown } = await enable(connected.client, "modeling");
    expect(shown.url).toMatch(/\/mcp\?toolsets=models,modeling$/);
    const names = await connected.changed;
    expect(names).toEqual(expect.arrayContaining(["execute_query", "save_semantic_model"]));
    expect(names).not.toContain("get_data");
    await using readOnly = await connect("legacy", { path: "/mcp?readonly" });
    const few = (await enable(readOnly.client, "modeling")).shown;
    expect(few.tools).toEqual(expect.arrayContaining(["read_semantic_model", "list_model_drafts"]));
    expect(few.tools).not.toContain("save_semantic_model");
    expect(few.url).toMatch(/\?toolsets=\+modeling&readonly=true$/);
    expect((await readOnly.changed).filter((name) => name.includes("save"))).toEqual([]);
  });

  it("never widens a token", async () => {
    const as = await server.token({ limits: { toolsets: ["system", "models"] } });
    expect(await refusal(as, { toolset: "modeling" })).toBe(
      "modeling is none of the toolsets that this token is for. It is for system, models. Use another token.",
    );
    await using connected = await connect("legacy", { as });
    const before = await connected.names();
    expect((await enable(connected.client, "admin")).result.isError).toBe(true);
    expect(await connected.names()).toEqual(before);
    const elsewhere = await server.token({ limits: { toolsets: ["models"] } });
    expect((await callTool(server, elsewhere, "enable_toolset", { toolset: "admin" })).error?.code).toBe(
      -32602,
    );
    const named = await server.token({ limits: { models: ["shop"] } });
    const { result } = await callTool(server, named, "enable_toolset", { toolset: "modeling" });
    expect(result?.structuredContent).toMatchObject({
      tools: ["read_semantic_model", "list_verified_questions"],
    });
  });

  it("gives a viewer only what a viewer may use", async () => {
    const as = await server.token({ role: "viewer" });
    expect(await refusal(as, { toolset: "admin" })).toMatch(
      /none of the tools of admin\. Your role is viewer.* list_toolsets shows/,
    );
    await using connected = await connect("modern", { as });
    const { shown } = await enable(connected.client, "datasources");
    expect(shown.tools).toEqual(["list_datasources"]);
    expect(await connected.changed).not.toContain("create_datasource");
  });

  it("names the toolsets there are to whoever asks for another", async () => {
    expect(await refusal(token, { toolset: "dance" })).toMatch(/toolset.*system.*modeling.*admin/s);
  });

  it("needs a token", async () => {
    expect(await callTool(server, undefined, "enable_toolset", { toolset: "admin" })).toMatchObject({
      status: 401,
    });
  });
});
