import type { SliceSpec } from "../../registry/slice.ts";
import type { Usage } from "../identity/index.ts";
import type { MemoryServices } from "./define.ts";
import { Hygiene } from "./hygiene.ts";
import { Lifecycle } from "./lifecycle.ts";
import { MemoriesStore, MemoryUsage } from "./memories.store.ts";
import { Memory } from "./memory.ts";
import { MemoryListStore } from "./memory-list.store.ts";
import { Recall } from "./recall.ts";
import { RelationsStore } from "./relations.store.ts";
import { Relations } from "./relations.ts";
import { memoryResource } from "./resources/memory.resource.ts";
import { rememberPrompt } from "./resources/remember.prompt.ts";
import { whatDoWeKnowPrompt } from "./resources/what-do-we-know.prompt.ts";
import { RelationRules, ShapesStore } from "./shapes/relation-rules.ts";
import { Splitter } from "./splitter.ts";
import { changeMemory } from "./tools/change-memory.tool.ts";
import { eraseMemory } from "./tools/erase-memory.tool.ts";
import { getMemory } from "./tools/get-memory.tool.ts";
import { memoryHealth } from "./tools/health.tool.ts";
import { linkMemories } from "./tools/link-memories.tool.ts";
import { listMemories } from "./tools/list-memories.tool.ts";
import { listRelationTypes } from "./tools/list-relation-types.tool.ts";
import { listRelations } from "./tools/list-relations.tool.ts";
import { recall } from "./tools/recall.tool.ts";
import { recallAtTime } from "./tools/recall-at-time.tool.ts";
import { retractMemory } from "./tools/retract-memory.tool.ts";
import { setRelationRules } from "./tools/set-relation-rules.tool.ts";
import { memoryStats } from "./tools/stats.tool.ts";
import { storeMemory } from "./tools/store-memory.tool.ts";
import { unlinkMemories } from "./tools/unlink-memories.tool.ts";
import { updateFact } from "./tools/update-fact.tool.ts";
import { uploadDocument } from "./tools/upload-document.tool.ts";
import { VersionsStore } from "./versions.store.ts";

export { type MemoryServices, titleOf } from "./define.ts";
export { changedMemories, MEMORY_EVENTS } from "./memory-events.ts";
export { exportMemories, type Imported, importMemories } from "./transfer.ts";
export {
  type MemoryRecord,
  markdownName,
  type ReadRecord,
  readJsonLines,
  readMarkdown,
  writeGraphLines,
  writeMarkdown,
} from "./transfer-formats.ts";

interface Before {
  identity: { usage: Usage };
}

export const memorySlice: SliceSpec<"memory", MemoryServices, Before> = {
  name: "memory",
  open({ catalog, clock, retrieval, log, version }, { identity: { usage } }) {
    const memories = new MemoriesStore(catalog);
    const relationRows = new RelationsStore(catalog);
    const versions = new VersionsStore(catalog);
    const collection = retrieval.collection("memory", versions, versions);
    const recalls = new MemoryUsage(catalog, log);
    const rules = new RelationRules(new ShapesStore(catalog), relationRows, clock);
    const lifecycle = new Lifecycle({ catalog, collection, usage, clock });
    const memory = new Memory({
      memories,
      recall: new Recall(collection, versions, relationRows),
      collection,
      usage,
      recalls,
      splitter: new Splitter(),
      clock,
    });
    return {
      services: {
        memory,
        memories,
        relations: new Relations(relationRows, rules, lifecycle, clock),
        rules,
        lifecycle,
        hygiene: new Hygiene(catalog, collection, versions, recalls),
        memoryList: new MemoryListStore(catalog),
        retrieval,
        clock,
        version,
      },
      hasContent: (workspaceId) => memories.hasAny(workspaceId),
      sweep: () => recalls.write(),
      close: () => recalls.write(),
    };
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
    listMemories,
    getMemory,
    changeMemory,
    retractMemory,
    eraseMemory,
    listRelationTypes,
    setRelationRules,
  ],
  resources: [memoryResource],
  prompts: [rememberPrompt, whatDoWeKnowPrompt],
};
