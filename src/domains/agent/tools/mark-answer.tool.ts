import { z } from "zod";
import type { Caller } from "../../../registry/caller.ts";
import type { KeptAnswer } from "../conversations/conversations.store.ts";
import { modelOf } from "../conversations/kept-answer.ts";
import { type AgentServices, defineTool } from "../define.ts";

/** What people think of an answer. */
export const markAnswer = defineTool({
  name: "mark_answer",
  toolset: "models",
  title: "Mark an answer",
  description:
    "Keep the user's verdict on an answer of ask_question: right or wrong, with a comment; none takes it back. A right answer is used first when the same question is asked again, by anybody.",
  permission: ["data_agent:write", "ontologies:read"],
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    answer_id: z.uuid(),
    mark: z.enum(["right", "wrong", "none"]),
    comment: z.string().max(2_000).optional(),
  }),
  output: z.object({
    answer_id: z.string(),
    mark: z.enum(["right", "wrong", "none"]),
    verified: z.boolean().describe("Whether the same question is answered like this from now on"),
    note: z.string().optional().describe("Why it is not, although it is right"),
  }),

  async run({ answer_id, mark, comment = null }, context) {
    const { conversations, verified, caller } = context;
    const kept = await conversations.require(caller, answer_id);
    await modelOf(kept, context);
    await conversations.mark(answer_id, mark === "none" ? null : mark, comment);
    if (mark !== "right") await verified.remove(caller, kept);
    const note = mark === "right" ? await verify(kept, context) : undefined;
    return {
      answer_id,
      mark,
      verified: mark === "right" && note === undefined,
      ...(note !== undefined && { note }),
    };
  },
});

/** Undefined when the question is verified by it, or else why not. */
async function verify(
  { modelId, question, query }: KeptAnswer,
  { verified, caller }: Pick<AgentServices, "verified"> & { caller: Caller },
): Promise<string | undefined> {
  if (query === null) return "It is no answer with data.";
  if (query.isPlain) return verified.add(caller, { modelId, question, query });
  return "It depends on your preferences, your answers or a question before it, so it holds for you alone.";
}
