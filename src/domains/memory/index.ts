import type { Catalog } from "../../platform/catalog/index.ts";
import type { Slice } from "../../registry/registry.ts";
import type { MemoryServices } from "./define.ts";
import { MemoryStore } from "./memory.store.ts";
import { memoryHealth } from "./tools/health.tool.ts";
import { memoryStats } from "./tools/stats.tool.ts";

export function memorySlice({
  catalog,
  version,
}: {
  catalog: Catalog;
  version: string;
}): Slice<MemoryServices> {
  return {
    services: { memories: new MemoryStore(catalog), version },
    tools: [memoryHealth, memoryStats],
  };
}
