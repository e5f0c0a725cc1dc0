import { z } from "zod";
import { defineTool } from "../define.ts";

/** What a person has asked before, wherever that was. */
export const listThreads = defineTool({
  name: "list_threads",
  toolset: "modeling",
  title: "List threads",
  description:
    "Your threads of questions, from the console and from AI clients, the last used first. get_thread shows one.",
  permission: "data_agent:read",
  effect: "read",
  input: z.strictObject({
    query: z.string().max(200).optional().describe("Part of a title"),
    limit: z.int().min(1).max(200).default(50),
  }),
  output: z.object({
    threads: z.array(
      z.object({ thread_id: z.string(), title: z.string(), questions: z.int(), used_at: z.string() }),
    ),
  }),

  async run(wish, { conversations, caller }) {
    const threads = await conversations.threads(caller, wish);
    return {
      threads: threads.map(({ id, title, questions, usedAt }) => ({
        ...{ thread_id: id, title, questions },
        used_at: usedAt.toISOString(),
      })),
    };
  },
});
