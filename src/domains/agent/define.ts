import { toolsOf } from "../../registry/define-tool.ts";
import type { ModelsServices } from "../models/index.ts";
import type { Agent } from "./agent.ts";

/** What the tools of this slice work with. */
export interface AgentServices {
  agent: Agent;
  models: ModelsServices["models"];
  /** Rows of an answer that are handed over as data. */
  shownRows: number;
}

export const defineTool = toolsOf<AgentServices>();
