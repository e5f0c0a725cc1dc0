import type { Clock } from "../../kernel/clock.ts";
import type { Drawings } from "../../platform/drawing/index.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { DataServices } from "../data/index.ts";
import type { ModelsServices } from "../models/index.ts";
import { Agent, type AgentLimits } from "./agent.ts";
import { DatasetQuestions } from "./datasets/ask-datasets.ts";
import type { AgentServices } from "./define.ts";
import { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import { LIMITS } from "./limits.ts";
import type { Understand } from "./phases/plan.ts";
import { pictureApp } from "./picture/picture-app.resource.ts";
import { askData } from "./tools/ask-data.tool.ts";
import { askQuestion } from "./tools/ask-question.tool.ts";
import { drawPicture } from "./tools/draw-picture.tool.ts";
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
  /** The same where no model is named. */
  askedRows?: number;
}

interface Before {
  data: Pick<DataServices, "data" | "datasets">;
  models: ModelsServices;
}

/** Opens the slice on the semantic models; it keeps nothing but what it knows of them, in memory. */
export function openAgent(
  {
    data: { data, datasets },
    models: { models, inference },
    clock,
    drawings,
  }: Before & { clock: Clock; drawings: Drawings },
  { shownRows = LIMITS.agent.shownRows, askedRows = LIMITS.agent.askedRows, ...options }: AgentOptions = {},
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
  const datasetQuestions = new DatasetQuestions({ agent, models, inference, data, datasets });
  return { agent, datasetQuestions, models, drawings, shownRows, askedRows };
}

export const agentSlice: SliceSpec<"agent", AgentServices, Before> = {
  name: "agent",
  open: ({ clock, drawings }, { data, models }) => ({
    services: openAgent({ data, models, clock, drawings }),
  }),
  tools: [askQuestion, askData, drawPicture],
  resources: [pictureApp],
};
