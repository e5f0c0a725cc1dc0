export type { BlobContent, BlobInfo, BlobStore, GetOptions, PutOptions, StoredBlob } from "./blob-store.ts";
export { syncFolder } from "./durable-files.ts";
export { type FolderBlobStore, type FolderBlobsOptions, openFolderBlobs } from "./folder-blobs.ts";
export { ensureStoreId, readStoreId, replaceStoreId, storeIdFile } from "./store-id.ts";
