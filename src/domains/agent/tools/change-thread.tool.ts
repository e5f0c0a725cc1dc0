import { z } from "zod";
import { AppError } from "../../../kernel/errors.ts";
import { LIMITS as KERNEL } from "../../../kernel/limits.ts";
import { defineTool } from "../define.ts";

/** A thread is whoever's asked: they name it, and take it away. */
export const changeThread = defineTool({
  name: "change_thread",
  toolset: "modeling",
  title: "Change a thread",
  description:
    "Renames a thread of yours, or removes it (removed: false brings it back for a day); question keeps one that was asked elsewhere.",
  permission: "data_agent:write",
  effect: "write",
  input: z.strictObject({
    thread_id: z.uuid(),
    title: z.string().trim().min(1).max(200).optional(),
    removed: z.boolean().optional(),
    question: z.string().trim().min(1).max(KERNEL.call.instructionCharacters).optional(),
  }),
  output: z.object({ thread_id: z.string() }),

  async run({ thread_id, title, removed, question }, { conversations, caller, meta }) {
    if (title === undefined && removed === undefined && question === undefined)
      throw new AppError("bad_request", "There is nothing to change.", {
        hint: "Give title, removed or question.",
      });
    if (question !== undefined) await conversations.note(caller, { ...meta, thread: thread_id }, question);
    if (title !== undefined || removed !== undefined)
      await conversations.changeThread(caller, thread_id, { title, isRemoved: removed });
    return { thread_id };
  },
});
