import { randomUUID } from "node:crypto";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { AppError } from "../../src/kernel/errors.ts";
import { LIMITS } from "../../src/kernel/limits.ts";
import { promptsOf } from "../../src/registry/define-prompt.ts";
import { resourcesOf } from "../../src/registry/define-resource.ts";
import type { Slice } from "../../src/registry/registry.ts";
import { serverOfFile } from "../support/server.ts";

/** Resources, prompts and completions take the same path as tools, on every surface that shows them. */

type Services = { notes: Map<string, string> };
const defineResource = resourcesOf<Services>();
const definePrompt = promptsOf<Services>();

/** One of these fits into the answer to a request, two do not. */
const LARGE = "x".repeat(LIMITS.call.resultCharacters / 2);

const slice: Slice<Services> = {
  services: { notes: new Map(Object.entries({ first: "Hello", "a b/c": "Spaces and slashes" })) },
  resources: [
    defineResource({
      uri: { all: "note://all", agent: "knecta://notes" },
      name: "notes",
      title: "All notes",
      description: "The names of all notes.",
      mimeType: "application/json",
      permission: "ontologies:read",
      read: async (_params, { notes }) => ({
        mimeType: "application/json",
        text: JSON.stringify([...notes.keys()]),
      }),
    }),
    defineResource({
      uri: { all: "note://one/{name}", agent: "knecta://notes/{name}" },
      name: "note",
      title: "A note",
      description: "One note by its name.",
      mimeType: "text/plain",
      permission: "ontologies:read",
      list: async ({ notes }) => [...notes.keys()].map((name) => ({ params: { name }, name })),
      complete: async (_param, typed, _known, { notes }) =>
        [...notes.keys()].filter((name) => name.startsWith(typed)),
      read: async ({ name = "" }, { notes }) => {
        const text = name === "large" ? LARGE : notes.get(name);
        if (text === undefined) throw new AppError("not_found", `There is no note ${name}.`);
        return { mimeType: "text/plain", text };
      },
    }),
    defineResource({
      uri: { all: "note://secret" },
      name: "secret",
      title: "For admins",
      description: "Only admins may read this.",
      mimeType: "text/plain",
      permission: "admin",
      read: async () => ({ mimeType: "text/plain", text: "sesame" }),
    }),
  ],
  prompts: [
    definePrompt({
      name: "summarise",
      surfaces: ["all"],
      title: "Summarise a note",
      description: "Asks for a summary of one note.",
      permission: "ontologies:read",
      arguments: [{ name: "note", description: "Its name", required: true }],
      complete: async (_argument, typed, _known, { notes }) =>
        [...notes.keys()].filter((name) => name.startsWith(typed)),
      get: async ({ note = "" }, { notes }) => [
        { role: "user", content: { type: "text", text: `Summarise: ${notes.get(note)}` } },
      ],
    }),
  ],
};

const server = await serverOfFile({ extend: (registry) => registry.add(slice) });
const viewer = await server.token({ role: "viewer" });
const acme = (await server.app.identity.workspaces.bySlug("acme")).id;

async function connect(era: "legacy" | "modern"): Promise<Client> {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "resources", version: "1.0.0" }, { versionNegotiation });
  const headers = { authorization: `Bearer ${viewer}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

describe.each(["legacy", "modern"] as const)("resources (%s)", (era) => {
  it("are listed, with those of a template, and only what the caller may read", async () => {
    const client = await connect(era);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      "kenning://models",
      "kenning://preferences",
      "note://all",
      "note://one/first",
      "note://one/a%20b%2Fc",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: "kenning://models/{id}" },
      { uriTemplate: "kenning://models/{id}/datasets/{name}" },
      { uriTemplate: "kenning://memories/{id}" },
      { uriTemplate: "kenning://answers/{id}" },
      { uriTemplate: "kenning://exports/{ticket}" },
      { uriTemplate: "note://one/{name}", mimeType: "text/plain" },
    ]);
    await client.close();
  });

  it("are read by the address that the list gave", async () => {
    const client = await connect(era);
    const { contents } = await client.readResource({ uri: "note://one/a%20b%2Fc" });
    expect(contents).toEqual([
      { uri: "note://one/a%20b%2Fc", mimeType: "text/plain", text: "Spaces and slashes" },
    ]);
    await client.close();
  });

  it("are refused when they do not exist or are not allowed", async () => {
    const client = await connect(era);
    await expect(client.readResource({ uri: "note://one/nothing" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: "other://x" })).rejects.toMatchObject({ code: -32602 });
    await expect(client.readResource({ uri: "note://secret" })).rejects.toThrow(/admin is missing/);
    await client.close();
  });

  it("are completed, as prompts are", async () => {
    const client = await connect(era);
    const argument = { name: "name", value: "f" };
    const ref = { type: "ref/resource" as const, uri: "note://one/{name}" };
    expect((await client.complete({ ref, argument })).completion.values).toEqual(["first"]);
    const prompt = { type: "ref/prompt" as const, name: "summarise" };
    const completed = await client.complete({ ref: prompt, argument: { name: "note", value: "a" } });
    expect(completed.completion.values).toEqual(["a b/c"]);
    await client.close();
  });

  it("are audited by their address", async () => {
    const client = await connect(era);
    await client.readResource({ uri: "note://all" });
    await server.app.identity.audit.flush();
    const { id } = await server.app.identity.workspaces.bySlug("acme");
    const { events } = await server.app.identity.audit.list(id, { action: "mcp.resource.read", limit: 1 });
    expect(events).toMatchObject([{ resourceType: "mcp_resource", resourceId: "note://all", success: true }]);
    await client.close();
  });

  it("gives prompts, and says which argument is missing", async () => {
    const client = await connect(era);
    const { messages } = await client.getPrompt({ name: "summarise", arguments: { note: "first" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Summarise: Hello" } }]);
    await expect(client.getPrompt({ name: "summarise" })).rejects.toThrow(/note is required/);
    await expect(client.getPrompt({ name: "nothing" })).rejects.toThrow(/Unknown prompt/);
    await client.close();
  });
});

describe("an answer", () => {
  const ask = async (json: object) => (await server.request("/mcp", { json, token: viewer })).text();
  const read = (uri: string, id = 1) => ({ jsonrpc: "2.0", id, method: "resources/read", params: { uri } });

  it("does not repeat an address that is too long to be one", async () => {
    for (const start of ["other://", "note://one/"]) {
      const answer = await ask(read(start + "x".repeat(1_000_000)));
      expect(answer).toMatch(/Resource not found: (other|note):\/\//);
      expect(answer.length).toBeLessThan(4_000);
    }
  });

  it("has a largest size, over all of a batch", async () => {
    const answers = JSON.parse(await ask([read("note://one/large"), read("note://one/large", 2)]));
    const texts = answers.map(({ result, error }: { result?: object; error?: { message: string } }) =>
      result === undefined ? error?.message : "result",
    );
    expect(texts.sort()).toEqual([expect.stringMatching(/results of one request can have 32 MiB/), "result"]);
  });
});

const allNotes = () => ({ workspaceId: acme, resource: "notes", params: {} });
const noteNamed = (name: string) => ({ workspaceId: acme, resource: "note", params: { name: [name] } });

describe("changes of resources", () => {
  it("reach an older client that subscribed, until it unsubscribes", async () => {
    const client = await connect("legacy");
    const seen: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void seen.push(params.uri),
    );
    await client.subscribeResource({ uri: "note://all" });
    await client.subscribeResource({ uri: "note://one/first" });
    const endpoint = server.app.endpoints.get("all");
    // The stream for what the server says by itself is opened behind the scenes, a moment later.
    await expect
      .poll(async () => {
        await endpoint?.announce(allNotes());
        return seen.length;
      })
      .toBeGreaterThan(0);
    await client.unsubscribeResource({ uri: "note://all" });
    // What was announced before comes before this, however late it is.
    await endpoint?.announce(noteNamed("first"));
    await expect.poll(() => seen).toContain("note://one/first");
    seen.length = 0;
    await endpoint?.announce(allNotes());
    await endpoint?.announce(noteNamed("a b/c"));
    await endpoint?.announce(noteNamed("first"));
    await expect.poll(() => seen).toContain("note://one/first");
    expect(seen).toEqual(["note://one/first"]);
    await client.close();
  });
});

describe("changes of resources, newest revision", () => {
  it("reach a client that listens, and nobody may listen to what they may not read", async () => {
    const client = await connect("modern");
    const seen: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void seen.push(params.uri),
    );
    await expect(client.listen({ resourceSubscriptions: ["note://secret"] })).rejects.toThrow();
    const subscription = await client.listen({ resourceSubscriptions: ["note://all"] });
    await server.app.endpoints.get("all")?.announce(noteNamed("first"));
    await server.app.endpoints.get("all")?.announce(allNotes());
    await expect.poll(() => seen).toEqual(["note://all"]);
    await subscription.close();
    await client.close();
  });

  it("older clients may not subscribe to what they may not read either", async () => {
    const client = await connect("legacy");
    await expect(client.subscribeResource({ uri: "note://secret" })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });
});

describe("what one workspace hears of another", () => {
  it("is nothing, even with the same session id and the same address", async () => {
    const workspace = `evil-${randomUUID()}`;
    await server.app.identity.workspaces.create({ slug: workspace });
    const eve = await server.token({ role: "viewer", workspace });
    const open = async (token: string) => {
      const headers = { "mcp-session-id": "main", accept: "text/event-stream" };
      const rpc = (method: string, params = {}) =>
        server.request("/api/data-agent/mcp", {
          token,
          headers,
          json: { jsonrpc: "2.0", id: method, method, params },
        });
      await (await rpc("ping")).text();
      const stream = await server.request("/api/data-agent/mcp", { token, headers });
      const heard: string[] = [];
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      const listening = (async () => {
        for (let chunk = await reader?.read(); chunk?.done === false; chunk = await reader?.read())
          heard.push(chunk.value);
      })();
      return { rpc, heard, close: () => reader?.cancel(), listening };
    };
    const [alice, stranger] = [await open(viewer), await open(eve)];
    await (await alice.rpc("resources/subscribe", { uri: "knecta://notes" })).text();
    await server.app.endpoints.get("agent")?.announce(allNotes());
    await expect.poll(() => alice.heard.join("")).toContain("knecta://notes");
    expect(stranger.heard.join("")).not.toContain("knecta://notes");
    await Promise.all([alice.close(), stranger.close()]);
    await Promise.all([alice.listening, stranger.listening]);
  });
});

describe("the agent's own codes", () => {
  it("has -32002 for what is not there, which the newest revision no longer has", async () => {
    const read = (uri: string) =>
      server.request("/api/data-agent/mcp", {
        token: viewer,
        headers: { "mcp-session-id": "mine" },
        json: { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri } },
      });
    expect(await (await read("knecta://notes/nothing")).json()).toMatchObject({
      error: { code: -32002, data: { knecta_code: "NOT_FOUND" } },
    });
    expect(await (await read("knecta://elsewhere")).json()).toMatchObject({ error: { code: -32002 } });
    expect(await (await read("knecta://notes/first")).json()).toMatchObject({
      result: { contents: [{ text: "Hello" }] },
    });
  });
});
