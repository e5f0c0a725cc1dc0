import type { Clock } from "../../kernel/clock.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { ModelsServices } from "../models/index.ts";
import { Agent, type AgentLimits } from "./agent.ts";
import type { AgentServices } from "./define.ts";
import { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import { LIMITS } from "./limits.ts";
import type { Understand } from "./phases/plan.ts";
import { askQuestion } from "./tools/ask-question.tool.ts";
import { ReadingThreads } from "./understand/reading-threads.ts";

export type { Answer } from "./answer.ts";
export type { AgentServices } from "./define.ts";
export { type Expected, judge, type Verdict } from "./evaluation/judge.ts";
export type { Understand } from "./phases/plan.ts";

export interface AgentOptions {
  clock?: Clock;
  /** Reads questions in the place of the rules. */
  understand?: Understand;
  limits?: AgentLimits;
  /** Rows of an answer that are handed over as data. */
  shownRows?: number;
}

/** Opens the slice on the semantic models; it keeps nothing but what it knows of them, in memory. */
export function openAgent(
  { models: { models }, clock }: { models: ModelsServices; clock: Clock },
  { shownRows = LIMITS.agent.shownRows, ...options }: AgentOptions = {},
): AgentServices {
  const knowledge = new KnowledgeCache(models);
  const threads = new ReadingThreads();
  const agent = new Agent({
    models,
    knowledge,
    understand: (...question) => threads.read(...question),
    clock,
    timeZone: "UTC",
    limits: LIMITS.agent,
    ...options,
  });
  return { agent, models, shownRows };
}

export const agentSlice: SliceSpec<"agent", AgentServices, { models: ModelsServices }> = {
  name: "agent",
  open: ({ clock }, { models }) => ({ services: openAgent({ models, clock }) }),
  tools: [askQuestion],
};
