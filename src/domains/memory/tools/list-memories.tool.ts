import { z } from "zod";
import { clip } from "../../../kernel/text.ts";
import { defineTool, filterArguments, filterOf, timeText, titleOf } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Shows what a workspace remembers, without a question. */
export const listMemories = defineTool({
  name: "list_memories",
  toolset: "curation",
  title: "List memories",
  description: "Memories by type, tags, source, time or part of their text, the newest first.",
  permission: "memory:read",
  effect: "read",
  input: z.strictObject({
    state: z.enum(["current", "ended", "retracted", "pinned"]).default("current"),
    ...filterArguments,
    text: z.string().max(200).optional().describe("Part of title or content"),
    limit: z.int().min(1).max(LIMITS.memory.listedMemories).default(50),
    cursor: z.int().min(1).optional().describe("next_cursor of the page before"),
  }),
  output: z.object({
    total: z.int(),
    memories: z.array(
      z.object({
        memory_id: z.string(),
        title: z.string(),
        excerpt: z.string(),
        memory_type: z.string(),
        tags: z.array(z.string()),
        source: z.string().nullable(),
        valid_from: z.string(),
        valid_to: z.string().nullable(),
        created_at: z.string(),
        pinned: z.boolean(),
        recalls: z.int().describe("How often it was recalled"),
      }),
    ),
    next_cursor: z.int().nullable(),
  }),

  async run({ state, text, limit, cursor, ...rest }, { memoryList, clock, caller }) {
    const wish = { state, text: text?.trim() || undefined, limit, after: cursor, now: clock.now() };
    const { total, items } = await memoryList.list(caller.workspace.id, { ...wish, ...filterOf(rest) });
    return {
      total,
      memories: items.map((item) => ({
        memory_id: item.key,
        title: titleOf(item),
        excerpt: clip(item.content, 200),
        memory_type: item.type,
        tags: item.tags,
        source: item.source,
        valid_from: timeText(item.validFrom),
        valid_to: item.validTo === null ? null : timeText(item.validTo),
        created_at: timeText(item.createdAt),
        pinned: item.isPinned,
        recalls: item.recalls,
      })),
      next_cursor: items.length < limit ? null : (items.at(-1)?.memoryId ?? null),
    };
  },
});
