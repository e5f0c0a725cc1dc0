import { z } from "zod";
import { contentOf } from "../answer-shape.ts";
import { keptAnswerShape, readAnswer } from "../conversations/kept-answer.ts";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** What was asked before, without asking again. */
export const getAnswer = defineTool({
  name: "get_answer",
  toolset: "models",
  title: "Read an answer again",
  description: "An earlier answer of ask_question by its id, worked out again on the rows that you see now.",
  permission: ["data_agent:read", "ontologies:read"],
  effect: "read",
  within: ["models"],
  timeoutMs: LIMITS.agent.totalMs,
  input: z.strictObject({ answer_id: z.uuid() }),
  output: keptAnswerShape,
  content: contentOf,

  run: ({ answer_id }, context) => readAnswer(answer_id, context),
});
