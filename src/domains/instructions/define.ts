import type { CallPorts } from "../../registry/call.ts";
import { toolsOf } from "../../registry/define-tool.ts";
import type { Registry } from "../../registry/registry.ts";
import type { LlmServices } from "../llm/index.ts";
import type { ModelsServices } from "../models/index.ts";
import type { ChangesStore } from "./changes.store.ts";
import type { PlanThreads } from "./plan-threads.ts";

/** What the tools of this slice work with. */
export interface InstructionsServices {
  changes: ChangesStore;
  planning: PlanThreads;
  /** Everything that a plan can call, through the one call path. */
  registry: Registry;
  ports: CallPorts;
  llm: LlmServices["llm"];
  models: ModelsServices["models"];
}

export const defineTool = toolsOf<InstructionsServices>();
