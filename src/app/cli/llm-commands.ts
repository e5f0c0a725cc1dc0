import { type Command, defineCommand } from "./command.ts";
import { JSON_OPTION, WORKSPACE } from "./common-options.ts";

const LLM_NAME = { name: "What it is called in this workspace" } as const;

export const LLM_COMMANDS: readonly Command[] = [
  defineCommand({
    name: "llm set",
    summary: "Add a language model that helps where rules do not understand a question, or change one",
    args: LLM_NAME,
    options: {
      workspace: WORKSPACE,
      kind: {
        value: "KIND",
        description: "The protocol that it speaks",
        choices: ["openai", "anthropic", "openai-compatible"],
        required: true,
      },
      model: { value: "MODEL", description: "The model, as the provider calls it", required: true },
      "base-url": { value: "URL", description: "Where it is; needed for openai-compatible" },
      "key-file": { value: "FILE", description: "A file with the key" },
      "key-stdin": { description: "Read the key from standard input" },
      default: { description: "Use it where members have not chosen another; the first one is it anyway" },
      "send-rows": { description: "Send it rows of results as well, so that it writes the text of answers" },
      timeout: { value: "TIME", description: "Longest for one call, such as 30s" },
    },
    notes: [
      "The key is kept encrypted and never shown. Without --key-file or --key-stdin the stored one stays.",
      "An address in a private network has to be allowed by KENNING_ALLOW_PRIVATE_URLS.",
    ],
    run: async (input, terminal) => (await import("./llm.ts")).setProvider(input, terminal),
  }),
  defineCommand({
    name: "llm list",
    reads: true,
    summary: "List the language models of a workspace",
    options: { workspace: WORKSPACE, ...JSON_OPTION },
    run: async (input, terminal) => (await import("./llm.ts")).listProviders(input, terminal),
  }),
  defineCommand({
    name: "llm remove",
    summary: "Remove a language model and its key",
    args: LLM_NAME,
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./llm.ts")).removeProvider(input, terminal),
  }),
  defineCommand({
    name: "llm test",
    summary: "Ask a language model for one word, to see that it answers",
    args: LLM_NAME,
    options: { workspace: WORKSPACE },
    run: async (input, terminal) => (await import("./llm.ts")).testProvider(input, terminal),
  }),
];
