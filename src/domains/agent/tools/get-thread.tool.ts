import { z } from "zod";
import { defineTool } from "../define.ts";

/** Lets an AI client go on where a person stopped in the console, and the other way round. */
export const getThread = defineTool({
  name: "get_thread",
  toolset: "modeling",
  title: "Read a thread",
  description:
    "The questions of a thread in their order. get_answer shows an answer again; ask_question with follow_up_to = the last answer_id goes on in the same thread. A question without answer_id is asked again.",
  permission: "data_agent:read",
  effect: "read",
  input: z.strictObject({ thread_id: z.uuid() }),
  output: z.object({
    thread_id: z.string(),
    title: z.string(),
    turns: z.array(
      z.object({
        question: z.string(),
        answer_id: z.string().nullable(),
        model: z.string().nullable(),
        outcome: z.enum(["answer", "clarify", "refuse"]).nullable(),
        mark: z.enum(["right", "wrong"]).nullable(),
        asked_at: z.string(),
      }),
    ),
  }),

  async run({ thread_id }, { conversations, caller }) {
    const { id, title, turns } = await conversations.thread(caller, thread_id);
    return {
      thread_id: id,
      title,
      turns: turns.map(({ id: answer_id, askedAt, ...turn }) => ({
        ...turn,
        answer_id,
        asked_at: askedAt.toISOString(),
      })),
    };
  },
});
