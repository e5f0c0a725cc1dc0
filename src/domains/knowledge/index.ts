import { join } from "node:path";
import type { ValuesOf } from "../../platform/settings/index.ts";
import type { Engines, OpenSlice, SliceSpec } from "../../registry/slice.ts";
import type { DataServices } from "../data/index.ts";
import type { LlmServices } from "../llm/index.ts";
import { Answers } from "./answers/answers.ts";
import { baseKind } from "./base-kind.ts";
import { BasesStore } from "./bases.store.ts";
import { ChunksStore } from "./chunks.store.ts";
import type { KnowledgeServices } from "./define.ts";
import { DocumentsStore, sweepDocuments } from "./documents.store.ts";
import { Downloads } from "./downloads.ts";
import { Extractions } from "./extraction/extractions.ts";
import { FoldersStore } from "./folders.store.ts";
import { Knowledge } from "./knowledge.ts";
import { createKnowledgeLimits } from "./rate-limits.ts";
import { DocumentReader } from "./reading/document-reader.ts";
import { Readings } from "./reading.job.ts";
import type { KNOWLEDGE_SETTINGS } from "./settings.ts";
import { addDocument } from "./tools/add-document.tool.ts";
import { askDocument } from "./tools/ask-document.tool.ts";
import { changeDocument } from "./tools/change-document.tool.ts";
import { changeFolder } from "./tools/change-folder.tool.ts";
import { createKnowledgeBase } from "./tools/create-knowledge-base.tool.ts";
import { deleteDocument } from "./tools/delete-document.tool.ts";
import { extractDocumentData } from "./tools/extract-document-data.tool.ts";
import { getDocumentContent } from "./tools/get-document-content.tool.ts";
import { getDocumentDownload } from "./tools/get-document-download.tool.ts";
import { listDocuments } from "./tools/list-documents.tool.ts";
import { listKnowledgeBases } from "./tools/list-knowledge-bases.tool.ts";
import { listNodes } from "./tools/list-nodes.tool.ts";
import { requestUpload } from "./tools/request-upload.tool.ts";
import { searchContent } from "./tools/search-content.tool.ts";
import { shareKnowledgeBase } from "./tools/share-knowledge-base.tool.ts";
import { Uploads, UploadTickets } from "./uploads.ts";

export type { KnowledgeBase } from "./bases.store.ts";
export type { KnowledgeServices } from "./define.ts";
export type { DocumentRow, FoundDocument } from "./documents.store.ts";
export { type Disposition, DOWNLOAD_HEADER } from "./downloads.ts";
export { isPreviewable } from "./file-kinds.ts";
export { splitText } from "./reading/split.ts";
export { UPLOAD_HEADER } from "./uploads.ts";

interface Before {
  data: Pick<DataServices, "data">;
  llm: LlmServices;
}

type Settings = ValuesOf<typeof KNOWLEDGE_SETTINGS>;

async function openKnowledge(
  engines: Engines,
  { data: { data }, llm: { llm } }: Before,
  settings: Settings,
): Promise<OpenSlice<KnowledgeServices>> {
  const { catalog, claim, clock, home, fetch, received, blobs, retrieval, jobs, vault, state, log } = engines;
  const bases = new BasesStore(catalog, clock);
  const folders = new FoldersStore(catalog, clock);
  const documents = new DocumentsStore(catalog, clock, claim);
  const chunks = new ChunksStore(catalog);
  const collection = retrieval.collection("document", chunks, chunks);
  const reader = await DocumentReader.open(join(home, "readers"), log);
  const readings = new Readings({ documents, chunks, reader, collection, blobs, jobs, log });
  const knowledge = new Knowledge({ bases, folders, documents, chunks, readings, collection, blobs });
  const uploads = await Uploads.open(join(home, "uploads"), { fetch, received, knowledge });
  const answers = new Answers({ knowledge, bases, llm });
  const extractions = new Extractions({ knowledge, documents, chunks, data });
  const tickets = new UploadTickets(vault, clock, state);
  const downloads = new Downloads(vault, clock);
  const knowledgeLimits = createKnowledgeLimits(state, settings.knowledge);
  const sweep = async () => {
    await sweepDocuments({ documents, blobs, clock });
    await readings.sweep();
  };
  return {
    services: {
      knowledge,
      bases,
      folders,
      documents,
      readings,
      downloads,
      uploads,
      tickets,
      answers,
      extractions,
      knowledgeLimits,
    },
    start: sweep,
    hasContent: (workspaceId) => documents.hasAny(workspaceId),
    sweep,
    close: () => reader.close(),
  };
}

export const knowledgeSlice: SliceSpec<"knowledge", KnowledgeServices, Before, Settings> = {
  name: "knowledge",
  open: openKnowledge,
  tools: [
    listKnowledgeBases,
    listNodes,
    searchContent,
    getDocumentContent,
    getDocumentDownload,
    addDocument,
    createKnowledgeBase,
    shareKnowledgeBase,
    listDocuments,
    changeDocument,
    changeFolder,
    requestUpload,
    deleteDocument,
    askDocument,
    extractDocumentData,
  ],
  assetKinds: [baseKind],
};
