import { z } from "zod";
import { defineTool, timeArgument, timeOf, timeText, titleOf } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { MEMORY_TYPES } from "../memory.tables.ts";

const { titleCharacters, tags, tagCharacters, sourceCharacters } = LIMITS.memory;
const contract = {
  title: z.string().max(titleCharacters).optional().describe("Short title"),
  content: z.string().describe("Full text"),
  memory_type: z.enum(MEMORY_TYPES).default("semantic"),
  tags: z.array(z.string().min(1).max(tagCharacters)).max(tags).optional(),
  source: z.string().max(sourceCharacters).optional().describe("Where it is from, free text"),
};

/** Remembers a fact. */
export const storeMemory = defineTool({
  name: "store_memory",
  toolset: "memory",
  wire: { memory: { name: "knowmind.store_memory", input: z.strictObject(contract) } },
  title: "Store memory",
  description:
    "Remembers one fact. A longer text is uploaded as a document instead; a fact that changed is updated, not stored again.",
  permission: "memory:write",
  effect: "write",
  input: z.strictObject({
    ...contract,
    valid_from: timeArgument("valid_from").optional().describe("Since when it holds, ISO 8601; default: now"),
    valid_to: timeArgument("valid_to").optional().describe("Until when"),
  }),
  output: z.object({
    memory_id: z.string(),
    created_at: z.string(),
    similar: z
      .array(
        z.object({
          memory_id: z.string(),
          title: z.string(),
          finding: z.enum(["duplicate", "update", "contradiction", "contained"]),
          why: z.string(),
        }),
      )
      .optional()
      .describe("What was there already and says nearly the same"),
    advice: z.string().optional(),
  }),

  async run({ memory_type, valid_from, valid_to, ...wish }, { memory, hygiene, caller, meta, clock, say }) {
    const validFrom = valid_from === undefined ? undefined : timeOf(valid_from);
    const validTo = valid_to === undefined ? undefined : timeOf(valid_to);
    // The contract's answer has no room for it.
    const similar =
      meta.surface === "memory"
        ? []
        : await hygiene.similarTo(caller.workspace.id, wish.content, clock.now()).catch(() => []);
    const [stored] = await memory.store(caller, [{ ...wish, type: memory_type, validFrom, validTo }]);
    if (stored === undefined) throw new Error("what was stored has no id");
    const result = { memory_id: stored.key, created_at: timeText(stored.createdAt) };
    if (similar.length === 0) return result;
    return {
      ...result,
      similar: similar.map(({ key, title, content, finding, why, wasRecalled }) => ({
        memory_id: key,
        title: titleOf({ title, content }),
        finding,
        why: wasRecalled ? `${why} It was recalled a short while ago; the text may come from there.` : why,
      })),
      advice: say(
        "Both are kept. If the new one says nothing new, {tool:retract_memory} takes it back; if a fact has changed, retract it and use {tool:update_fact} on the old one.",
      ),
    };
  },
});
