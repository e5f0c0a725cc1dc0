import { z } from "zod";
import { PROVIDER_KINDS } from "../../../platform/llm/index.ts";
import { defineTool, providerShape, shownProvider } from "../define.ts";
import { LIMITS } from "../limits.ts";

/** Lets admins say which language model helps where rules do not understand. The key is sealed, and never comes back. */
export const setLlmProvider = defineTool({
  name: "set_llm_provider",
  toolset: "admin",
  title: "Set a language model",
  description:
    "Adds a language model that helps with questions which the rules cannot answer, or changes the one of that name. Without api_key the stored key stays.",
  permission: "admin",
  effect: "write",
  input: z.strictObject({
    name: z.string().max(80),
    kind: z.enum(PROVIDER_KINDS),
    model: z.string().max(200).describe("As the provider calls it"),
    base_url: z.string().max(2_000).optional().describe("Needed for openai-compatible"),
    api_key: z.string().max(4_096).optional(),
    default: z.boolean().default(false).describe("Use it where members have not chosen another"),
    send_rows: z
      .boolean()
      .default(false)
      .describe("Send it rows of results and passages of documents, to write the text of answers"),
    timeout_seconds: z
      .number()
      .min(1)
      .max(LIMITS.llm.longestTimeoutMs / 1_000)
      .default(LIMITS.llm.defaultTimeoutMs / 1_000),
  }),
  output: providerShape,

  async run(wish, { llm, caller }) {
    const provider = await llm.set({
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      name: wish.name,
      kind: wish.kind,
      model: wish.model,
      baseUrl: wish.base_url ?? null,
      key: wish.api_key,
      isDefault: wish.default,
      sendsRows: wish.send_rows,
      timeoutMs: Math.round(wish.timeout_seconds * 1_000),
    });
    return shownProvider(provider, llm.healthOf(provider));
  },
});
