import { z } from "zod";
import { defineTool } from "../define.ts";

/** Tells a client whether the memory can be used, without any data of a workspace. */
export const memoryHealth = defineTool({
  name: "memory_health",
  toolset: "memory",
  wire: { memory: "knowmind.health" },
  title: "Memory health",
  description: "Whether the memory service works. Any token may ask; tells nothing about a workspace.",
  permission: null,
  effect: "read",
  within: [],
  input: z.strictObject({}),
  output: z.object({ status: z.literal("ok"), service: z.literal("memory"), version: z.string() }),

  async run(_input, { memories, retrieval, version }) {
    await memories.ping();
    await retrieval.ping();
    return { status: "ok" as const, service: "memory" as const, version };
  },
});
