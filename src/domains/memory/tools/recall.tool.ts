import { z } from "zod";
import { clip } from "../../../kernel/text.ts";
import {
  defineTool,
  filterArguments,
  filterOf,
  hitsArgument,
  hopsArgument,
  queryArgument,
  titleOf,
} from "../define.ts";
import { LIMITS } from "../limits.ts";
import type { Related, Why } from "../recall.ts";

const contract = { query: queryArgument, k: hitsArgument, hops: hopsArgument };
const why = z
  .record(z.string(), z.union([z.number(), z.boolean()]))
  .describe("What each sign says, 0 to 1: words, meaning, speaker, thread, relations …");

const related = z.object({
  memory_id: z.string(),
  title: z.string(),
  content: z.string().optional().describe("Left out where it is among the hits"),
  rel_type: z.string(),
  direction: z.enum(["outgoing", "incoming"]).describe("Outgoing: from related_to to this one"),
  related_to: z.string().describe("The hit, or a memory between the two"),
  distance: z.int().describe("Relations between the hit and it"),
});

/** Finds what the workspace remembers about a question. */
export const recall = defineTool({
  name: "recall",
  toolset: "memory",
  wire: { memory: { name: "knowmind.recall", input: z.strictObject(contract) } },
  title: "Recall",
  description: "The memories that answer a question best, with what is related to them. Only what holds now.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({
    ...contract,
    ...filterArguments,
    superseded: z.boolean().default(false).describe("Also what no longer holds"),
    why: z.boolean().default(false).describe("Say why each is a hit"),
  }),
  output: z.object({
    hits: z.array(
      z.object({
        memory_id: z.string(),
        title: z.string(),
        content: z.string(),
        score: z.number(),
        source: z.string().nullable(),
        why: why.optional(),
        related: z.array(related).optional().describe("Beside the k hits: what relations lead to from here"),
      }),
    ),
    elapsed_ms: z.int(),
  }),

  async run({ query, k, hops, superseded: withFormer, why: isAsked, ...rest }, { memory, caller }) {
    const started = performance.now();
    const found = await memory.recall(caller, { query, k, hops, withFormer, ...filterOf(rest) });
    const hits = found.map(({ key, title, content, score, source, why, related }) => ({
      memory_id: key,
      title: titleOf({ title, content }),
      content,
      score,
      source,
      ...(isAsked && { why: whyOf(why) }),
      ...(related.length > 0 && { related: related.map(companionOf) }),
    }));
    return { hits, elapsed_ms: Math.round(performance.now() - started) };
  },
});

function companionOf({ version, isHit, type, direction, distance, toKey }: Related) {
  return {
    memory_id: version.key,
    title: titleOf(version),
    ...(!isHit && { content: clip(version.content, LIMITS.memory.companionCharacters) }),
    rel_type: type,
    direction,
    related_to: toKey,
    distance,
  };
}

function whyOf({
  lexical,
  dense,
  speaker,
  asks,
  thread,
  relations,
  isPinned,
}: Why): Record<string, number | boolean> {
  const signs = {
    words: lexical,
    meaning: dense,
    speaker,
    is_question: asks,
    thread,
    relations,
    pinned: isPinned,
  };
  const told = Object.entries(signs).filter((sign): sign is [string, number | boolean] => Boolean(sign[1]));
  return Object.fromEntries(
    told.map(([name, value]) => [
      name,
      typeof value === "number" ? Math.round(value * 1_000) / 1_000 : value,
    ]),
  );
}
