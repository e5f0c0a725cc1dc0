export { syncFolder } from "./durable-files.ts";
export type { BlobContent, BlobInfo, BlobStore } from "./folder-blobs.ts";
export {
  ensureStoreId,
  type FolderBlobStore,
  openFolderBlobs,
  readStoreId,
  replaceStoreId,
  storeIdFile,
} from "./folder-blobs.ts";
