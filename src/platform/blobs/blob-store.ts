import type { Readable } from "node:stream";

/**
 * Bytes under a key. A key is made of parts joined by "/" (`parts/12/3f2a.parquet`); no blob's key may be the
 * beginning of another one's parts (`a` beside `a/b`). What a blob is and who may see it stands in the catalog.
 */
export interface BlobStore {
  /** Once it has answered, the blob is there to stay; before that, nothing of it can be seen. Replaces an older one. */
  put(key: string, content: BlobContent, options?: PutOptions): Promise<StoredBlob>;
  /** Fails with `not_found`. A range that begins behind the end is a `bad_request`. */
  get(key: string, options?: GetOptions): Promise<Readable>;
  stat(key: string): Promise<BlobInfo | undefined>;
  /** True when there was one. */
  delete(key: string): Promise<boolean>;
  /** All blobs below a prefix that ends with "/" (or all: ""), in no particular order. */
  list(prefix: string): AsyncIterable<BlobInfo>;
}

export type BlobContent = Uint8Array | AsyncIterable<Uint8Array>;

export interface PutOptions {
  maxBytes?: number;
  signal?: AbortSignal;
}

export interface GetOptions {
  /** Both ends count, as in HTTP; without `end` up to the last byte. */
  range?: { start: number; end?: number };
}

export interface StoredBlob {
  key: string;
  bytes: number;
  sha256: string;
}

export interface BlobInfo {
  key: string;
  bytes: number;
  modifiedAt: Date;
}
