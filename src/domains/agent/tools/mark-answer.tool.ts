import { z } from "zod";
import { modelOf } from "../conversations/kept-answer.ts";
import { defineTool } from "../define.ts";

/** What people think of an answer. */
export const markAnswer = defineTool({
  name: "mark_answer",
  toolset: "models",
  title: "Mark an answer",
  description:
    "Keep the user's verdict on an answer of ask_question: right or wrong, with a comment; none takes it back.",
  permission: ["data_agent:write", "ontologies:read"],
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    answer_id: z.uuid(),
    mark: z.enum(["right", "wrong", "none"]),
    comment: z.string().max(2_000).optional(),
  }),
  output: z.object({ answer_id: z.string(), mark: z.enum(["right", "wrong", "none"]) }),

  async run({ answer_id, mark, comment = null }, context) {
    const { conversations, caller } = context;
    const kept = await conversations.require(caller, answer_id);
    await modelOf(kept, context);
    await conversations.mark(answer_id, mark === "none" ? null : mark, comment);
    return { answer_id, mark };
  },
});
