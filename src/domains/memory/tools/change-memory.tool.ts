import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { defineTool, idArgument, timeArgument, timeOf, timeText } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Says of a memory how much it counts and how long it holds, without a word of what it says. */
export const changeMemory = defineTool({
  name: "change_memory",
  toolset: "curation",
  title: "Change memory",
  description:
    "Pins or unpins a memory (pinned ones come further up), lets it expire (valid_to; null: never), or marks it as outdated (no longer true from now on). Its history is kept.",
  permission: "memory:write",
  effect: "write",
  input: z.strictObject({
    memory_id: idArgument,
    action: z.enum(["pin", "unpin", "expire", "mark_outdated"]),
    valid_to: timeArgument("valid_to")
      .nullable()
      .optional()
      .describe("For expire: until when it holds, ISO 8601"),
    reason: z.string().max(LIMITS.memory.reasonCharacters).optional(),
  }),
  output: z.object({ memory_id: z.string(), action: z.string(), valid_to: z.string().nullable().optional() }),

  async run({ memory_id, action, valid_to, reason }, { lifecycle, clock, caller }) {
    if (action === "expire" && valid_to === undefined)
      throw new AppError("bad_request", "expire needs valid_to: a time, or null for never.");
    if (action !== "expire" && valid_to !== undefined)
      throw new AppError("bad_request", `valid_to belongs to expire, and not to ${action}.`);
    if (action === "pin" || action === "unpin") {
      await lifecycle.pin(caller, memory_id, action === "pin");
      return { memory_id, action };
    }
    const isOutdated = action === "mark_outdated";
    const until = isOutdated ? clock.now() : valid_to ? (timeOf(valid_to) ?? null) : null;
    const way = isOutdated ? "outdated" : "expires";
    const end = await lifecycle.end(caller, memory_id, { validTo: until, way, reason });
    return { memory_id, action, valid_to: end === null ? null : timeText(end) };
  },
});
