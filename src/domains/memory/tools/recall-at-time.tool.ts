import { z } from "zod";
import {
  defineTool,
  hitsArgument,
  queryArgument,
  timeArgument,
  timeOf,
  timeText,
  titleOf,
} from "../define.ts";

const as_of = timeArgument("as_of").optional().describe("When it was valid, ISO 8601; default: now");

/** Finds what was true at a time, also if it has been superseded since. */
export const recallAtTime = defineTool({
  name: "recall_at_time",
  toolset: "memory",
  wire: {
    memory: {
      name: "knowmind.recall_at_time",
      input: z.strictObject({ query: queryArgument, as_of, k: hitsArgument }),
    },
  },
  title: "Recall at a time",
  description: "The memories that answer a question best, of those that were valid at a given time.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({
    query: queryArgument,
    as_of,
    known_at: timeArgument("known_at").optional().describe("Only what had been recorded by then, ISO 8601"),
    k: hitsArgument,
  }),
  output: z.object({
    hits: z.array(
      z.object({
        memory_id: z.string(),
        title: z.string(),
        content: z.string(),
        valid_from: z.string(),
        valid_to: z.string().nullable(),
        score: z.number(),
      }),
    ),
  }),

  async run({ query, as_of, known_at, k }, { memory, caller }) {
    const asOf = as_of === undefined ? "now" : timeOf(as_of);
    const knownAt = known_at === undefined ? undefined : timeOf(known_at);
    const found = await memory.recall(caller, { query, k, hops: 0, asOf, knownAt });
    const hits = found.map(({ key, title, content, validFrom, validTo, score }) => ({
      memory_id: key,
      title: titleOf({ title, content }),
      content,
      valid_from: timeText(validFrom),
      valid_to: validTo === null ? null : timeText(validTo),
      score,
    }));
    return { hits };
  },
});
