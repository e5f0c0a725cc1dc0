import type { Logger } from "pino";
import type { Clock } from "../../kernel/time.ts";
import type { Catalog } from "../../platform/catalog/index.ts";
import type { Drawings } from "../../platform/drawing/index.ts";
import type { Embeddings } from "../../platform/embeddings/index.ts";
import type { ValuesOf } from "../../platform/settings/index.ts";
import type { SharedState } from "../../platform/state/index.ts";
import type { Registry } from "../../registry/registry.ts";
import type { SliceSpec } from "../../registry/slice.ts";
import type { DataServices } from "../data/index.ts";
import type { Identity } from "../identity/index.ts";
import type { KnowledgeServices } from "../knowledge/index.ts";
import type { LlmServices } from "../llm/index.ts";
import type { MemoryServices } from "../memory/index.ts";
import type { ModelsServices } from "../models/index.ts";
import { Agent, type AgentLimits } from "./agent.ts";
import { answerResource } from "./conversations/answer.resource.ts";
import { ConversationsStore } from "./conversations/conversations.store.ts";
import { DatasetQuestions } from "./datasets/ask-datasets.ts";
import { DataConversations } from "./datasets/data-conversations.ts";
import type { AgentServices, Elsewhere } from "./define.ts";
import { adviserOf } from "./knowledge/advise.ts";
import { KnowledgeCache } from "./knowledge/knowledge-cache.ts";
import { KnowledgeThreads } from "./knowledge/knowledge-threads.ts";
import { LIMITS } from "./limits.ts";
import { OtherSources } from "./other-sources.ts";
import { Meanings } from "./phases/offers.ts";
import type { Understand } from "./phases/plan.ts";
import { pictureApp } from "./picture/picture-app.resource.ts";
import { preferencesResource } from "./preferences/preferences.resource.ts";
import { PreferencesStore } from "./preferences/preferences.store.ts";
import { ModelTables } from "./query/model-tables.ts";
import type { AGENT_SETTINGS } from "./settings.ts";
import { askData } from "./tools/ask-data.tool.ts";
import { askQuestion } from "./tools/ask-question.tool.ts";
import { changeThread } from "./tools/change-thread.tool.ts";
import { drawPicture } from "./tools/draw-picture.tool.ts";
import { getAnswer } from "./tools/get-answer.tool.ts";
import { getThread } from "./tools/get-thread.tool.ts";
import { listThreads } from "./tools/list-threads.tool.ts";
import { listVerifiedQuestions } from "./tools/list-verified-questions.tool.ts";
import { markAnswer } from "./tools/mark-answer.tool.ts";
import { queryMetrics } from "./tools/query-metrics.tool.ts";
import { setPreferences } from "./tools/set-preferences.tool.ts";
import { ReadingThreads } from "./understand/threads/reading-threads.ts";
import { VerifiedStore } from "./verified/verified.store.ts";

export type { Answer } from "./answer.ts";
export type { AgentServices } from "./define.ts";
export { judge, type Verdict } from "./evaluation/judge.ts";
export type { Understand } from "./phases/plan.ts";
export { PREFERENCES } from "./preferences/preferences.ts";
export type { ModelTable, ModelTables, ModelWish } from "./query/model-tables.ts";
export type { Trace } from "./understand/trace.ts";
export { type CheckedQuestion, checkVerified } from "./verified/check-verified.ts";

export interface AgentOptions {
  clock?: Clock;
  /** Reads questions in the place of the rules. */
  understand?: Understand;
  limits?: AgentLimits;
  /** Of questions by those who have not chosen one. */
  timeZone?: string;
  /** Rows of an answer that are handed over as data. */
  shownRows?: number;
  /** The same where no model is named. */
  askedRows?: number;
  /** How long a refusal waits for what documents and memory know. */
  otherSourcesMs?: number;
}

interface Before {
  data: Pick<DataServices, "data" | "datasets">;
  models: ModelsServices;
  knowledge: Pick<KnowledgeServices, "answers">;
  memory: Pick<MemoryServices, "memory">;
  llm: LlmServices;
  identity: Pick<Identity, "audit" | "users">;
}

interface Ground extends Before {
  catalog: Catalog;
  clock: Clock;
  drawings: Drawings;
  embeddings: Embeddings;
  log: Pick<Logger, "error" | "debug">;
  registry: Registry;
  state: SharedState;
}

/** Opens the slice on the semantic models; what it knows of them it keeps in memory. */
export function openAgent(
  {
    data: { data, datasets },
    models: { models, modelsStore, inference },
    knowledge: { answers },
    memory: { memory },
    llm: { llm },
    identity: { audit, users },
    catalog,
    clock: serverClock,
    drawings,
    embeddings,
    log,
    registry,
    state,
  }: Ground,
  {
    shownRows = LIMITS.agent.shownRows,
    askedRows = LIMITS.agent.askedRows,
    otherSourcesMs = LIMITS.agent.otherSourcesMs,
    clock = serverClock,
    ...options
  }: AgentOptions = {},
): AgentServices {
  const builders = new KnowledgeThreads();
  const knowledge = new KnowledgeCache(models, builders);
  const threads = new ReadingThreads();
  const meanings = new Meanings(embeddings);
  const preferences = new PreferencesStore(catalog, clock, llm);
  const verified = new VerifiedStore(catalog, serverClock);
  models.adviseBy("agent", adviserOf({ models, modelsStore, verified, threads: builders }));
  const agent = new Agent({
    models,
    llm,
    audit,
    knowledge,
    preferences,
    verified,
    understand: (question, of, reader) => threads.read(question, of, reader),
    threads,
    near: (words, of) => meanings.offered(words, of),
    clock,
    timeZone: "UTC",
    limits: LIMITS.agent,
    ...options,
  });
  const elsewhere: Elsewhere = async ({ user, workspace }) => {
    const others = (await users.workspacesOf(user.id)).filter(({ id }) => id !== workspace.id);
    const isFull = await Promise.all(others.map(({ id }) => datasets.hasAny(id)));
    const names = others.flatMap(({ slug }, i) => (isFull[i] ? [slug] : []));
    if (names.length === 0) return "";
    return ` This is the workspace ${workspace.slug}; you have data in ${names.slice(0, 5).join(", ")}: connect to that one to ask about them.`;
  };
  const conversations = new ConversationsStore(catalog, serverClock);
  const datasetQuestions = new DatasetQuestions({
    agent,
    audit,
    log,
    knowledge,
    models,
    inference,
    data,
    datasets,
    elsewhere,
  });
  return {
    agent,
    datasetQuestions,
    dataConversations: new DataConversations(state),
    models,
    drawings,
    preferences,
    conversations,
    verified,
    modelTables: new ModelTables(models, knowledge),
    elsewhere,
    otherSources: new OtherSources({ answers, memory, registry, log, ms: otherSourcesMs }),
    shownRows,
    askedRows,
  };
}

type Settings = ValuesOf<typeof AGENT_SETTINGS>;

export const agentSlice: SliceSpec<"agent", AgentServices, Before, Settings> = {
  name: "agent",
  open(engines, before, { agent: { timeZone } }) {
    const services = openAgent({ ...engines, ...before }, { timeZone });
    return { services, sweep: () => services.conversations.sweep() };
  },
  tools: [
    askQuestion,
    queryMetrics,
    askData,
    getAnswer,
    markAnswer,
    listVerifiedQuestions,
    drawPicture,
    setPreferences,
    listThreads,
    getThread,
    changeThread,
  ],
  resources: [pictureApp, answerResource, preferencesResource],
};
