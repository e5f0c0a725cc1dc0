import { z } from "zod";
import { type PromptMessage, promptsOf } from "../../../src/registry/define-prompt.ts";
import { PNG } from "./samples.ts";

const definePrompt = promptsOf<object>();
const base = { surfaces: ["all"], permission: null } as const;

const says = (text: string): PromptMessage => ({ role: "user", content: { type: "text", text } });

export const prompts = [
  definePrompt({
    ...base,
    name: "test_simple_prompt",
    title: "Simple",
    description: "One sentence.",
    get: async () => [says("This is a simple prompt for testing.")],
  }),
  definePrompt({
    ...base,
    name: "test_prompt_with_arguments",
    title: "Arguments",
    description: "Repeats its arguments.",
    arguments: [
      { name: "arg1", description: "First test argument", required: true },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    complete: async (_argument, typed) =>
      ["paris", "park", "party", "test"].filter((word) => word.startsWith(typed)),
    get: async ({ arg1, arg2 }) => [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  }),
  definePrompt({
    ...base,
    name: "test_prompt_with_embedded_resource",
    title: "Embedded resource",
    description: "Carries a resource.",
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    get: async ({ resourceUri }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: {
            uri: resourceUri,
            mimeType: "text/plain",
            text: "Embedded resource content for testing.",
          },
        },
      },
      says("Please process the embedded resource above."),
    ],
  }),
  definePrompt({
    ...base,
    name: "test_prompt_with_image",
    title: "Image",
    description: "Carries an image.",
    get: async () => [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      says("Please analyze the image above."),
    ],
  }),
  definePrompt({
    ...base,
    name: "test_input_required_result_prompt",
    title: "Question",
    description: "Asks the person for its context.",
    get: async (_args, { client }) => {
      const message = "What context should the prompt use?";
      const answer = await client.elicit("user_context", {
        message,
        schema: z.object({ context: z.string() }),
      });
      return [says(answer.action === "accept" ? answer.content.context : "No context was given.")];
    },
  }),
];
