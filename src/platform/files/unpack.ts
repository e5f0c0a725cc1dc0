import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type GunzipOptions, gunzip } from "./gunzip.ts";
import { LIMITS } from "./limits.ts";
import { magicOf } from "./magic.ts";
import { headOf, type SourceFile } from "./source.ts";

/** A file that is not compressed. */
export interface PlainFile {
  path: string;
  /** False for a file of the operator's, which stays as it is. */
  isOurs: boolean;
  /** Its first bytes, which tell what it is. */
  head: Buffer;
  isUnpacked: boolean;
}

/** Compressed files are unpacked once. */
export async function unpack(
  source: SourceFile,
  folder: string,
  options: Pick<GunzipOptions, "signal" | "onProgress">,
): Promise<PlainFile> {
  const head = await headOf(source.path);
  if (magicOf(head) !== "gzip") return { ...source, head, isUnpacked: false };
  const path = join(folder, "unpacked");
  await gunzip(source.path, path, {
    ...options,
    bytes: source.bytes,
    maxBytes: LIMITS.files.sourceBytes,
  });
  if (source.isOurs) await rm(source.path);
  return { path, isOurs: true, head: await headOf(path), isUnpacked: true };
}
