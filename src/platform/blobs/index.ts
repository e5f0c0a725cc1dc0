export type { BlobContent, BlobInfo, BlobStore } from "./blob-store.ts";
export { syncFolder } from "./durable-files.ts";
export { type FolderBlobStore, openFolderBlobs } from "./folder-blobs.ts";
export { ensureStoreId, readStoreId, replaceStoreId, storeIdFile } from "./store-id.ts";
