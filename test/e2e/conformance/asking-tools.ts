import { z } from "zod";
import { toolsOf } from "../../../src/registry/define-tool.ts";

/** Tools that ask their client: in a session by a request of their own, in the newest protocol by ending with a question. */

const defineTool = toolsOf<object>();
const base = {
  toolset: "system",
  permission: null,
  effect: "read",
  input: z.strictObject({}),
  output: z.object({ text: z.string() }),
  content: ({ text }: { text: string }) => text,
} as const;

const confirmation = { message: "Please confirm", schema: z.object({ ok: z.boolean() }) };
const nameQuestion = { message: "What is your name?", schema: z.object({ name: z.string() }) };

/** A tool that asks one thing and tells the answer. */
const asks = <T extends z.ZodObject>(name: string, key: string, question: { message: string; schema: T }) =>
  defineTool({
    ...base,
    name,
    title: name,
    description: `Asks: ${question.message}`,
    run: async (_input, { client }) => ({ text: told(await client.elicit(key, question)) }),
  });

const told = (answer: { action: string; content?: unknown }) =>
  `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;

const OPTIONS = ["option1", "option2", "option3"] as const;
const titled = (word: string) =>
  ["First", "Second", "Third"].map((title, i) => ({ const: `value${i + 1}`, title: `${title} ${word}` }));

/** Kept by the journal between the runs: a tool that loses its state could not tell it. */
const remembersState = (name: string) =>
  defineTool({
    ...base,
    name,
    title: name,
    description: "Carries a state through its client.",
    run: async (_input, { client }) => {
      const text = await client.step("state", async () => "state-ok");
      await client.elicit("confirm", confirmation);
      return { text };
    },
  });

export const askingTools = [
  defineTool({
    ...base,
    name: "test_sampling",
    title: "Sampling",
    description: "Lets the client's model answer a prompt.",
    input: z.strictObject({ prompt: z.string() }),
    run: async ({ prompt }, { client }) => ({
      text: `LLM response: ${await client.sample("answer", { prompt, maxTokens: 100 })}`,
    }),
  }),
  defineTool({
    ...base,
    name: "test_elicitation",
    title: "Elicitation",
    description: "Asks the person what it is told to ask.",
    input: z.strictObject({ message: z.string() }),
    run: async ({ message }, { client }) => {
      const schema = z.object({ username: z.string(), email: z.string() });
      return { text: told(await client.elicit("user", { message, schema })) };
    },
  }),
  asks("test_elicitation_sep1034_defaults", "form", {
    message: "Please review the form",
    schema: z.object({
      name: z.string().default("John Doe"),
      age: z.int().default(30),
      score: z.number().default(95.5),
      status: z.enum(["active", "inactive", "pending"]).default("active"),
      verified: z.boolean().default(true),
    }),
  }),
  asks("test_elicitation_sep1330_enums", "form", {
    message: "Please choose",
    schema: z.object({
      untitledSingle: z.enum(OPTIONS),
      titledSingle: z.string().meta({ oneOf: titled("Option") }),
      legacyEnum: z
        .enum(["opt1", "opt2", "opt3"])
        .meta({ enumNames: ["Option One", "Option Two", "Option Three"] }),
      untitledMulti: z.array(z.enum(OPTIONS)),
      titledMulti: z.array(z.unknown().meta({ anyOf: titled("Choice") })),
    }),
  }),
  asks("test_streaming_elicitation", "user_name", nameQuestion),
  asks("test_input_required_result_elicitation", "user_name", nameQuestion),
  remembersState("test_input_required_result_request_state"),
  remembersState("test_input_required_result_tampered_state"),
  defineTool({
    ...base,
    name: "test_input_required_result_sampling",
    title: "Sampling",
    description: "Asks the client's model for the capital of France.",
    run: async (_input, { client }) => {
      const prompt = "What is the capital of France?";
      return { text: await client.sample("capital_question", { prompt, maxTokens: 100 }) };
    },
  }),
  defineTool({
    ...base,
    name: "test_missing_capability",
    title: "Missing capability",
    description: "Needs the client's model, whatever the client can do.",
    run: async (_input, { client }) => ({
      text: await client.sample("any", { prompt: "Hello", maxTokens: 10 }),
    }),
  }),
  defineTool({
    ...base,
    name: "test_input_required_result_list_roots",
    title: "Roots",
    description: "Asks for the client's roots.",
    run: async (_input, { client }) => {
      const answer = await client.ask("client_roots", { method: "roots/list", params: {} });
      return { text: JSON.stringify(answer) };
    },
  }),
  defineTool({
    ...base,
    name: "test_input_required_result_multiple_inputs",
    title: "Several questions",
    description: "Asks the person, the model and the client together.",
    run: async (_input, { client }) => {
      const answers = await Promise.all([
        client.elicit("user_name", nameQuestion),
        client.sample("greeting", { prompt: "Generate a greeting", maxTokens: 50 }),
        client.ask("client_roots", { method: "roots/list", params: {} }),
      ]);
      return { text: JSON.stringify(answers) };
    },
  }),
  defineTool({
    ...base,
    name: "test_input_required_result_multi_round",
    title: "Two rounds",
    description: "Asks a second question after the first answer.",
    run: async (_input, { client }) => {
      const who = await client.elicit("step1", {
        ...nameQuestion,
        message: "Step 1: What is your name?",
      });
      const color = await client.elicit("step2", {
        message: "Step 2: What is your favorite color?",
        schema: z.object({ color: z.string() }),
      });
      return { text: JSON.stringify([who, color]) };
    },
  }),
  defineTool({
    ...base,
    name: "test_input_required_result_capabilities",
    title: "Capabilities",
    description: "Asks only what the client can answer.",
    run: async (_input, { client }) => {
      if (client.canElicit) return { text: told(await client.elicit("user_name", nameQuestion)) };
      if (!client.canSample) return { text: "There is nobody to ask." };
      return { text: await client.sample("greeting", { prompt: "Generate a greeting", maxTokens: 50 }) };
    },
  }),
  defineTool({
    ...base,
    name: "test_trigger_tool_change",
    title: "Change of tools",
    description: "Has more tools listed for its client, each time that it is called.",
    run: async (_input, { client }) => {
      for (const toolset of ["modeling", "datasources", "admin"] as const) {
        if ((await client.listToolset(toolset)).keeper !== "request") return { text: toolset };
      }
      throw new Error("There are no more toolsets.");
    },
  }),
];
