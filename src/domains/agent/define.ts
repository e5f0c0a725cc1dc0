import type { Drawings } from "../../platform/drawing/index.ts";
import type { Caller } from "../../registry/caller.ts";
import { resourcesOf } from "../../registry/define-resource.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { ModelsServices } from "../models/index.ts";
import type { Agent } from "./agent.ts";
import type { ConversationsStore } from "./conversations/conversations.store.ts";
import type { DatasetQuestions } from "./datasets/ask-datasets.ts";
import type { DataConversations } from "./datasets/data-conversations.ts";
import type { OtherSources } from "./other-sources.ts";
import type { PreferencesStore } from "./preferences/preferences.store.ts";
import type { ModelTables } from "./query/model-tables.ts";
import type { VerifiedStore } from "./verified/verified.store.ts";

/** Where else the caller has data, as a sentence that follows a hint; empty if nowhere. */
export type Elsewhere = (caller: Caller) => Promise<string>;

/** What the tools of this slice work with. */
export interface AgentServices {
  agent: Agent;
  datasetQuestions: DatasetQuestions;
  dataConversations: DataConversations;
  models: ModelsServices["models"];
  drawings: Drawings;
  preferences: PreferencesStore;
  conversations: ConversationsStore;
  verified: VerifiedStore;
  modelTables: ModelTables;
  elsewhere: Elsewhere;
  otherSources: OtherSources;
  /** Rows of an answer that are handed over as data. */
  shownRows: number;
  /** The same where no model is named. */
  askedRows: number;
}

export const defineTool = toolsOf<AgentServices>();
export const defineResource = resourcesOf<AgentServices>();
