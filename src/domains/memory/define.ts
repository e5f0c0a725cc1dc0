import { toolsOf } from "../../registry/define-tool.ts";
import type { MemoryStore } from "./memory.store.ts";

/** What the tools of this slice work with. */
export interface MemoryServices {
  memories: MemoryStore;
  version: string;
}

export const defineTool = toolsOf<MemoryServices>();
