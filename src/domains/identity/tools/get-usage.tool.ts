import { z } from "zod";
import { defineTool } from "../define.ts";

/** What the plan of a workspace allows, and how much of it is used. */
export const getUsage = defineTool({
  name: "get_usage",
  toolset: "admin",
  title: "Read the usage",
  description:
    "What this workspace has used of its plan, and what each member asked of agents and language models this month.",
  permission: "admin",
  effect: "read",
  input: z.strictObject({}),
  output: z.object({
    metrics: z.array(
      z.object({
        metric: z.string(),
        used: z.number(),
        limit: z.number().nullable().describe("Null: no limit"),
        period: z.string(),
      }),
    ),
    members: z.array(
      z.object({ email: z.string(), agent_calls: z.int(), llm_calls: z.int(), llm_tokens: z.int() }),
    ),
  }),

  async run(_input, { usage, caller }) {
    const [metrics, members] = await Promise.all([
      usage.report(caller.workspace.id),
      usage.byMember(caller.workspace.id),
    ]);
    return {
      metrics,
      members: members.map(({ email, agentCalls, llmCalls, llmTokens }) => ({
        ...{ email, agent_calls: agentCalls, llm_calls: llmCalls, llm_tokens: llmTokens },
      })),
    };
  },
});
