import { z } from "zod";
import { AppError, isAppError } from "../../../kernel/errors.ts";
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
    await answers("database", memories.ping());
    await answers("search index", retrieval.ping());
    return { status: "ok" as const, service: "memory" as const, version };
  },
});

/** Tells which part of the service it is that does not work. */
async function answers(part: string, ping: Promise<void>): Promise<void> {
  await ping.catch((cause: unknown) => {
    if (!isAppError(cause)) throw cause;
    const { code, message, data, hint } = cause;
    throw new AppError(code, message, {
      data: { ...data, part },
      cause,
      ...(hint !== undefined && { hint }),
    });
  });
}
