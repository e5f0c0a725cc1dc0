import { z } from "zod";
import { defineTool, modelName } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** The way from whoever stumbles over a model to whoever looks after it. */
export const requestImprovement = defineTool({
  name: "request_improvement",
  toolset: "models",
  wire: { models: "request_improvement" },
  title: "Request improvement",
  description:
    "Submit an improvement request for a semantic model. Use this when you or a user discover issues like missing fields, incorrect descriptions or wrong relationships.",
  permission: "ontologies:write",
  effect: "write",
  within: ["models"],
  input: z.strictObject({
    modelName: modelName.describe("The semantic model this improvement applies to"),
    title: z
      .string()
      .trim()
      .min(1)
      .max(LIMITS.models.titleCharacters)
      .describe("Short summary of the improvement (max 200 chars)"),
    description: z
      .string()
      .trim()
      .min(1)
      .max(LIMITS.models.descriptionCharacters)
      .describe("Detailed description of the issue or requested change (max 2,000 chars)"),
  }),
  output: z.object({ id: z.int(), message: z.string() }),
  content: ({ message }) => message,

  async run({ modelName, title, description }, { models, improvements, caller }) {
    const { record } = await models.requirePublished(caller, { name: modelName });
    const id = await improvements.add(caller, { modelId: record.id, title, description });
    return { id, message: `Improvement request ${id} was submitted.` };
  },
});
