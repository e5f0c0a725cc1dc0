import { z } from "zod";
import { defineTool, timeArgument, timeOf, timeText } from "../define.ts";
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
  output: z.object({ memory_id: z.string(), created_at: z.string() }),

  async run({ memory_type, valid_from, valid_to, ...wish }, { memory, caller }) {
    const validFrom = valid_from === undefined ? undefined : timeOf(valid_from);
    const validTo = valid_to === undefined ? undefined : timeOf(valid_to);
    const [stored] = await memory.store(caller, [{ ...wish, type: memory_type, validFrom, validTo }]);
    if (stored === undefined) throw new Error("what was stored has no id");
    return { memory_id: stored.key, created_at: timeText(stored.createdAt) };
  },
});
