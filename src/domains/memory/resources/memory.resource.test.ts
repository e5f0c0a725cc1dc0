import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, describe, expect, it } from "vitest";
import { startMemory } from "../../../../test/support/memory.ts";

const { server, acme, stop } = await startMemory();
afterAll(stop);

const uriOf = (id: string) => `kenning://memories/${id}`;

async function connect(era: "legacy" | "modern", token: string) {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "reader", version: "1.0.0" }, { versionNegotiation });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  return client;
}

describe("a memory as a resource", () => {
  it("is listed, completed and read, by its own workspace only", async () => {
    const anna = await acme.store("Leads onboarding.", { title: "Anna", tags: ["person"] });
    const note = await acme.store("Ask [[Anna]].", { title: "Who to ask", source: "handbook" });
    const client = await connect("modern", await server.token({ role: "viewer" }));
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri: uriOf(note), title: "Who to ask" }));
    const ref = { type: "ref/resource" as const, uri: uriOf("{id}") };
    const { completion } = await client.complete({ ref, argument: { name: "id", value: note.slice(0, 9) } });
    expect(completion.values).toContain(note);
    const { contents } = await client.readResource({ uri: uriOf(note) });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({
      memory_id: note,
      content: "Ask [[Anna]].",
      source: "handbook",
      outgoing: [{ rel_type: "REFERENCES_ENTITY", to: anna }],
    });
    await server.app.identity.workspaces.create({ slug: "other" });
    const stranger = await connect("modern", await server.token({ workspace: "other" }));
    expect((await stranger.listResources()).resources.map(({ uri }) => uri)).not.toContain(uriOf(note));
    const foreign = { ref, argument: { name: "id", value: "memory" } };
    expect((await stranger.complete(foreign)).completion.values).toEqual([]);
    await expect(stranger.readResource({ uri: uriOf(note) })).rejects.toThrow(/There is no memory/);
    await Promise.all([client.close(), stranger.close()]);
  });

  it.each(["legacy", "modern"] as const)("tells who watches it of a change (%s)", async (era) => {
    const watched = await acme.store("Tea is at four.", { title: `Tea ${era}` });
    const other = await acme.store("Lunch is at noon.");
    const client = await connect(era, await server.token({ role: "viewer" }));
    const told: string[] = [];
    client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }) => void told.push(params.uri),
    );
    if (era === "modern") await client.listen({ resourceSubscriptions: [uriOf(watched)] });
    else await client.subscribeResource({ uri: uriOf(watched) });
    // An older client opens the stream for what the server says by itself a moment after it subscribed.
    let target_id = watched;
    await expect
      .poll(async () => {
        await acme
          .call("update_fact", { target_id: other, new_title: "Lunch", new_content: "Later." })
          .catch(() => undefined);
        const update = { target_id, new_title: "Tea", new_content: `Tea moved, says ${target_id}.` };
        target_id = (await acme.call("update_fact", update)).new_memory_id;
        return told;
      })
      .toContain(uriOf(watched));
    expect(new Set(told)).toEqual(new Set([uriOf(watched)]));
    await client.close();
  });
});

describe("prompts of the memory", () => {
  it("name the tools that this endpoint has", async () => {
    const client = await connect("modern", await server.token());
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(expect.arrayContaining(["remember", "what_do_we_know"]));
    const textOf = async (name: string, args: Record<string, string>) => {
      const { messages } = await client.getPrompt({ name, arguments: args });
      const [message] = messages;
      return (message!.content as { text: string }).text;
    };
    expect(await textOf("remember", { fact: "Tea is at four." })).toMatch(
      /Tea is at four\.[\s\S]*recall[\s\S]*update_fact[\s\S]*store_memory/,
    );
    expect(await textOf("what_do_we_know", { topic: "Anna" })).toMatch(/about Anna\?[\s\S]*Ask recall /);
    const then = await textOf("what_do_we_know", { topic: "Anna", as_of: "2026-03-14" });
    expect(then).toMatch(/recall_at_time for it with as_of 2026-03-14/);
    await expect(client.getPrompt({ name: "remember" })).rejects.toThrow(/fact/);
    await client.close();
  });

  it("are for those who may do what they ask for", async () => {
    const client = await connect("modern", await server.token({ role: "viewer" }));
    const names = (await client.listPrompts()).prompts.map(({ name }) => name);
    expect(names).toContain("what_do_we_know");
    expect(names).not.toContain("remember");
    await expect(client.getPrompt({ name: "remember", arguments: { fact: "x" } })).rejects.toThrow();
    await client.close();
  });
});
