import { z } from "zod";
import { defineTool } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** A key or an address that is wrong is found out when it is set, and not by the first question. */
export const testLlmProvider = defineTool({
  name: "test_llm_provider",
  toolset: "admin",
  title: "Test a language model",
  description:
    "Sends a few words to a language model of the workspace. Fails with the reason where none comes back.",
  permission: "admin",
  effect: "read",
  timeoutMs: LIMITS.llm.longestTimeoutMs + 10_000,
  input: z.strictObject({ name: z.string().max(80) }),
  output: z.object({ name: z.string(), model: z.string(), ms: z.int() }),

  async run({ name }, { llm, caller, signal }) {
    const started = performance.now();
    const provider = await llm.test(caller.workspace.id, name, signal);
    return { name: provider.name, model: provider.model, ms: Math.round(performance.now() - started) };
  },
});
