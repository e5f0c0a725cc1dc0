import { defineResource } from "../define.ts";
import { LIMITS } from "../limits.ts";
import { readAnswer } from "./kept-answer.ts";

/** An answer by its id, for whoever asked. */
export const answerResource = defineResource({
  uri: { all: "kenning://answers/{id}" },
  name: "answer",
  title: "Answer",
  description: "An answer that you were given, worked out again on the rows that you see now.",
  mimeType: "application/json",
  permission: ["data_agent:read", "ontologies:read"],
  toolset: "models",
  within: ["models"],
  timeoutMs: LIMITS.agent.totalMs,

  async read({ id = "" }, context) {
    return { mimeType: "application/json", text: JSON.stringify(await readAnswer(id, context)) };
  },
});
