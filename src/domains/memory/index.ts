import type { SliceSpec } from "../../registry/slice.ts";
import type { MemoryServices } from "./define.ts";
import { MemoryStore } from "./memory.store.ts";
import { memoryHealth } from "./tools/health.tool.ts";
import { memoryStats } from "./tools/stats.tool.ts";

export const memorySlice: SliceSpec<"memory", MemoryServices> = {
  name: "memory",
  open: ({ catalog, version }) => ({ services: { memories: new MemoryStore(catalog), version } }),
  tools: [memoryHealth, memoryStats],
};
