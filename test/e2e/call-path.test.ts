import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../../src/kernel/errors.ts";
import { toolsOf } from "../../src/registry/define-tool.ts";
import type { Slice } from "../../src/registry/registry.ts";
import { isDeclined, withoutModel } from "../../src/surfaces/mcp/client-link.ts";
import { LIMITS } from "../../src/surfaces/mcp/limits.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

/** The one path of every call, seen from outside, with tools that misbehave. */

const defineTool = toolsOf<{ seen: string[] }>();
const seen: string[] = [];
const done = z.object({ done: z.boolean() });
const base = {
  toolset: "system",
  permission: null,
  effect: "read",
  input: z.strictObject({}),
  output: done,
} as const;

const slice: Slice<{ seen: string[] }> = {
  services: { seen },
  tools: [
    defineTool({
      ...base,
      name: "too_slow",
      title: "Too slow",
      description: "Never ends by itself, but notices when it is told to.",
      timeoutMs: 100,
      run: (_input, { signal, seen: notes }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => {
            notes.push(`too_slow: ${(signal.reason as AppError).code}`);
            reject(signal.reason);
          });
        }),
    }),
    defineTool({
      ...base,
      name: "waits",
      title: "Waits",
      description: "Waits until it is cancelled by its client.",
      run: (_input, { signal, seen: notes }) =>
        new Promise((_resolve, reject) => {
          notes.push("waits: started");
          signal.addEventListener("abort", () => {
            notes.push(`waits: ${(signal.reason as AppError).code}`);
            reject(signal.reason);
          });
        }),
    }),
    defineTool({
      ...base,
      name: "buggy",
      title: "Buggy",
      description: "Throws what nobody expects, with a secret in it.",
      run: async () => {
        throw new TypeError("password=hunter2 is not a function");
      },
    }),
    defineTool({
      ...base,
      name: "lies",
      title: "Lies",
      description: "Returns something other than it promised.",
      run: async () => ({ done: "perhaps" }) as never,
    }),
    defineTool({
      ...base,
      name: "refuses",
      title: "Refuses",
      description: "Fails in a way that was expected.",
      run: async () => {
        throw new AppError("not_found", "There is no such thing.", { hint: "Look elsewhere." });
      },
    }),
    defineTool({
      ...base,
      name: "echo",
      title: "Echo",
      description: "Gives back the text that it was given.",
      input: z.strictObject({ text: z.string().max(100), times: z.int().min(1).max(3).default(1) }),
      output: z.object({ text: z.string() }),
      run: async ({ text, times }) => ({ text: text.repeat(times) }),
    }),
    defineTool({
      ...base,
      name: "counts",
      title: "Counts",
      description: "Reports its progress while it works.",
      run: async (_input, { client }) => {
        for (let i = 1; i <= 3; i += 1) client.progress(i, { total: 3, message: `step ${i}` });
        return { done: true };
      },
    }),
    defineTool({
      ...base,
      name: "asks",
      title: "Asks",
      description: "Does something once, asks twice, then acts.",
      effect: "write",
      permission: "memory:write",
      output: z.object({ plan: z.string(), name: z.string(), sure: z.boolean() }),
      run: async (_input, { client, seen: notes }) => {
        const plan = await client.step("plan", async () => {
          notes.push("asks: planned");
          return "the plan";
        });
        const who = await client.elicit("who", { message: "Who?", schema: z.object({ name: z.string() }) });
        if (who.action !== "accept") throw new AppError("cancelled", "Nobody was named.");
        const sure = await client.elicit("sure", {
          message: `Sure, ${who.content.name}?`,
          schema: z.object({ sure: z.boolean() }),
        });
        notes.push("asks: acted");
        return { plan, name: who.content.name, sure: sure.action === "accept" && sure.content.sure };
      },
    }),
  ],
};

let server: TestServer;
let token: string;

beforeAll(async () => {
  server = await startTestServer({ extend: (registry) => registry.add(slice) });
  token = await server.token();
});
afterAll(() => server.stop());

async function connect(era: "legacy" | "modern", capabilities = {}): Promise<Client> {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const client = new Client({ name: "call-path", version: "1.0.0" }, { capabilities, versionNegotiation });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  );
  return client;
}

describe.each(["legacy", "modern"] as const)("a call (%s)", (era) => {
  it("ends at its time limit, and the handler is told", async () => {
    seen.length = 0;
    const client = await connect(era);
    const result = await client.callTool({ name: "too_slow", arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain("took longer than 0.1 seconds");
    expect(seen).toEqual(["too_slow: timeout"]);
    await client.close();
  });

  it("is cancelled by its client, and the handler is told", async () => {
    seen.length = 0;
    const client = await connect(era);
    const controller = new AbortController();
    const call = client.callTool({ name: "waits", arguments: {} }, { signal: controller.signal });
    await expect.poll(() => seen).toContain("waits: started");
    controller.abort("enough");
    await expect(call).rejects.toThrow();
    await expect.poll(() => seen).toContain("waits: cancelled");
    await client.close();
  });

  it("shows a bug by its id only", async () => {
    const client = await connect(era);
    for (const name of ["buggy", "lies"]) {
      const result = await client.callTool({ name, arguments: {} });
      expect(result.isError).toBe(true);
      expect(JSON.stringify(result)).toMatch(/error [0-9a-f-]{36}/);
      expect(JSON.stringify(result)).not.toMatch(/hunter2|function|perhaps/);
    }
    await client.close();
  });

  it("tells what was wrong and what to do next", async () => {
    const client = await connect(era);
    const refused = await client.callTool({ name: "refuses", arguments: {} });
    expect(refused.content).toEqual([{ type: "text", text: "There is no such thing. Look elsewhere." }]);
    const misspelt = await client.callTool({ name: "echo", arguments: { text: "hi", tims: 2 } });
    expect(JSON.stringify(misspelt.content)).toContain("Unknown argument tims: did you mean times?");
    const missing = await client.callTool({ name: "echo", arguments: {} });
    expect(JSON.stringify(missing.content)).toContain("text is required (string).");
    await expect(client.callTool({ name: "ecko", arguments: {} })).rejects.toThrow(/Did you mean echo\?/);
    await client.close();
  });

  it("strips control characters from arguments", async () => {
    const client = await connect(era);
    const result = await client.callTool({ name: "echo", arguments: { text: "a\u0000b\u0007c\nd" } });
    expect(result.structuredContent).toEqual({ text: "abc\nd" });
    await client.close();
  });

  it("reports progress", async () => {
    const client = await connect(era);
    const reports: unknown[] = [];
    const onprogress = (report: unknown) => void reports.push(report);
    await client.callTool({ name: "counts", arguments: {} }, { onprogress });
    await expect
      .poll(() => reports)
      .toEqual([1, 2, 3].map((progress) => ({ progress, total: 3, message: `step ${progress}` })));
    await client.close();
  });

  it("asks its client twice, does its steps once and acts once", async () => {
    seen.length = 0;
    const client = await connect(era, { elicitation: {} });
    client.setRequestHandler("elicitation/create", async (request) => {
      const content =
        request.params.message === "Who?"
          ? { name: "Ada" }
          : { sure: request.params.message === "Sure, Ada?" };
      return { action: "accept", content };
    });
    const result = await client.callTool({ name: "asks", arguments: {} });
    expect(result.structuredContent).toEqual({ plan: "the plan", name: "Ada", sure: true });
    expect(seen).toEqual(["asks: planned", "asks: acted"]);
    await client.close();
  });

  it("asks once more for what does not fit, and takes the same again for a no", async () => {
    const client = await connect(era, { elicitation: {} });
    const asked: string[] = [];
    const names: unknown[] = [7, "Ada"];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { name: names.shift() ?? 7 } as { name: string } };
    });
    await client.callTool({ name: "asks", arguments: {} });
    // The second form wants something else than a name, and gets it twice.
    expect(asked).toEqual(["Who?", "Who?", "Sure, Ada?", "Sure, Ada?"]);
    const { content } = await client.callTool({ name: "asks", arguments: {} });
    expect(content).toMatchObject([{ text: expect.stringContaining("Nobody was named.") }]);
    expect(asked.slice(4)).toEqual(["Who?", "Who?"]);
    await client.close();
  });

  it("is audited, with the shape of what it was called with", async () => {
    const client = await connect(era);
    await client.callTool({ name: "echo", arguments: { text: "remember me" } });
    await server.app.identity.audit.flush();
    const result = await client.callTool({
      name: "list_audit_events",
      arguments: { action: "mcp.tool.call", limit: 20 },
    });
    const { events } = result.structuredContent as {
      events: { resource_id: string; metadata: Record<string, unknown> }[];
    };
    const event = events.find(
      ({ resource_id, metadata }) =>
        resource_id === "echo" && /"text":"\[text, 11 characters/.test(String(metadata.arguments)),
    );
    expect(event).toMatchObject({
      success: true,
      outcome: "ok",
      metadata: { surface: "all", clientName: "call-path", clientVersion: "1.0.0" },
    });
    await client.close();
  });
});

it("waits for the model of a client no longer than for that of a provider", async () => {
  let waited: unknown;
  const server = {
    createMessage: async (_: unknown, options: unknown) => {
      waited = options;
      throw new Error("Request timed out");
    },
  };
  withoutModel(server as never);
  const answer = await (server.createMessage as (...args: unknown[]) => Promise<unknown>)(
    {},
    { timeout: 600_000 },
  );
  const { sampleMs } = LIMITS.session;
  expect(waited).toEqual({ timeout: sampleMs, maxTotalTimeout: sampleMs });
  // It counts as declined, so that it is not asked again.
  expect(isDeclined(answer as Record<string, unknown>)).toBe(true);
});
