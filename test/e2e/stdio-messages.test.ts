import { tmpdir } from "node:os";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { toolsOf } from "../../src/registry/define-tool.ts";
import type { Slice } from "../../src/registry/registry.ts";
import { LAUNCHER } from "../support/command-line.ts";
import { serverOfFile } from "../support/server.ts";

/** What goes both ways while a call runs, through `kenning stdio`. */

const notes: string[] = [];
const defineTool = toolsOf<object>();
const base = { toolset: "system", permission: null, effect: "read", input: z.strictObject({}) } as const;

const slice: Slice<object> = {
  services: {},
  tools: [
    defineTool({
      ...base,
      name: "talks",
      title: "Talks",
      description: "Reports progress and asks its client a question.",
      output: z.object({ name: z.string() }),
      run: async (_input, { client }) => {
        client.progress(1, { total: 2 });
        const answer = await client.elicit("who", {
          message: "Who?",
          schema: z.object({ name: z.string() }),
        });
        return { name: answer.action === "accept" ? answer.content.name : "" };
      },
    }),
    defineTool({
      ...base,
      name: "waits",
      title: "Waits",
      description: "Waits until it is cancelled.",
      output: z.object({}),
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          notes.push("started");
          signal.addEventListener("abort", () => {
            notes.push("cancelled");
            reject(signal.reason);
          });
        }),
    }),
  ],
};

const server = await serverOfFile({ extend: (registry) => registry.add(slice) });
const token = await server.token();

async function connect(era: "legacy" | "modern"): Promise<Client> {
  const versionNegotiation = { mode: era === "legacy" ? ("legacy" as const) : { pin: "2026-07-28" } };
  const capabilities = { elicitation: {} };
  const client = new Client({ name: "desktop", version: "1" }, { capabilities, versionNegotiation });
  client.setRequestHandler("elicitation/create", async () => ({
    action: "accept",
    content: { name: "Ada" },
  }));
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [LAUNCHER, "stdio", "--url", server.url],
      env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), KENNING_TOKEN: token },
      cwd: tmpdir(),
      stderr: "ignore",
    }),
  );
  return client;
}

describe.each(["legacy", "modern"] as const)("a desktop client of the %s revision", (era) => {
  test("hears progress and is asked questions", async () => {
    const client = await connect(era);
    const reports: unknown[] = [];
    const onprogress = (report: unknown) => void reports.push(report);
    const result = await client.callTool({ name: "talks", arguments: {} }, { onprogress });
    expect(result.structuredContent).toEqual({ name: "Ada" });
    expect(reports).toContainEqual({ progress: 1, total: 2 });
    await client.close();
  });

  test("cancels a call, and the tool is told", async () => {
    notes.length = 0;
    const client = await connect(era);
    const controller = new AbortController();
    const call = client.callTool({ name: "waits", arguments: {} }, { signal: controller.signal });
    await expect.poll(() => notes, { timeout: 30_000 }).toContain("started");
    controller.abort("enough");
    await expect(call).rejects.toThrow();
    await expect.poll(() => notes, { timeout: 30_000 }).toContain("cancelled");
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });
});
