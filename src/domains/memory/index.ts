import type { SliceSpec } from "../../registry/slice.ts";
import type { Usage } from "../identity/index.ts";
import type { MemoryServices } from "./define.ts";
import { MemoriesStore } from "./memories.store.ts";
import { Memory } from "./memory.ts";
import { Recall } from "./recall.ts";
import { RelationsStore } from "./relations.store.ts";
import { memoryHealth } from "./tools/health.tool.ts";
import { linkMemories } from "./tools/link-memories.tool.ts";
import { listRelations } from "./tools/list-relations.tool.ts";
import { recall } from "./tools/recall.tool.ts";
import { recallAtTime } from "./tools/recall-at-time.tool.ts";
import { memoryStats } from "./tools/stats.tool.ts";
import { storeMemory } from "./tools/store-memory.tool.ts";
import { unlinkMemories } from "./tools/unlink-memories.tool.ts";
import { updateFact } from "./tools/update-fact.tool.ts";
import { uploadDocument } from "./tools/upload-document.tool.ts";
import { VersionsStore } from "./versions.store.ts";

export { type Imported, importMemories } from "./import-memories.ts";

interface Before {
  identity: { usage: Usage };
}

export const memorySlice: SliceSpec<"memory", MemoryServices, Before> = {
  name: "memory",
  open({ catalog, clock, retrieval, version }, { identity: { usage } }) {
    const memories = new MemoriesStore(catalog);
    const relations = new RelationsStore(catalog);
    const versions = new VersionsStore(catalog);
    const collection = retrieval.collection("memory", versions);
    const memory = new Memory({
      memories,
      relations,
      recall: new Recall(collection, versions, relations),
      collection,
      usage,
      clock,
    });
    return { services: { memory, memories, version } };
  },
  tools: [
    recall,
    recallAtTime,
    listRelations,
    memoryHealth,
    memoryStats,
    storeMemory,
    uploadDocument,
    updateFact,
    linkMemories,
    unlinkMemories,
  ],
};
