import { toolsOf } from "../../registry/define-tool.ts";
import type { Llm } from "./llm.ts";

/** What the tools of this slice work with. */
export interface LlmServices {
  llm: Llm;
}

export const defineTool = toolsOf<LlmServices>();
