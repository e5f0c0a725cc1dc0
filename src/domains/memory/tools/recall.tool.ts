import { z } from "zod";
import { defineTool, hitsArgument, hopsArgument, queryArgument, titleOf } from "../define.ts";

/** Finds what the workspace remembers about a question. */
export const recall = defineTool({
  name: "recall",
  toolset: "memory",
  wire: { memory: "knowmind.recall" },
  title: "Recall",
  description: "The memories that answer a question best, with what is related to them. Only what holds now.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({ query: queryArgument, k: hitsArgument, hops: hopsArgument }),
  output: z.object({
    hits: z.array(
      z.object({
        memory_id: z.string(),
        title: z.string(),
        content: z.string(),
        score: z.number(),
        source: z.string().nullable(),
      }),
    ),
    elapsed_ms: z.int(),
  }),

  async run(question, { memory, caller }) {
    const started = performance.now();
    const found = await memory.recall(caller, question);
    const hits = found.map(({ key, title, content, score, source }) => ({
      memory_id: key,
      title: titleOf({ title, content }),
      content,
      score,
      source,
    }));
    return { hits, elapsed_ms: Math.round(performance.now() - started) };
  },
});
